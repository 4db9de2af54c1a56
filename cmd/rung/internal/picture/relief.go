//go:build !small

package picture

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
)

const (
	reliefNodes   = 72          // along the longer side
	normalEvery   = 6           // distance of normals, nodes
	reliefDepth   = 0.55        // length in the picture of a unit along y
	reliefAngle   = math.Pi / 5 // of y in the picture, rad
	flattest      = 0.08        // ratio of height to longer side below which heights are exaggerated
	reliefNormals = 0.05        // length of normals relative to the longer side
)

// reliefPlot draws a surface in oblique projection, from the far side to the near one.
type reliefPlot struct {
	t        *Terrain
	r        *raster
	lo, hi   float64
	stretch  float64 // of heights
	longSide float64
	style    draw.TextStyle
}

// Relief draws a terrain in oblique projection in the format svg or png: lengths along x and heights are true, and y
// goes up to the right. Heights of flat terrains are exaggerated, by a factor in the title. Normals and tracks are on the
// surface as it is drawn, and nearer parts hide them.
func Relief(w io.Writer, format string, t *Terrain) error {
	p := plot.New()
	p.Title.Text = t.Title
	setFont(p)
	p.HideAxes()
	r := newRaster(t, reliefNodes)
	q := &reliefPlot{t: t, r: r, stretch: 1, longSide: max(t.Max[0]-t.Min[0], t.Max[1]-t.Min[1]), style: p.X.Tick.Label}
	var flat bool
	q.lo, q.hi, flat = r.bounds()
	if s := flattest * q.longSide / (q.hi - q.lo); s > 1 && !flat {
		q.stretch = roundUp(s)
		p.Title.Text += fmt.Sprintf("\nheights × %s", sheet.Digits3(q.stretch))
	}
	p.Add(q)
	return drawScaled(w, p, format, 0, func(draw.Canvas, draw.Canvas) {})
}

// project returns the position of a point in the picture, m.
func (p *reliefPlot) project(x, y, z float64) (u, v float64) {
	d := reliefDepth * (y - p.t.Min[1])
	return x - p.t.Min[0] + d*math.Cos(reliefAngle), (z-p.lo)*p.stretch + d*math.Sin(reliefAngle)
}

// DataRange implements plot.DataRanger: the bounds of the picture, with room for the texts of sides.
func (p *reliefPlot) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmax, ymax = p.project(p.t.Max[0], p.t.Max[1], p.hi)
	room := 0.06 * p.longSide
	return -room / 3, xmax + 2*room, -room, ymax + room
}

// Plot implements plot.Plotter. It draws the strips of cells from the far one to the near one, each with its tracks, wall and normals.
func (p *reliefPlot) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	at := func(px, py, pz float64) vg.Point {
		u, v := p.project(px, py, pz)
		return vg.Point{X: x(u), Y: y(v)}
	}
	for j := p.r.ny - 2; j >= 0; j-- {
		for i := range p.r.nx - 1 {
			p.cell(c, at, i, j)
		}
		p.tracks(c, at, j)
		p.wall(c, at, [2]int{p.r.nx - 1, j}, [2]int{p.r.nx - 1, j + 1}, 0.7)
		if p.t.Normals && j%normalEvery == normalEvery/2 {
			p.normals(c, at, j)
		}
	}
	for i := range p.r.nx - 1 {
		p.wall(c, at, [2]int{i, 0}, [2]int{i + 1, 0}, 0.85)
	}
	p.sides(c, at)
}

// wall draws the vertical wall below an edge of the surface, from node a to node b.
func (p *reliefPlot) wall(c draw.Canvas, at func(x, y, z float64) vg.Point, a, b [2]int, shade float64) {
	ax, ay := p.r.place(float64(a[0]), float64(a[1]))
	bx, by := p.r.place(float64(b[0]), float64(b[1]))
	az, bz := p.r.z[a[1]*p.r.nx+a[0]], p.r.z[b[1]*p.r.nx+b[0]]
	if az+bz != az+bz { // NaN
		return
	}
	fill := color.Gray{uint8(0xe0 * shade)}
	pts := []vg.Point{at(ax, ay, p.lo), at(bx, by, p.lo), at(bx, by, bz), at(ax, ay, az)}
	c.FillPolygon(fill, pts)
	c.StrokeLines(draw.LineStyle{Color: fill, Width: vg.Points(0.3)}, append(pts, pts[0]))
}

// cell draws the cell between the nodes (i, j) and (i+1, j+1) with the colour of its mean height, shaded by light from the left, the
// front and above. A cell with a corner without height is not drawn; at projects a point to the picture.
func (p *reliefPlot) cell(c draw.Canvas, at func(x, y, z float64) vg.Point, i, j int) {
	var pts []vg.Point
	mean := 0.0
	for _, d := range [...][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
		px, py := p.r.place(float64(i+d[0]), float64(j+d[1]))
		z := p.r.z[(j+d[1])*p.r.nx+i+d[0]]
		mean += z / 4
		pts = append(pts, at(px, py, z))
	}
	if mean != mean { // NaN
		return
	}
	px, py := p.r.place(float64(i)+0.5, float64(j)+0.5)
	_, fx, fy := p.t.Height(px, py)
	fx, fy = fx*p.stretch, fy*p.stretch
	shade := 1.0
	if s := math.Sqrt(1 + fx*fx + fy*fy); s == s {
		// 0.62 of ambient light, and 0.45 times the cosine between the normal (−fx, −fy, 1)/s and the light's direction
		// (−0.6, −0.3, 0.74).
		shade = 0.62 + 0.45*(0.6*fx+0.3*fy+0.74)/s
	}
	fill := tint((mean-p.lo)/(p.hi-p.lo), shade)
	c.FillPolygon(fill, pts)
	edge := color.RGBA{fill.R / 10 * 8, fill.G / 10 * 8, fill.B / 10 * 8, 0xff}
	c.StrokeLines(draw.LineStyle{Color: edge, Width: vg.Points(0.3)}, append(pts, pts[0]))
}

// tracks draws the parts of tracks on strip j of cells.
func (p *reliefPlot) tracks(c draw.Canvas, at func(x, y, z float64) vg.Point, j int) {
	_, south := p.r.place(0, float64(j))
	_, north := p.r.place(0, float64(j+1))
	for i, t := range p.t.Tracks {
		style := trackStyle(i)
		for k := range t.Points {
			if k == 0 {
				continue
			}
			a, b := t.Points[k-1], t.Points[k]
			lo, hi := min(a[1], b[1]), max(a[1], b[1])
			if hi < south || lo >= north {
				continue
			}
			from, to := share(a[1], b[1], south), share(a[1], b[1], north)
			if from > to {
				from, to = to, from
			}
			p.piece(c, at, style, along(a, b, from), along(a, b, to))
		}
	}
}

// share returns the position of y between a and b, from 0 to 1.
func share(a, b, y float64) float64 {
	if a == b {
		if y <= a {
			return 0
		}
		return 1
	}
	return min(max((y-a)/(b-a), 0), 1)
}

// along returns the point at a share u of the way from a to b.
func along(a, b [2]float64, u float64) [2]float64 {
	return [2]float64{a[0] + u*(b[0]-a[0]), a[1] + u*(b[1]-a[1])}
}

// piece draws a straight piece of a track from a to b on the surface, unless one of them has no height.
func (p *reliefPlot) piece(c draw.Canvas, at func(x, y, z float64) vg.Point, style draw.LineStyle, a, b [2]float64) {
	za, zb := p.r.at(a[0], a[1]), p.r.at(b[0], b[1])
	if za+zb != za+zb { // NaN
		return
	}
	p0, p1 := at(a[0], a[1], za), at(b[0], b[1], zb)
	c.StrokeLine2(style, p0.X, p0.Y, p1.X, p1.Y)
}

// normals draws normals at nodes of row j.
func (p *reliefPlot) normals(c draw.Canvas, at func(x, y, z float64) vg.Point, j int) {
	style := draw.LineStyle{Color: color.RGBA{0x80, 0x20, 0x20, 0xff}, Width: vg.Points(0.9)}
	for i := normalEvery / 2; i < p.r.nx; i += normalEvery {
		px, py := p.r.place(float64(i), float64(j))
		z, fx, fy := p.t.Height(px, py)
		fx, fy = fx*p.stretch, fy*p.stretch
		l := reliefNormals * p.longSide / math.Sqrt(1+fx*fx+fy*fy)
		if l*z != l*z { // NaN
			continue
		}
		foot, tip := at(px, py, z), at(px-l*fx, py-l*fy, z+l/p.stretch)
		c.StrokeLine2(style, foot.X, foot.Y, tip.X, tip.Y)
		c.DrawGlyph(draw.GlyphStyle{Color: style.Color, Radius: vg.Points(1), Shape: draw.CircleGlyph{}}, foot)
	}
}

// sides writes the ranges of x and y beside the sides.
func (p *reliefPlot) sides(c draw.Canvas, at func(x, y, z float64) vg.Point) {
	style := p.style
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	text := func(name string, k int) string {
		return fmt.Sprintf("%s from %s to %s m", name, sheet.Short(p.t.Min[k]), sheet.Short(p.t.Max[k]))
	}
	front := at((p.t.Min[0]+p.t.Max[0])/2, p.t.Min[1], p.lo)
	c.FillText(style, vg.Point{X: front.X, Y: front.Y - vg.Points(4)}, text("x", 0))
	right := at(p.t.Max[0], (p.t.Min[1]+p.t.Max[1])/2, p.lo)
	style.Rotation, style.YAlign = reliefAngle, draw.YTop
	c.FillText(style, vg.Point{X: right.X + vg.Points(6), Y: right.Y - vg.Points(6)}, text("y", 1))
}
