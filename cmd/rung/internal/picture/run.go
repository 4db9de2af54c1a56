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

const (
	runWidth    = 20 * vg.Centimeter
	panelHeight = 4.5 * vg.Centimeter // without the legend
	panelGap    = 8                   // points
)

// Run draws panels of curves over the time of a run, s, below each other, in
// the format svg or png. There must be a panel, and a point in it.
func Run(w io.Writer, format, title string, time []float64, panels []Panel) error {
	return Motion(w, format, &Chart{Title: title, Label: "time, s", X: time, Panels: panels})
}

// Motion draws a chart in the format svg or png: panels below each other, and views beside each other below them. c must have a panel,
// and a point in it.
func Motion(w io.Writer, format string, c *Chart) error {
	panels := split(c.Panels)
	list := make([][]*plot.Plot, len(panels))
	s := stack{title: c.Title, plots: list}
	for i := range panels {
		draw := c.linearPanel
		if panels[i].Log {
			draw = c.logPanel
		}
		p, err := draw(&panels[i])
		if err != nil {
			return err
		}
		list[i] = []*plot.Plot{p}
		l := newRowLegend(&panels[i], p.Legend.TextStyle, runWidth-2.5*vg.Centimeter)
		s.legends, s.above = append(s.legends, l), max(s.above, l.height())
	}
	list[len(list)-1][0].X.Label.Text = c.Label
	height := s.height()
	below := vg.Length(0)
	if len(c.Views) > 0 {
		below = viewHeight
	}
	to, err := draw.NewFormattedCanvas(runWidth, height+below, format)
	if err != nil {
		return err
	}
	all := draw.New(to)
	whiten(all)
	s.draw(draw.Crop(all, 0, 0, below, 0))
	if below > 0 {
		if err := placeViews(draw.Crop(all, 0, 0, 0, -height), c.Views); err != nil {
			return err
		}
	}
	_, err = to.WriteTo(w)
	return err
}

// curves returns the plot of a panel with its curves. The curves of a logarithmic panel are exponents of ten.
func (c *Chart) curves(panel *Panel) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Label.Text = panel.Label
	setFont(p)
	p.Add(plotter.NewGrid())
	p.X.Tick.Marker, p.Y.Tick.Marker = rounds{}, rounds{}
	for i := range panel.Curves {
		curve, from := &panel.Curves[i], 0
		for _, end := range append(slices.Clone(c.Starts), len(c.X)) {
			line, err := c.line(curve, from, end, panel.Log)
			if err != nil {
				return nil, errors.Join(errors.New("the run cannot be drawn"), err)
			}
			line.Color, line.Width = plotColors[i%len(plotColors)], vg.Points(1)
			p.Add(line)
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

// line returns the line through the points from … end−1 of a curve; for a single point it is short and level. With log the ordinates are
// the decimal logarithms of the values. Other lines are smoothed, unless c.Whole is set.
func (c *Chart) line(curve *Curve, from, end int, log bool) (*plotter.Line, error) {
	xy := make(plotter.XYs, end-from)
	for k := range xy {
		xy[k] = plotter.XY{X: c.X[from+k], Y: curve.Y[from+k]}
		if log {
			xy[k].Y = math.Log10(xy[k].Y)
		}
	}
	if len(xy) == 1 {
		xy = append(xy, plotter.XY{X: xy[0].X + 0.25, Y: xy[0].Y})
	}
	if !log && !c.Whole { // drifts and values over steps jump
		xy = smooth(xy)
	}
	return plotter.NewLine(xy)
}

// wholes is a marker of axes that marks at most about seven whole numbers.
type wholes struct{}

// Ticks implements plot.Ticker.
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

// linearPanel returns the plot of a panel with a linear axis, which is widened if all values are equal.
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

// logPanel returns the plot of a panel with a logarithmic axis, from one power of ten to another. The axis is
// a linear one of exponents, as gonum does not leave the right room for the labels of a logarithmic scale.
func (c *Chart) logPanel(panel *Panel) (*plot.Plot, error) {
	p, err := c.curves(panel)
	if err != nil {
		return nil, err
	}
	p.Y.Min, p.Y.Max = math.Floor(p.Y.Min), math.Ceil(p.Y.Max)
	if p.Y.Max <= p.Y.Min {
		p.Y.Max = p.Y.Min + 1
	}
	p.Y.Tick.Marker = powers{}
	return p, nil
}

// stack draws panels below each other, each with its legend above it.
type stack struct {
	title   string
	plots   [][]*plot.Plot
	legends []*rowLegend
	above   vg.Length // room for the highest legend
}

// titleHeight is the height of the title, points.
const titleHeight = 22

// height returns the height of the whole picture.
func (s *stack) height() vg.Length {
	return vg.Points(titleHeight) + (panelHeight+s.above+vg.Points(panelGap))*vg.Length(len(s.plots))
}

// draw draws the title and all panels.
func (s *stack) draw(all draw.Canvas) {
	first := s.plots[0][0]
	title := first.Title.TextStyle
	title.XAlign, title.YAlign = draw.XCenter, draw.YTop
	all.FillText(title, vg.Point{X: (all.Min.X + all.Max.X) / 2, Y: all.Max.Y - vg.Points(5)}, s.title)
	pad, margin := s.above+vg.Points(panelGap), vg.Points(6)
	tiles := draw.Tiles{
		Rows: len(s.plots), Cols: 1, PadY: pad, PadTop: vg.Points(titleHeight) + s.above, PadBottom: vg.Points(panelGap), PadLeft: margin, PadRight: 2 * margin,
	}
	for i, c := range plot.Align(s.plots, tiles, all) {
		p := s.plots[i][0]
		p.Draw(c[0])
		s.legends[i].draw(all, vg.Point{X: p.DataCanvas(c[0]).Min.X, Y: c[0].Max.Y + vg.Points(2)})
	}
}

// powers is a marker of axes of exponents that marks powers of ten, at most about eight of them with texts.
type powers struct{}

// Ticks implements plot.Ticker.
func (powers) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Round(lo)), int(math.Round(hi))
	step := 1 + (last-first)/8
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: float64(e)}
		if (last-e)%step == 0 {
			t.Label = sheet.Digits3(math.Pow(10, t.Value))
		}
		ticks = append(ticks, t)
	}
	return ticks
}
