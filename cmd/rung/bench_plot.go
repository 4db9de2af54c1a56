package main

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	plotWidth   = 16 * vg.Centimeter
	plotHeight  = 12 * vg.Centimeter
	plotMargin  = 1.3               // factor between the data and the ends of an axis
	legendLines = 8                 // a longer legend stands beside the plot
	legendWidth = 7 * vg.Centimeter // there
)

// plotColors are told apart with any colour vision (Okabe & Ito).
var plotColors = [...]color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

var plotGlyphs = [...]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
}

// writePlot draws the time of an evaluation over the number of bodies, a line
// for each family and method, both axes logarithmic, in the format svg or png.
func writePlot(w io.Writer, records []record, format string) error {
	if len(records) == 0 {
		return errors.New("nothing measured, so nothing to plot")
	}
	p := plot.New()
	p.Title.Text = "One evaluation of the forward dynamics"
	p.X.Label.Text = "bodies"
	p.Y.Label.Text = "time"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = decades(shortCount)
	p.Y.Tick.Marker = decades(func(x float64) string { return duration(int64(math.Round(x))) })
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(8), vg.Points(-4)
	p.Legend.Padding = vg.Points(2.5)
	setFont(p)
	p.Add(plotter.NewGrid())
	all := groups(records)
	for i, l := range looks(all) {
		if err := addSeries(p, l, all[i]); err != nil {
			return err
		}
	}
	for _, a := range [...]*plot.Axis{&p.X, &p.Y} {
		a.Min, a.Max = a.Min/plotMargin, a.Max*plotMargin
	}
	addLinear(p)
	return drawTo(w, p, format, len(all) >= legendLines)
}

// drawTo writes p in a format, with the legend beside it or in it.
func drawTo(w io.Writer, p *plot.Plot, format string, beside bool) error {
	width := plotWidth
	if beside {
		width += legendWidth
	}
	to, err := draw.NewFormattedCanvas(width, plotHeight, format)
	if err != nil {
		return err
	}
	c := draw.New(to)
	if beside {
		legend := p.Legend
		legend.Left = true
		p.Legend = plot.NewLegend()
		legend.Draw(draw.Crop(c, plotWidth, 0, 0, -p.Title.Padding-p.Title.TextStyle.Font.Size))
		c = draw.Crop(c, 0, -legendWidth, 0, 0)
	}
	p.Draw(c)
	_, err = to.WriteTo(w)
	return err
}

// look is how a line is drawn.
type look struct {
	color color.RGBA
	glyph draw.GlyphDrawer
	thin  bool
}

// looks returns a look for each group: a colour a family and a glyph a method, or
// both by the one of which there are several. Where there are several methods, the lines of
// all but the sparse one are thin.
func looks(groups [][]record) []look {
	var families, methods []string
	place := func(list *[]string, name string) int {
		if i := slices.Index(*list, name); i >= 0 {
			return i
		}
		*list = append(*list, name)
		return len(*list) - 1
	}
	for _, g := range groups {
		place(&families, g[0].Family)
		place(&methods, g[0].Method)
	}
	list := make([]look, len(groups))
	for i, g := range groups {
		c, s := place(&families, g[0].Family), place(&methods, g[0].Method)
		if len(families) == 1 {
			c = s
		}
		if len(methods) == 1 {
			s = c + c/len(plotColors) // further families repeat the colours
		}
		list[i] = look{
			plotColors[c%len(plotColors)], plotGlyphs[s%len(plotGlyphs)], len(methods) > 1 && g[0].Method != sparseMethod,
		}
	}
	return list
}

// shortCount writes a number of bodies: 100, 10 k, 1 M.
func shortCount(x float64) string {
	n := int64(math.Round(x))
	switch {
	case n >= 1e6 && n%1e6 == 0:
		return strconv.FormatInt(n/1e6, 10) + " M"
	case n >= 1e4 && n%1e3 == 0:
		return strconv.FormatInt(n/1e3, 10) + " k"
	}
	return strconv.FormatInt(n, 10)
}

// setFont gives all texts a sans-serif face and sizes that suit the picture.
func setFont(p *plot.Plot) {
	set := func(f *font.Font, size float64) {
		f.Variant, f.Size = "Sans", vg.Points(size)
	}
	set(&p.Title.TextStyle.Font, 12)
	p.Title.Padding = vg.Points(8)
	set(&p.Legend.TextStyle.Font, 9)
	for _, a := range [...]*plot.Axis{&p.X, &p.Y} {
		set(&a.Label.TextStyle.Font, 10)
		set(&a.Tick.Label.Font, 9)
	}
}

// addSeries adds the line of a group.
func addSeries(p *plot.Plot, l look, group []record) error {
	xy := make(plotter.XYs, len(group))
	for k := range group {
		xy[k] = plotter.XY{X: float64(group[k].Bodies), Y: float64(max(group[k].TotalNs, 1))}
	}
	line, points, err := plotter.NewLinePoints(xy)
	if err != nil {
		return err
	}
	line.Color, line.Width = l.color, vg.Points(1.5)
	if l.thin {
		line.Width = vg.Points(0.75)
	}
	points.Color, points.Shape, points.Radius = l.color, l.glyph, vg.Points(3)
	p.Add(line, points)
	name := group[0].Family
	if f := fitOf(group); f.Exponent != nil {
		name = fmt.Sprintf("%s, %s: n^%.2f", name, group[0].Method, *f.Exponent)
	} else {
		name += ", " + group[0].Method
	}
	p.Legend.Add(name, line, points)
	return nil
}

// addLinear adds a grey line of linear growth through the middle of the plot.
func addLinear(p *plot.Plot) {
	mid := math.Sqrt(p.Y.Min*p.Y.Max) / math.Sqrt(p.X.Min*p.X.Max)
	lo, hi := max(p.X.Min, p.Y.Min/mid), min(p.X.Max, p.Y.Max/mid)
	line := &plotter.Line{
		XYs: plotter.XYs{{X: lo, Y: lo * mid}, {X: hi, Y: hi * mid}},
		LineStyle: draw.LineStyle{
			Color: color.Gray{0x99}, Width: vg.Points(0.75), Dashes: []vg.Length{vg.Points(4), vg.Points(3)},
		},
	}
	p.Add(line)
	p.Legend.Add("linear growth", line)
}

// decades marks the powers of ten with the text of the function, and their
// multiples without one. Where fewer than two powers are in sight, the ends
// are named too.
type decades func(x float64) string

// Ticks returns the marks from lo to hi.
func (d decades) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	named := 0
	for e := math.Floor(math.Log10(lo)); math.Pow(10, e) <= hi; e++ {
		for k := 1.0; k < 10; k++ {
			t := plot.Tick{Value: k * math.Pow(10, e)}
			if t.Value < lo || t.Value > hi {
				continue
			}
			if k == 1 {
				t.Label = d(t.Value)
				named++
			}
			ticks = append(ticks, t)
		}
	}
	if named < 2 {
		for i := range ticks {
			if k := ticks[i].Value / math.Pow(10, math.Floor(math.Log10(ticks[i].Value)+1e-9)); k < 5.5 {
				ticks[i].Label = d(ticks[i].Value)
			}
		}
	}
	return ticks
}
