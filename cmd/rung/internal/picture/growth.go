//go:build !small

package picture

import (
	"image/color"
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
	plotHeight  = 12 * vg.Centimeter
	plotMargin  = 1.3 // factor between the data and the ends of an axis
	legendLines = 8   // number of lines from which the legend is beside the plot
)

var plotGlyphs = [...]draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
}

// Growth draws the time of an evaluation over the number of bodies, both axes logarithmic, in the format svg or png.
// There must be at least one line, and each must have a point.
func Growth(w io.Writer, format string, lines []Line) error {
	p := plot.New()
	p.Title.Text = "One evaluation of the forward dynamics"
	p.X.Label.Text = "bodies"
	p.Y.Label.Text = "time"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = decades(shortCount)
	p.Y.Tick.Marker = decades(func(x float64) string { return sheet.Duration(int64(math.Round(x))) })
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(8), vg.Points(-4)
	p.Legend.Padding = vg.Points(2.5)
	setFont(p)
	p.Add(plotter.NewGrid())
	for i, l := range looks(lines) {
		if err := addLine(p, l, &lines[i]); err != nil {
			return err
		}
	}
	for _, a := range [...]*plot.Axis{&p.X, &p.Y} {
		a.Min, a.Max = a.Min/plotMargin, a.Max*plotMargin
	}
	addLinear(p)
	return drawTo(w, p, format, len(lines) >= legendLines)
}

// drawTo writes p in a format, with the legend beside the plot or within it.
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

// look is the colour and the glyph of a line.
type look struct {
	color color.RGBA
	glyph draw.GlyphDrawer
}

// looks returns a look for each line: the colour stands for the family and the glyph for the method. If
// there is only one family, or only one method, both stand for the other.
func looks(lines []Line) []look {
	var families, methods []string
	place := func(list *[]string, name string) int {
		if i := slices.Index(*list, name); i >= 0 {
			return i
		}
		*list = append(*list, name)
		return len(*list) - 1
	}
	for i := range lines {
		place(&families, lines[i].Family)
		place(&methods, lines[i].Method)
	}
	list := make([]look, len(lines))
	for i := range lines {
		c, s := place(&families, lines[i].Family), place(&methods, lines[i].Method)
		if len(families) == 1 {
			c = s
		}
		if len(methods) == 1 {
			s = c + c/len(plotColors) // further families repeat the colours
		}
		list[i] = look{plotColors[c%len(plotColors)], plotGlyphs[s%len(plotGlyphs)]}
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

// addLine adds the line l with its look, and its entry in the legend.
func addLine(p *plot.Plot, how look, l *Line) error {
	xy := make(plotter.XYs, len(l.Bodies))
	for k := range xy {
		xy[k] = plotter.XY{X: l.Bodies[k], Y: l.Time[k]}
	}
	line, points, err := plotter.NewLinePoints(xy)
	if err != nil {
		return err
	}
	line.Color, line.Width = how.color, vg.Points(1.5)
	if l.Thin {
		line.Width = vg.Points(0.75)
	}
	points.Color, points.Shape, points.Radius = how.color, how.glyph, vg.Points(3)
	p.Add(line, points)
	p.Legend.Add(l.Name, line, points)
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

// decades is a marker of logarithmic axes. It marks the powers of ten with the text
// that the function returns, and their multiples without text. If fewer than two powers
// are on the axis, multiples up to 5 have texts too.
type decades func(x float64) string

// Ticks implements plot.Ticker.
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
