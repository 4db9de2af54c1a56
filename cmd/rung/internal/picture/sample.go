//go:build !small

package picture

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
)

const (
	mostBins  = 80
	leastBins = 4
)

// Histogram draws the number of runs with values in each of several equal intervals, and the mean and the 5 % and 95 % quantiles of
// all values, in the format svg or png. There must be a value.
func Histogram(w io.Writer, format string, s *Sample) error {
	x := slices.Clone(s.X)
	slices.Sort(x)
	lo, hi := room(x[0], x[len(x)-1], 0)
	n := bins(x)
	edges := make([]float64, n+1)
	for i := range edges {
		u := float64(i) / float64(n)
		edges[i] = lo*(1-u) + hi*u
	}
	counts := make([]float64, n)
	for _, v := range x {
		counts[binOf(edges, v)]++
	}
	p := ofRuns(s.Title, s.Label, "runs")
	mean, deviation := moments(x)
	p.Add(plotter.NewGrid(), &bars{edges, counts})
	p.X.Min, p.X.Max = lo, hi
	p.Y.Min, p.Y.Max = 0, 1.05*slices.Max(counts)
	p.Y.Tick.Marker = wholes{}
	p.Legend.Padding = vg.Points(2.5)
	for i, m := range [...]struct {
		name  string
		x     float64
		style draw.LineStyle
	}{
		{fmt.Sprintf("mean %s, standard deviation %s", sheet.Short(mean), sheet.Digits3(deviation)), mean, mark(plotColors[1], nil)},
		{"5 % below " + sheet.Short(quantile(x, 0.05)), quantile(x, 0.05), mark(plotColors[6], []vg.Length{vg.Points(4), vg.Points(3)})},
		{"5 % above " + sheet.Short(quantile(x, 0.95)), quantile(x, 0.95), mark(plotColors[6], []vg.Length{vg.Points(1.5), vg.Points(2.5)})},
	} {
		if i > 0 && len(x) < leastTails {
			break
		}
		line := &plotter.Line{XYs: plotter.XYs{{X: m.x, Y: 0}, {X: m.x, Y: p.Y.Max}}, LineStyle: m.style}
		p.Add(line)
		p.Legend.Add(m.name, line)
	}
	return drawBelow(w, p, format)
}

// leastTails is the least number of values for which quantiles of 5 % are drawn: one value beyond each.
const leastTails = 20

// mark returns the style of a line that marks a value.
func mark(c color.RGBA, dashes []vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(1.5), Dashes: dashes}
}

// bars plots the columns of a histogram.
type bars struct{ edges, counts []float64 }

// Plot implements plot.Plotter.
func (b *bars) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	edge := draw.LineStyle{Color: color.White, Width: vg.Points(0.4)}
	for i, n := range b.counts {
		if n == 0 {
			continue
		}
		l, r, low, top := x(b.edges[i]), x(b.edges[i+1]), y(0), y(n)
		corners := []vg.Point{{X: l, Y: low}, {X: r, Y: low}, {X: r, Y: top}, {X: l, Y: top}}
		c.FillPolygon(plotColors[5], corners)
		c.StrokeLines(edge, append(corners, corners[0]))
	}
}

// bins returns the number of intervals for values in ascending order (Freedman & Diaconis 1981).
func bins(x []float64) int {
	n := float64(len(x))
	width := 2 * (quantile(x, 0.75) - quantile(x, 0.25)) / math.Cbrt(n)
	extent := x[len(x)-1] - x[0]
	if !(width > 0) || !(extent > 0) {
		return int(min(max(math.Sqrt(n), leastBins), mostBins))
	}
	return int(min(max(math.Ceil(extent/width), leastBins), mostBins))
}

// quantile returns the quantile u, from 0 to 1, of ascending values, by linear interpolation.
func quantile(x []float64, u float64) float64 {
	at := u * float64(len(x)-1)
	i := min(int(at), len(x)-1)
	k := min(i+1, len(x)-1)
	v := at - float64(i)
	return x[i]*(1-v) + x[k]*v
}

// moments returns the mean and the standard deviation of values, which is 0 for a single one.
func moments(x []float64) (mean, deviation float64) {
	for i, v := range x {
		d := v - mean
		mean += d / float64(i+1)
		deviation += d * (v - mean)
	}
	if len(x) > 1 {
		return mean, math.Sqrt(deviation / float64(len(x)-1))
	}
	return mean, 0
}
