//go:build !small

package picture

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
)

const (
	barHeight = 16 // distance from one bar to the next, points
	barsRoom  = 70 // height of title and axis, points
)

// Bars draws horizontal bars from zero below each other, each with its name, in the format svg or png. There must be at least one.
func Bars(w io.Writer, format string, t *Tornado) error {
	p := ofRuns(t.Title, t.Label, "")
	n := len(t.X)
	most := 0.0
	for _, x := range t.X {
		most = max(most, math.Abs(x))
	}
	p.X.Min, p.X.Max = room(-most, most, 0.03)
	p.Y.Min, p.Y.Max = -0.7, float64(n)-0.3
	var names []plot.Tick
	for i := range t.X {
		names = append(names, plot.Tick{Value: float64(n - 1 - i), Label: t.Names[i]})
	}
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.LineStyle.Width = plot.ConstantTicks(names), 0, 0
	p.X.Tick.Marker = few{}
	p.Add(&tornado{t.X})
	to, err := draw.NewFormattedCanvas(plotWidth, vg.Points(float64(n*barHeight+barsRoom)), format)
	if err != nil {
		return err
	}
	all, margin := draw.New(to), vg.Points(6)
	whiten(all)
	p.Draw(draw.Crop(all, margin, -3*margin, margin, -margin))
	_, err = to.WriteTo(w)
	return err
}

// few is a marker of axes that marks about three round numbers.
type few struct{}

// Ticks implements plot.Ticker.
func (few) Ticks(lo, hi float64) (ticks []plot.Tick) {
	list, _ := levels(lo, hi, 3)
	for _, x := range list {
		ticks = append(ticks, plot.Tick{Value: x, Label: sheet.Short(x)})
	}
	return ticks
}

// tornado plots bars of lengths x, the first one on top.
type tornado struct{ x []float64 }

// Plot implements plot.Plotter.
func (t *tornado) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	colors := [2]color.Color{plotColors[0], plotColors[1]}
	for i, v := range t.x {
		at := float64(len(t.x) - 1 - i)
		side := 0
		if v < 0 {
			side = 1
		}
		lo, hi := y(at-0.36), y(at+0.36)
		c.FillPolygon(colors[side], []vg.Point{{X: x(0), Y: lo}, {X: x(v), Y: lo}, {X: x(v), Y: hi}, {X: x(0), Y: hi}})
	}
	c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: vg.Points(0.6)}, x(0), c.Min.Y, x(0), c.Max.Y)
}
