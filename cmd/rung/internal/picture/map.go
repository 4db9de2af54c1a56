//go:build !small

package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
)

const (
	mapPixels    = 600  // colours along the longer side
	contourNodes = 300  // heights along the longer side, for contours
	contourLines = 12   // about so many contours
	arrowsAcross = 18   // along the longer side
	besideLevel  = 1e-4 // added to the height of a contour, relative to all heights, so that it does not follow rounding on level ground
	barWidth     = vg.Length(12)
	barRoom      = vg.Length(34) // width of the scale without its texts
	leastSide    = 4 * vg.Centimeter
	mostSide     = 28 * vg.Centimeter
)

// tints are the colours of heights, from low to high. They become lighter, so that dark lines can be read on them.
var tints = [...]color.RGBA{
	{0x3d, 0x6e, 0x9e, 0xff}, {0x56, 0xa0, 0xa6, 0xff}, {0x8c, 0xc0, 0x8a, 0xff}, {0xd3, 0xd9, 0x8f, 0xff}, {0xee, 0xdc, 0xb2, 0xff}, {0xfb, 0xf5, 0xee, 0xff},
}

// tint returns the colour at a share of the heights from 0 to 1, with its brightness multiplied by shade.
func tint(share, shade float64) color.RGBA {
	u := min(max(share, 0), 1) * float64(len(tints)-1)
	i := min(int(u), len(tints)-2)
	mix := func(a, b uint8) uint8 {
		return uint8(min(max(shade*(float64(a)+(u-float64(i))*(float64(b)-float64(a))), 0), 255) + 0.5)
	}
	a, b := tints[i], tints[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// Map draws a terrain from above in the format svg or png: heights as colours and as contours with their heights, the gradient
// as arrows if t asks for it, tracks with their names, and outlines.
func Map(w io.Writer, format string, t *Terrain) error {
	p := plot.New()
	p.Title.Text = t.Title
	p.X.Label.Text, p.Y.Label.Text = "x, m", "y, m"
	setFont(p)
	r := newRaster(t, contourNodes)
	lo, hi, _ := r.bounds()
	p.Add(plotter.NewImage(heat(t, lo, hi), t.Min[0], t.Min[1], t.Max[0], t.Max[1]))
	style := p.X.Tick.Label
	style.Font.Size, style.XAlign, style.YAlign = vg.Points(7), draw.XCenter, draw.YCenter
	list, decimals := levels(lo, hi, contourLines)
	if t.Gradient {
		arrows, longest := newArrows(t)
		p.Add(arrows)
		p.Title.Text += fmt.Sprintf("\narrows uphill, the longest a slope of %s", sheet.Digits2(longest))
	}
	p.Add(&contourPlot{r: r, levels: list, decimals: decimals, style: style})
	if len(t.Tracks)+len(t.Outlines) > 0 {
		p.Add(&drivePlot{t})
	}
	room := roomOfBar(style, list, decimals, " m")
	names := room
	if len(t.Tracks) > 0 {
		room += trackRoom(t, p.Legend.TextStyle)
	}
	return drawScaled(w, p, format, room, func(c, data draw.Canvas) {
		drawBar(c, data, style, &bar{lo, hi, list, decimals, " m"})
		drawTracks(c, data, t, names, p.Legend.TextStyle)
	})
}

// heat returns the colours of a terrain with heights from lo to hi; it is transparent where there is no height.
func heat(t *Terrain, lo, hi float64) image.Image {
	r := newRaster(t, mapPixels)
	img := image.NewRGBA(image.Rect(0, 0, r.nx, r.ny))
	for k, z := range r.z {
		if z == z {
			img.SetRGBA(k%r.nx, r.ny-1-k/r.nx, tint((z-lo)/(hi-lo), 1))
		}
	}
	return img
}

// drawScaled writes p in a format with the same scale along both axes, unless the height of the data would be below leastSide or above
// mostSide. beside draws on the free room at the right.
func drawScaled(w io.Writer, p *plot.Plot, format string, room vg.Length, beside func(c, data draw.Canvas)) error {
	height := vg.Length(plotWidth) // of a trial, which tells the room of title and axes
	trial, err := draw.NewFormattedCanvas(plotWidth, height, format)
	if err != nil {
		return err
	}
	size := p.DataCanvas(draw.Crop(draw.New(trial), 0, -room, 0, 0)).Size()
	ratio := (p.Y.Max - p.Y.Min) / (p.X.Max - p.X.Min)
	wanted := min(max(size.X*vg.Length(ratio), leastSide), mostSide)
	to, err := draw.NewFormattedCanvas(plotWidth, height+wanted-size.Y, format)
	if err != nil {
		return err
	}
	all := draw.New(to)
	c := draw.Crop(all, 0, -room, 0, 0)
	p.Draw(c)
	beside(all, p.DataCanvas(c))
	return writeImages(w, format, to)
}

// writeImages writes a canvas that has one image, and mends the image in an SVG.
func writeImages(w io.Writer, format string, from io.WriterTo) error {
	var b bytes.Buffer
	if _, err := from.WriteTo(&b); err != nil {
		return err
	}
	text := b.Bytes()
	if format == "svg" {
		// The canvas calls its PNG image a JPEG, which some programs refuse, and
		// keeps its aspect ratio even if the scales of the axes differ.
		text = bytes.Replace(text, []byte("data:image/jpg;base64,"), []byte("data:image/png;base64,"), 1)
		text = bytes.Replace(text, []byte("<image "), []byte(`<image preserveAspectRatio="none" `), 1)
	}
	_, err := w.Write(text)
	return err
}

// bar is a scale of colours with the levels that are marked.
type bar struct {
	lo, hi   float64
	levels   []float64
	decimals int
	unit     string // behind each level, with the space
}

// roomOfBar returns the width of a scale and its texts.
func roomOfBar(style draw.TextStyle, levels []float64, decimals int, unit string) (room vg.Length) {
	for _, z := range levels {
		room = max(room, barRoom+style.Width(levelText(z, decimals)+unit))
	}
	return room
}

// drawBar draws a scale of colours, with its levels, to the right of the data.
func drawBar(c, data draw.Canvas, style draw.TextStyle, b *bar) {
	const steps = 128
	left := data.Max.X + vg.Points(12)
	height := data.Max.Y - data.Min.Y
	y := func(share float64) vg.Length { return data.Min.Y + height*vg.Length(share) }
	for k := range steps { // each up to the top, over the ones before, so that no seams are visible
		from, top := y(float64(k)/steps), data.Max.Y
		c.FillPolygon(tint((float64(k)+0.5)/steps, 1), []vg.Point{{X: left, Y: from}, {X: left + barWidth, Y: from}, {X: left + barWidth, Y: top}, {X: left, Y: top}})
	}
	line := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
	style.XAlign = draw.XLeft
	for _, z := range b.levels {
		at := y((z - b.lo) / (b.hi - b.lo))
		c.StrokeLine2(line, left+barWidth, at, left+barWidth+vg.Points(3), at)
		c.FillText(style, vg.Point{X: left + barWidth + vg.Points(5), Y: at}, levelText(z, b.decimals)+b.unit)
	}
}

// contourPlot draws contours with their heights.
type contourPlot struct {
	r        *raster
	levels   []float64
	decimals int
	style    draw.TextStyle
	x, y     []float64 // positions of the columns and rows of the raster; nil: its own
}

// Plot implements plot.Plotter. It draws all lines, with gaps for the texts of their heights.
func (p *contourPlot) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	line := draw.LineStyle{Color: color.RGBA{0x20, 0x20, 0x20, 0xff}, Width: vg.Points(0.6)}
	var taken []vg.Point
	lo, hi, _ := p.r.bounds()
	for _, z := range p.levels {
		text := levelText(z, p.decimals)
		width := p.style.Width(text) + vg.Points(4)
		for _, places := range p.r.contours(z + besideLevel*(hi-lo)) {
			pts := make([]vg.Point, len(places))
			for i, at := range places {
				if p.x != nil {
					at = [2]float64{between(p.x, at[0]), between(p.y, at[1])}
				}
				pts[i] = vg.Point{X: x(at[0]), Y: y(at[1])}
			}
			label, ok := labelPlace(pts, width, &c.Rectangle, taken)
			if !ok {
				c.StrokeLines(line, pts)
				continue
			}
			taken = append(taken, label.at)
			c.StrokeLines(line, label.before, label.behind)
			style := p.style
			style.Rotation = label.angle
			c.FillText(style, label.at, text)
		}
	}
}

// label is the text of a contour: its middle and its angle, rad, and the parts of the line before and behind it.
type label struct {
	at             vg.Point
	angle          float64
	before, behind []vg.Point
}

// labelPlace looks for a nearly straight part of a line for a text of a width, within area and away from the texts at taken. ok is false
// if there is none.
func labelPlace(pts []vg.Point, width vg.Length, area *vg.Rectangle, taken []vg.Point) (_ label, ok bool) {
	along := make([]vg.Length, len(pts))
	for i := range pts[1:] {
		along[i+1] = along[i] + distance(pts[i], pts[i+1])
	}
	total := along[len(along)-1]
	if total < 4*width { // the text would replace much of the line
		return label{}, false
	}
	// The middle is tried first, then places farther and farther from it.
	for _, share := range [...]vg.Length{0.5, 0.38, 0.62, 0.26, 0.74, 0.15, 0.85} {
		l := cutLine(pts, along, share*total-width/2, share*total+width/2)
		a, b := l.before[len(l.before)-1], l.behind[0]
		l.at = vg.Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}
		// If the line bends there, the distance of the ends of the gap is less than its length.
		if distance(a, b) < 0.9*width || !apart(l.at, width, area, taken) {
			continue
		}
		l.angle = math.Atan2(float64(b.Y-a.Y), float64(b.X-a.X))
		if math.Abs(l.angle) > math.Pi/2 {
			l.angle -= math.Copysign(math.Pi, l.angle)
		}
		return l, true
	}
	return label{}, false
}

const (
	// labelHalf is half the extent of a text at any angle, with a margin, relative to its width.
	labelHalf = 0.6
	// labelApart is the least distance between the middles of two texts, relative to the width of one.
	labelApart = 1.3
)

// apart reports whether a text of a width with its middle at a point is within the area and away from the texts at taken.
func apart(at vg.Point, width vg.Length, area *vg.Rectangle, taken []vg.Point) bool {
	half := labelHalf * width
	if at.X-half < area.Min.X || at.X+half > area.Max.X || at.Y-half < area.Min.Y || at.Y+half > area.Max.Y {
		return false
	}
	for _, t := range taken {
		if distance(at, t) < labelApart*width {
			return false
		}
	}
	return true
}

// cutLine returns the parts of a line before the length from and behind the length to. along has the length of the line up to each point.
func cutLine(pts []vg.Point, along []vg.Length, from, to vg.Length) (l label) {
	for i, p := range pts {
		if i > 0 {
			q, step := pts[i-1], along[i]-along[i-1]
			at := func(s vg.Length) vg.Point {
				u := (s - along[i-1]) / step
				return vg.Point{X: q.X + u*(p.X-q.X), Y: q.Y + u*(p.Y-q.Y)}
			}
			if along[i-1] < from && along[i] >= from {
				l.before = append(l.before, at(from))
			}
			if along[i-1] < to && along[i] >= to {
				l.behind = append(l.behind, at(to))
			}
		}
		if along[i] < from {
			l.before = append(l.before, p)
		} else if along[i] > to {
			l.behind = append(l.behind, p)
		}
	}
	return l
}

// distance returns the distance of two points.
func distance(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y)))
}

// arrows plots arrows between points.
type arrows struct {
	from, to [][2]float64
}

// newArrows returns the gradients of a terrain at the middles of a grid, and the largest slope. The longest arrow is as long as the grid is
// wide.
func newArrows(t *Terrain) (*arrows, float64) {
	grid := newRaster(t, arrowsAcross+1)
	var list arrows
	longest := 0.0
	var slopes [][2]float64
	for j := range grid.ny - 1 {
		for i := range grid.nx - 1 {
			x, y := grid.place(float64(i)+0.5, float64(j)+0.5)
			_, fx, fy := t.Height(x, y)
			if s := math.Hypot(fx, fy); s > 0 && s == s {
				list.from, slopes = append(list.from, [2]float64{x, y}), append(slopes, [2]float64{fx, fy})
				longest = max(longest, s)
			}
		}
	}
	x0, y0 := grid.place(0, 0)
	x1, y1 := grid.place(1, 1)
	scale := min(x1-x0, y1-y0) / longest
	for k, s := range slopes {
		list.to = append(list.to, [2]float64{list.from[k][0] + scale*s[0], list.from[k][1] + scale*s[1]})
	}
	return &list, longest
}

// Plot implements plot.Plotter.
func (a *arrows) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	style := draw.LineStyle{Color: color.RGBA{0x80, 0x20, 0x20, 0xff}, Width: vg.Points(0.8)}
	for k := range a.from {
		p, q := vg.Point{X: x(a.from[k][0]), Y: y(a.from[k][1])}, vg.Point{X: x(a.to[k][0]), Y: y(a.to[k][1])}
		c.StrokeLines(style, c.ClipLinesXY([]vg.Point{p, q})...)
		if length := distance(p, q); length > 1 && c.Contains(q) {
			head := min(vg.Points(3.5), 0.5*length) / length
			d, n := vg.Point{X: (q.X - p.X) * head, Y: (q.Y - p.Y) * head}, vg.Point{X: -(q.Y - p.Y) * head, Y: (q.X - p.X) * head}
			c.FillPolygon(style.Color, []vg.Point{q, {X: q.X - d.X + 0.4*n.X, Y: q.Y - d.Y + 0.4*n.Y}, {X: q.X - d.X - 0.4*n.X, Y: q.Y - d.Y - 0.4*n.Y}})
		}
	}
}
