//go:build !small

package picture

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
)

const panelHeight = 6 * vg.Centimeter

// Run draws panels of curves over the time of a run, s, below each
// other, in the format svg or png. There are panels, and points.
func Run(w io.Writer, format, title string, time []float64, panels []Panel) error {
	return Motion(w, format, &Chart{Title: title, Label: "time, s", X: time, Panels: panels})
}

// Motion draws a chart: panels below each other, and views beside each other below them. There are panels, and points.
func Motion(w io.Writer, format string, c *Chart) error {
	list := make([][]*plot.Plot, len(c.Panels))
	for i := range c.Panels {
		draw := c.linearPanel
		if c.Panels[i].Log {
			draw = c.logPanel
		}
		p, err := draw(&c.Panels[i])
		if err != nil {
			return err
		}
		list[i] = []*plot.Plot{p}
	}
	list[0][0].Title.Text = c.Title
	list[len(list)-1][0].X.Label.Text = c.Label
	height := panelHeight * vg.Length(len(c.Panels))
	below := vg.Length(0)
	if len(c.Views) > 0 {
		below = viewHeight
	}
	to, err := draw.NewFormattedCanvas(plotWidth+legendWidth, height+below, format)
	if err != nil {
		return err
	}
	all := draw.New(to)
	placePanels(draw.Crop(all, 0, 0, below, 0), list)
	if below > 0 {
		if err := placeViews(draw.Crop(all, 0, 0, 0, -height), c.Views); err != nil {
			return err
		}
	}
	_, err = to.WriteTo(w)
	return err
}

// curves draws a panel with the axis that its values ask for.
func (c *Chart) curves(panel *Panel) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Label.Text = panel.Label
	setFont(p)
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.Padding = vg.Points(2.5)
	p.Add(plotter.NewGrid())
	for i := range panel.Curves {
		curve, from := &panel.Curves[i], 0
		for _, end := range append(slices.Clone(c.Starts), len(c.X)) {
			line, err := c.line(curve, from, end)
			if err != nil {
				return nil, errors.Join(errors.New("the run cannot be drawn"), err)
			}
			line.Color, line.Width = plotColors[i%len(plotColors)], vg.Points(1)
			p.Add(line)
			if from == 0 {
				p.Legend.Add(curve.Name, line)
			}
			from = end
		}
	}
	if p.X.Max <= p.X.Min {
		p.X.Min, p.X.Max = p.X.Min-0.5, p.X.Max+0.5
	}
	if c.Whole {
		p.X.Tick.Marker = wholes{}
	}
	return p, nil
}

// line draws the points of a curve from one place to another, a single one as a short line.
func (c *Chart) line(curve *Curve, from, end int) (*plotter.Line, error) {
	xy := make(plotter.XYs, end-from)
	for k := range xy {
		xy[k] = plotter.XY{X: c.X[from+k], Y: curve.Y[from+k]}
	}
	if len(xy) == 1 {
		xy = append(xy, plotter.XY{X: xy[0].X + 0.25, Y: xy[0].Y})
	}
	return plotter.NewLine(xy)
}

// wholes marks whole numbers, at most about seven of them.
type wholes struct{}

// Ticks returns the marks from lo to hi.
func (wholes) Ticks(lo, hi float64) []plot.Tick {
	step := 1.0
	for k := 0; (hi-lo)/step > 7; k++ {
		step *= [...]float64{2, 2.5, 2}[k%3] // 1, 2, 5, 10, …
	}
	var ticks []plot.Tick
	for x := math.Ceil(lo/step) * step; x <= hi; x += step {
		ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'f', 0, 64)})
	}
	return ticks
}

// linearPanel draws a panel with an axis that is widened where its values are all the same.
func (c *Chart) linearPanel(panel *Panel) (*plot.Plot, error) {
	p, err := c.curves(panel)
	if err != nil {
		return nil, err
	}
	if p.Y.Max-p.Y.Min <= 1e-12*max(math.Abs(p.Y.Max), math.Abs(p.Y.Min), 1e-300) {
		d := max(0.1*math.Abs(p.Y.Max), 1e-3)
		p.Y.Min, p.Y.Max = p.Y.Min-d, p.Y.Max+d
	}
	return p, nil
}

// logPanel draws a panel with a logarithmic axis, from one power of ten to another. All values are above zero.
func (c *Chart) logPanel(panel *Panel) (*plot.Plot, error) {
	p, err := c.curves(panel)
	if err != nil {
		return nil, err
	}
	p.Y.Min = math.Pow(10, math.Floor(math.Log10(p.Y.Min)))
	p.Y.Max = math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))
	if p.Y.Max <= p.Y.Min {
		p.Y.Max = 10 * p.Y.Min
	}
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = powers{}
	return p, nil
}

// placePanels draws the panels below each other, each with its legend beside it.
func placePanels(all draw.Canvas, panels [][]*plot.Plot) {
	legends := make([]plot.Legend, len(panels))
	for i := range panels {
		legends[i] = panels[i][0].Legend
		panels[i][0].Legend = plot.NewLegend()
	}
	margin := vg.Points(6)
	tiles := draw.Tiles{
		Rows: len(panels), Cols: 1, PadY: vg.Points(8), PadTop: margin, PadBottom: margin, PadLeft: margin,
	}
	cells := plot.Align(panels, tiles, draw.Crop(all, 0, -legendWidth, 0, 0))
	for i := range panels {
		c := cells[i][0]
		panels[i][0].Draw(c)
		beside := c
		beside.Min.X, beside.Max.X = c.Max.X+margin, all.Max.X
		legends[i].Draw(beside)
	}
}

// powers marks powers of ten, at most about eight of them by name.
type powers struct{}

// Ticks returns the marks from lo to hi.
func (powers) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Round(math.Log10(lo))), int(math.Round(math.Log10(hi)))
	step := 1 + (last-first)/8
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Pow(10, float64(e))}
		if (last-e)%step == 0 {
			t.Label = sheet.Digits3(t.Value)
		}
		ticks = append(ticks, t)
	}
	return ticks
}
