//go:build !small

package picture

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curves draws a thin curve for each run, which together look like a band, and their mean, in the format svg or png. There
// must be a curve of two points at least.
func Curves(w io.Writer, format string, b *Bundle) error {
	p := ofRuns(b.Title, b.XLabel, b.YLabel)
	p.Add(plotter.NewGrid())
	pale := draw.LineStyle{Color: color.NRGBA{plotColors[5].R, plotColors[5].G, plotColors[5].B, 0x60}, Width: vg.Points(0.8)}
	for _, points := range b.Lines {
		p.Add(lineOf(points, pale))
	}
	p.Legend.Padding = vg.Points(2.5)
	thick := pale
	thick.Color, thick.Width = plotColors[5], vg.Points(2)
	p.Legend.Add("runs", &plotter.Line{LineStyle: thick})
	if b.Middle != nil {
		middle := lineOf(b.Middle, mark(plotColors[1], nil))
		p.Add(middle)
		p.Legend.Add("mean", middle)
	}
	p.X.Min, p.X.Max = room(p.X.Min, p.X.Max, besideCloud)
	p.Y.Min, p.Y.Max = room(p.Y.Min, p.Y.Max, besideCloud)
	if !b.Square {
		return drawBelow(w, p, format)
	}
	legend := p.Legend
	p.Legend = plot.NewLegend()
	return drawScaled(w, p, format, legendRoom, func(c, data draw.Canvas) {
		legend.Left, legend.Top = true, true
		c.Min.X = data.Max.X + vg.Points(8)
		c.Max.Y = data.Max.Y
		legend.Draw(c)
	})
}

// legendRoom is the width of the legend of Curves.
const legendRoom = 2 * vg.Centimeter

// lineOf returns a line through points.
func lineOf(points [][2]float64, style draw.LineStyle) *plotter.Line {
	xy := make(plotter.XYs, len(points))
	for i, at := range points {
		xy[i] = plotter.XY{X: at[0], Y: at[1]}
	}
	return &plotter.Line{XYs: xy, LineStyle: style}
}
