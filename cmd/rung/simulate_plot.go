package main

import (
	"errors"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// curvePoints is the number of points that a curve has at most, an even one.
	curvePoints = 4096
	// leastDrift is the drift that is drawn where there is none.
	leastDrift  = 1e-18
	panelHeight = 6 * vg.Centimeter
)

// plotEndings are the endings of the pictures that are written.
var plotEndings = []string{".svg", ".png"}

// checkPlot is check for the flags of the picture.
func (f *simulateFlags) checkPlot(model string) error {
	switch ending := strings.ToLower(filepath.Ext(f.plot)); {
	case f.plot == "" && len(f.plotColumns) > 0:
		return useErrorf("--plot-columns needs --plot FILE")
	case f.plot == "":
		return nil
	case !slices.Contains(plotEndings, ending):
		return useErrorf("%s: pictures end in %s", f.plot, strings.Join(plotEndings, " or "))
	}
	return apart(f.plot, "the picture would replace this file", model, f.output, f.checkpoint)
}

// curves collect what is drawn of a run in bounded memory: where there are more rows
// than points, a point stands for several rows, with the first value of the
// energies and chosen columns among them, and the largest drift.
type curves struct {
	names  []string // of the chosen columns
	chosen []int    // places of the chosen columns in a row
	energy int      // place of the energies, and of the drift behind them
	points [][]float64
	stride int64 // rows a point
	rows   int64
}

// Places in a point; the chosen columns follow.
const (
	curveTime = iota
	curveKinetic
	curvePotential
	curvePosition
	curveVelocity
	curveChosen
)

// draw makes w collect what the picture of f needs.
func (w *watcher) draw(f *simulateFlags) error {
	if f.plot == "" {
		return nil
	}
	names := w.columns.Names()
	c := &curves{energy: slices.Index(names, "energy.kinetic"), stride: 1, names: f.plotColumns}
	if len(c.names) == 0 && c.energy > 1 { // there is a body
		c.names = names[1:4]
	}
	for _, name := range c.names {
		i := slices.Index(names, name)
		if i < 0 {
			return useErrorf("--plot-columns: no column %s in the trajectory", fault.Name(name))
		}
		c.chosen = append(c.chosen, i)
	}
	w.curves = c
	return nil
}

// add takes in the values of a row.
func (c *curves) add(values []float64) {
	drift := values[c.energy+2 : c.energy+4]
	if c.rows%c.stride != 0 {
		last := c.points[len(c.points)-1]
		last[curvePosition], last[curveVelocity] = max(last[curvePosition], drift[0]), max(last[curveVelocity], drift[1])
		c.rows++
		return
	}
	if len(c.points) == curvePoints {
		c.thin()
		c.add(values)
		return
	}
	p := append([]float64{values[0]}, values[c.energy:c.energy+4]...)
	for _, i := range c.chosen {
		p = append(p, values[i])
	}
	c.points = append(c.points, p)
	c.rows++
}

// thin puts two points each in one.
func (c *curves) thin() {
	half := c.points[:len(c.points)/2]
	for i := range half {
		a, b := c.points[2*i], c.points[2*i+1]
		a[curvePosition], a[curveVelocity] = max(a[curvePosition], b[curvePosition]), max(a[curveVelocity], b[curveVelocity])
		half[i] = a
	}
	c.points = half
	c.stride *= 2
}

// curve is a line in a panel.
type curve struct {
	name string
	of   func(point []float64) float64
}

// writePlot draws the picture, if one is wanted and there are rows.
func (w *watcher) writePlot(f *simulateFlags, model string) error {
	if w.curves == nil {
		return nil
	}
	if len(w.curves.points) == 0 {
		return w.picture.drop()
	}
	return w.picture.close(w.curves.write(w.picture, model, strings.ToLower(filepath.Ext(f.plot))[1:]))
}

// write draws energies, drift and chosen columns below each other.
func (c *curves) write(w io.Writer, model, format string) error {
	at := func(i int) func([]float64) float64 { return func(p []float64) float64 { return p[i] } }
	total := func(p []float64) float64 { return p[curveKinetic] + p[curvePotential] }
	energy, err := c.linearPanel("energy, J", []curve{{"kinetic", at(curveKinetic)}, {"potential", at(curvePotential)}, {"total", total}})
	if err != nil {
		return err
	}
	energy.Title.Text = modelTitle(model)
	drift, err := c.driftPanel([]curve{{"position, m or rad", at(curvePosition)}, {"velocity, m/s or rad/s", at(curveVelocity)}})
	if err != nil {
		return err
	}
	panels := [][]*plot.Plot{{energy}, {drift}}
	if len(c.names) > 0 {
		var list []curve
		for i, name := range c.names {
			list = append(list, curve{fault.Text(name, nameWidth), at(curveChosen + i)})
		}
		p, err := c.linearPanel("", list)
		if err != nil {
			return err
		}
		panels = append(panels, []*plot.Plot{p})
	}
	panels[len(panels)-1][0].X.Label.Text = "time, s"
	return drawPanels(w, panels, format)
}

// panel draws curves over time.
func (c *curves) panel(label string, list []curve) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Label.Text = label
	setFont(p)
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.Padding = vg.Points(2.5)
	p.Add(plotter.NewGrid())
	for i, l := range list {
		xy := make(plotter.XYs, len(c.points))
		for k, point := range c.points {
			xy[k] = plotter.XY{X: point[curveTime], Y: l.of(point)}
		}
		line, err := plotter.NewLine(xy)
		if err != nil {
			return nil, errors.Join(errors.New("the run cannot be drawn"), err)
		}
		line.Color, line.Width = curveColor(i), vg.Points(1)
		p.Add(line)
		p.Legend.Add(l.name, line)
	}
	if p.X.Max <= p.X.Min {
		p.X.Min, p.X.Max = p.X.Min-0.5, p.X.Max+0.5
	}
	return p, nil
}

func curveColor(i int) color.Color { return plotColors[i%len(plotColors)] }

// linearPanel is panel with an axis that is widened where its values are all the same.
func (c *curves) linearPanel(label string, list []curve) (*plot.Plot, error) {
	p, err := c.panel(label, list)
	if err != nil {
		return nil, err
	}
	if p.Y.Max-p.Y.Min <= 1e-12*max(math.Abs(p.Y.Max), math.Abs(p.Y.Min), 1e-300) {
		d := max(0.1*math.Abs(p.Y.Max), 1e-3)
		p.Y.Min, p.Y.Max = p.Y.Min-d, p.Y.Max+d
	}
	return p, nil
}

// driftPanel is panel with a logarithmic axis, from one power of ten to another. All values are above zero.
func (c *curves) driftPanel(list []curve) (*plot.Plot, error) {
	for i := range list {
		of := list[i].of
		list[i].of = func(p []float64) float64 { return max(of(p), leastDrift) }
	}
	p, err := c.panel("drift", list)
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

// drawPanels writes the panels, each with its legend beside it.
func drawPanels(w io.Writer, panels [][]*plot.Plot, format string) error {
	legends := make([]plot.Legend, len(panels))
	for i := range panels {
		legends[i] = panels[i][0].Legend
		panels[i][0].Legend = plot.NewLegend()
	}
	to, err := draw.NewFormattedCanvas(plotWidth+legendWidth, panelHeight*vg.Length(len(panels)), format)
	if err != nil {
		return err
	}
	all := draw.New(to)
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
	_, err = to.WriteTo(w)
	return err
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
			t.Label = digits3(t.Value)
		}
		ticks = append(ticks, t)
	}
	return ticks
}
