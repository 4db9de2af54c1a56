//go:build !small

package picture

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	sideWidth  = 24 * vg.Centimeter
	sideAspect = 7             // largest ratio of length to height of a row, with at most mostRows rows
	mostRows   = 6             // largest number of rows
	sideRoom   = 0.08          // free room above and below the lines, relative to their height
	keysRoom   = vg.Length(18) // height of the list of lines
)

// Side draws a profile with the same scale along both axes, in the format
// svg or png. Long profiles go on in rows below each other.
func Side(w io.Writer, format string, s *Profile) error {
	q := newSide(s)
	plots := make([]*plot.Plot, q.rows)
	heights := make([]vg.Length, q.rows)
	total := vg.Length(0)
	for k := range plots {
		plots[k] = q.plot(k)
		h, err := q.height(plots[k], format)
		if err != nil {
			return err
		}
		heights[k] = h
		total += h
	}
	to, err := draw.NewFormattedCanvas(sideWidth, total, format)
	if err != nil {
		return err
	}
	all := draw.New(to)
	top := all.Max.Y
	for k, p := range plots {
		c := draw.Canvas{Canvas: all.Canvas, Rectangle: all.Rectangle}
		c.Max.Y, c.Min.Y = top, top-heights[k]
		top -= heights[k]
		p.Draw(c)
		if k == 0 {
			q.keys(all, p.DataCanvas(c), p.Legend.TextStyle)
		}
	}
	_, err = to.WriteTo(w)
	return err
}

// side is a profile in rows.
type side struct {
	*Profile
	from, length float64 // start of the first row and length of each, m
	rows         int
	lowest       []float64 // height of the lower edge of each row, m
	size         float64   // height of a row, m
}

// newSide chooses the rows: the fewest that are no flatter than sideAspect, but at most mostRows.
func newSide(s *Profile) *side {
	q := &side{Profile: s}
	lo, hi := math.Inf(1), math.Inf(-1)
	s.each(func(at [2]float64) { lo, hi = min(lo, at[0]), max(hi, at[0]) })
	switch {
	case math.IsInf(lo, 0): // nothing to show, or nothing that is finite
		lo, hi = 0, 1
	case lo == hi:
		lo, hi = lo-0.5, lo+0.5
	}
	for q.rows = 1; ; q.rows++ {
		q.from, q.length = lo, (hi-lo)/float64(q.rows)
		q.measure()
		if q.rows == mostRows || q.length <= sideAspect*q.size {
			return q
		}
	}
}

// each calls visit with all points that are numbers.
func (s *Profile) each(visit func(at [2]float64)) {
	list := [][][2]float64{s.Ground}
	for i := range s.Lines {
		list = append(list, s.Lines[i].Points)
	}
	for i := range s.Outlines {
		list = append(list, s.Outlines[i].Points)
	}
	for i := range s.Notes {
		list = append(list, [][2]float64{s.Notes[i].At})
	}
	for _, l := range list {
		for _, at := range l {
			if at[0]+at[1] == at[0]+at[1] {
				visit(at)
			}
		}
	}
}

// measure finds the heights of the rows.
func (q *side) measure() {
	q.lowest = make([]float64, q.rows)
	highest := make([]float64, q.rows)
	for k := range q.lowest {
		q.lowest[k], highest[k] = math.Inf(1), math.Inf(-1)
	}
	q.each(func(at [2]float64) {
		k := min(max(int((at[0]-q.from)/q.length), 0), q.rows-1)
		q.lowest[k], highest[k] = min(q.lowest[k], at[1]), max(highest[k], at[1])
	})
	q.size = 0
	for k := range q.lowest {
		if q.lowest[k] > highest[k] {
			q.lowest[k], highest[k] = 0, 0
		}
		q.size = max(q.size, highest[k]-q.lowest[k])
	}
	q.size = max(q.size, 0.02*q.length)
	room := sideRoom * q.size
	q.size += 2 * room
	for k := range q.lowest {
		q.lowest[k] -= room
	}
}

// plot returns the plot of row k.
func (q *side) plot(k int) *plot.Plot {
	p := plot.New()
	setFont(p)
	if k == 0 {
		p.Title.Text = q.Title
		p.Title.Padding = keysRoom
	}
	if k == q.rows-1 {
		p.X.Label.Text = "along the track, m"
	}
	p.Y.Label.Text = "height, m"
	p.Add(&sidePlot{q.Profile, p.X.Tick.Label})
	p.X.Min, p.X.Max = q.from+float64(k)*q.length, q.from+float64(k+1)*q.length
	p.Y.Min, p.Y.Max = q.lowest[k], q.lowest[k]+q.size
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}

// keys writes the names of the lines, with samples, above the first row.
func (q *side) keys(c, data draw.Canvas, style draw.TextStyle) {
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	x, y := data.Min.X, data.Max.Y+keysRoom/2
	for i := range q.Lines {
		c.StrokeLine2(profileStyle(&q.Lines[i], i), x, y, x+vg.Points(20), y)
		c.FillText(style, vg.Point{X: x + vg.Points(24), Y: y}, q.Lines[i].Name)
		x += vg.Points(44) + style.Width(q.Lines[i].Name)
	}
}

// height returns the height at which row p has equal scales. A trial tells the room of title and axes.
func (q *side) height(p *plot.Plot, format string) (vg.Length, error) {
	const trial = 10 * vg.Centimeter
	to, err := draw.NewFormattedCanvas(sideWidth, trial, format)
	if err != nil {
		return 0, err
	}
	size := p.DataCanvas(draw.New(to)).Size()
	return trial - size.Y + size.X*vg.Length(q.size/q.length), nil
}

// profileStyle returns the style of line i.
func profileStyle(l *ProfileLine, i int) draw.LineStyle {
	s := draw.LineStyle{Color: plotColors[i%len(plotColors)], Width: vg.Points(1)}
	if l.Dashed {
		s.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
	}
	return s
}

// sidePlot plots a profile.
type sidePlot struct {
	s     *Profile
	style draw.TextStyle
}

// Plot implements plot.Plotter. It draws the ground, outlines, lines and notes.
func (p *sidePlot) Plot(c draw.Canvas, plt *plot.Plot) {
	to := transform(&c, plt)
	if n := len(p.s.Ground); n > 1 {
		first, last := p.s.Ground[0], p.s.Ground[n-1]
		deep := plt.Y.Min
		for _, at := range p.s.Ground {
			deep = min(deep, at[1])
		}
		earth := append(append([][2]float64{{first[0], deep}}, p.s.Ground...), [2]float64{last[0], deep})
		c.FillPolygon(color.RGBA{0xee, 0xdc, 0xb2, 0xff}, c.ClipPolygonXY(to(earth)))
		c.StrokeLines(draw.LineStyle{Color: color.RGBA{0x60, 0x50, 0x30, 0xff}, Width: vg.Points(1)}, c.ClipLinesXY(to(p.s.Ground))...)
	}
	drawOutlines(c, to, p.s.Outlines)
	for i := range p.s.Lines {
		c.StrokeLines(profileStyle(&p.s.Lines[i], i), c.ClipLinesXY(to(p.s.Lines[i].Points))...)
	}
	style := p.style
	style.Font.Size, style.XAlign, style.YAlign = vg.Points(8), draw.XCenter, draw.YBottom
	for _, n := range p.s.Notes {
		if at := to([][2]float64{n.At})[0]; c.ContainsX(at.X) && c.ContainsY(at.Y) {
			c.FillText(style, vg.Point{X: at.X, Y: at.Y + vg.Points(2)}, n.Text)
		}
	}
}
