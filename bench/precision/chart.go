package main

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// Sizes of a picture, in its units.
const (
	chartWidth, chartHeight = 880, 520
	plotLeft, plotRight     = 76, 620
	plotTop, plotBottom     = 48, 462
	legendLeft, legendLine  = 640, 22
	radius                  = 4.0   // of a mark
	worstDrawn              = 1.0   // largest drawn error; a run with a larger one follows another motion
	leastDrawn              = 1e-16 // smaller errors are drawn here, as the axis is logarithmic
)

// chart is the picture of a mechanism: error over processor time, on logarithmic axes.
type chart struct {
	m              *diagram
	x0, x1, y0, y1 int // exponents of ten at the ends of the axes
	out            strings.Builder
}

// newChart finds the ends of the axes.
func newChart(m *diagram) *chart {
	c := &chart{m: m, x0: math.MaxInt, x1: math.MinInt, y0: math.MaxInt, y1: math.MinInt}
	for i := range m.Series {
		for _, r := range drawn(&m.Series[i]) {
			x, y := math.Log10(r.Seconds), math.Log10(max(r.Error, leastDrawn))
			c.x0, c.x1 = min(c.x0, int(math.Floor(x))), max(c.x1, int(math.Ceil(x)))
			c.y0, c.y1 = min(c.y0, int(math.Floor(y))), max(c.y1, int(math.Ceil(y)))
		}
	}
	if c.x0 > c.x1 { // nothing is drawn
		c.x0, c.x1, c.y0, c.y1 = -3, 0, -9, 0
	}
	c.x1, c.y1 = max(c.x1, c.x0+1), max(c.y1, c.y0+1)
	return c
}

// drawn returns the runs of a series that are in the picture.
func drawn(s *series) (list []run) {
	for _, r := range s.Runs {
		if r.Failure == "" && r.Error <= worstDrawn {
			list = append(list, r)
		}
	}
	return list
}

// x returns the place of a processor time, s, in the picture.
func (c *chart) x(seconds float64) float64 {
	return plotLeft + (plotRight-plotLeft)*(math.Log10(seconds)-float64(c.x0))/float64(c.x1-c.x0)
}

// y returns the place of an error in the picture.
func (c *chart) y(e float64) float64 {
	return plotBottom - (plotBottom-plotTop)*(math.Log10(max(e, leastDrawn))-float64(c.y0))/float64(c.y1-c.y0)
}

// colours are the colours of lines on light and on dark paper.
var colours = [][2]string{
	{"#1f5fb4", "#7ab3ff"}, {"#c2410c", "#ff9d5c"}, {"#15803d", "#5fd38a"}, {"#a21caf", "#ee8cf5"}, {"#8a6100", "#e6c04a"},
	{"#475569", "#b6c2d1"}, {"#b91c1c", "#ff8a8a"}, {"#0f766e", "#4fd6c9"}, {"#6d28d9", "#bda4ff"}, {"#9d174d", "#ff8fc0"},
}

// dashes are the dash patterns of lines by engine.
var dashes = map[string]string{beside.Ours: "", "Simbody": "8 4", "MuJoCo": "2 4"}

// svg returns the picture. It has a background and colours for light and for dark pages.
func (c *chart) svg() string {
	c.out.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" font-family="system-ui, sans-serif" font-size="13" role="img" `)
	fmt.Fprintf(&c.out, `viewBox="0 0 %d %d" width="%[1]d" height="%[2]d">`+"\n", chartWidth, chartHeight)
	fmt.Fprintf(&c.out, "<title>%s: error over processor time</title>\n", html.EscapeString(c.m.Title))
	c.style()
	fmt.Fprintf(&c.out, `<rect class="paper" width="%d" height="%d"/>`+"\n", chartWidth, chartHeight)
	fmt.Fprintf(&c.out, `<text x="%d" y="26" font-size="16" font-weight="600">%s</text>`+"\n", plotLeft, html.EscapeString(c.m.Title))
	c.axes()
	row := 0
	for i := range c.m.Series {
		if c.line(i, row) {
			row++
		}
	}
	c.notDrawn(row)
	c.out.WriteString("</svg>\n")
	return c.out.String()
}

// style writes the style sheet: colours of lines and of the background, light and dark.
func (c *chart) style() {
	light, dark := &strings.Builder{}, &strings.Builder{}
	for i, pair := range colours {
		fmt.Fprintf(light, ".s%d{stroke:%s;fill:%s}", i, pair[0], pair[0])
		fmt.Fprintf(dark, ".s%d{stroke:%s;fill:%s}", i, pair[1], pair[1])
	}
	c.out.WriteString("<style>.paper{fill:#ffffff}text{fill:#1c2430}.grid{stroke:#d9dee6}.frame{stroke:#5b6675;fill:none}")
	fmt.Fprintf(&c.out, ".line{fill:none;stroke-width:1.8}%s\n", light)
	c.out.WriteString("@media(prefers-color-scheme:dark){.paper{fill:#12161d}text{fill:#e4e9f0}")
	fmt.Fprintf(&c.out, ".grid{stroke:#2d3541}.frame{stroke:#8b97a8}%s}\n.line{fill:none}</style>\n", dark)
}

// axes draws the frame, lines at powers of ten with labels, of the errors at most about 12, and the titles of the axes.
func (c *chart) axes() {
	for k := c.x0; k <= c.x1; k++ {
		x := c.x(math.Pow10(k))
		fmt.Fprintf(&c.out, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, x, x, plotTop, plotBottom)
		fmt.Fprintf(&c.out, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, plotBottom+20, timeLabel(k))
	}
	every := 1 + (c.y1-c.y0)/12
	for k := c.y0; k <= c.y1; k++ {
		if (k-c.y0)%every != 0 {
			continue
		}
		y := c.y(math.Pow10(k))
		fmt.Fprintf(&c.out, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, plotLeft, plotRight, y, y)
		fmt.Fprintf(&c.out, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", plotLeft-8, y+4, powerLabel(k))
	}
	fmt.Fprintf(&c.out, `<rect class="frame" x="%d" y="%d" width="%d" height="%d"/>`+"\n",
		plotLeft, plotTop, plotRight-plotLeft, plotBottom-plotTop)
	fmt.Fprintf(&c.out, `<text x="%d" y="%d" text-anchor="middle">processor time of %s s of motion</text>`+"\n",
		(plotLeft+plotRight)/2, plotBottom+44, beside.Number(c.m.Seconds))
	fmt.Fprintf(&c.out, `<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">largest error, relative</text>`+"\n",
		(plotTop+plotBottom)/2)
}

// timeLabel returns the time 10ᵏ s with a unit, such as "10 ms".
func timeLabel(k int) string {
	units := []struct {
		power int
		name  string
	}{{0, "s"}, {-3, "ms"}, {-6, "µs"}, {-9, "ns"}}
	for _, u := range units {
		if k >= u.power {
			return fmt.Sprintf("%.0f %s", math.Pow10(k-u.power), u.name)
		}
	}
	return powerLabel(k) + " s"
}

// powerLabel returns 10ᵏ as SVG text.
func powerLabel(k int) string {
	return fmt.Sprintf(`10<tspan dy="-5" font-size="10">%s</tspan>`, strings.Replace(fmt.Sprint(k), "-", "−", 1))
}

// line draws series i and its row of the legend. It returns false, and draws nothing, if none of its runs can be drawn.
func (c *chart) line(i, row int) bool {
	s := &c.m.Series[i]
	list := drawn(s)
	if len(list) == 0 {
		return false
	}
	class := i % len(colours)
	dash := ""
	if d := dashes[s.Engine]; d != "" {
		dash = fmt.Sprintf(` stroke-dasharray="%s"`, d)
	}
	var path strings.Builder
	for _, r := range list {
		fmt.Fprintf(&path, "%.1f,%.1f ", c.x(r.Seconds), c.y(r.Error))
	}
	fmt.Fprintf(&c.out, `<polyline class="s%d line"%s points="%s"/>`+"\n", class, dash, strings.TrimSpace(path.String()))
	for _, r := range list {
		c.mark(class, i, c.x(r.Seconds), c.y(r.Error))
	}
	y := plotTop + 10 + row*legendLine
	fmt.Fprintf(&c.out, `<line class="s%d line"%s x1="%d" x2="%d" y1="%d" y2="%d"/>`, class, dash, legendLeft, legendLeft+34, y, y)
	c.mark(class, i, legendLeft+17, float64(y))
	fmt.Fprintf(&c.out, `<text x="%d" y="%d">%s</text>`+"\n", legendLeft+42, y+5, html.EscapeString(s.name()))
	return true
}

// mark draws one of five shapes, the number shape modulo 5, in the colour of a class.
func (c *chart) mark(class, shape int, x, y float64) {
	const r = radius
	switch shape % 5 {
	case 0:
		fmt.Fprintf(&c.out, `<circle class="s%d" cx="%.1f" cy="%.1f" r="%.1f"/>`, class, x, y, r)
	case 1:
		fmt.Fprintf(&c.out, `<rect class="s%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, class, x-r+0.5, y-r+0.5, 2*r-1, 2*r-1)
	case 2:
		fmt.Fprintf(&c.out, `<path class="s%d" d="M%.1f %.1fl%.1f %.1fh%.1fz"/>`, class, x, y-r, r, 1.8*r, -2*r)
	case 3:
		fmt.Fprintf(&c.out, `<path class="s%d" d="M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz"/>`, class, x, y-r-1, r, r+1, -r, r+1, -r, -r-1)
	default:
		fmt.Fprintf(&c.out, `<path class="s%d" d="M%.1f %.1fh%.1fl%.1f %.1fz"/>`, class, x-r, y-r+1, 2*r, -r, 1.8*r)
	}
	c.out.WriteString("\n")
}

// notDrawn lists the series without a drawn run below the legend, from the given row on.
func (c *chart) notDrawn(row int) {
	said := false
	for i := range c.m.Series {
		if len(drawn(&c.m.Series[i])) > 0 {
			continue
		}
		y := plotTop + 15 + row*legendLine
		if !said {
			said = true
			y += 10
			fmt.Fprintf(&c.out, `<text x="%d" y="%d" font-style="italic">no point, see the table:</text>`+"\n", legendLeft, y)
			row, y = row+1, y+legendLine
		} else {
			y += 10
		}
		fmt.Fprintf(&c.out, `<text x="%d" y="%d">%s</text>`+"\n", legendLeft, y, html.EscapeString(c.m.Series[i].name()))
		row++
	}
}
