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
	reliefNodes   = 72   // of the longer side
	normalEvery   = 6    // nodes
	reliefDepth   = 0.55 // of a length along y in the picture
	reliefAngle   = math.Pi / 5
	flattest      = 0.08 // height over the longer side, below which heights are drawn larger
	reliefNormals = 0.05 // length of normals over the longer side
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

// Relief draws a terrain in oblique projection in the format svg or png: lengths along x and heights are true, those
// along y go up to the right. Flat terrains have their heights drawn larger, which the title says. Normals stand on the
// surface as drawn, and tracks lie on it; what is nearer hides them.
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

// project returns where a point stands in the picture, m.
func (p *reliefPlot) project(x, y, z float64) (u, v float64) {
	d := reliefDepth * (y - p.t.Min[1])
	return x - p.t.Min[0] + d*math.Cos(reliefAngle), (z-p.lo)*p.stretch + d*math.Sin(reliefAngle)
}

// DataRange returns the bounds of the picture, with room for the lengths of the sides.
func (p *reliefPlot) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmax, ymax = p.project(p.t.Max[0], p.t.Max[1], p.hi)
	room := 0.06 * p.longSide
	return -room / 3, xmax + 2*room, -room, ymax + room
}

// Plot draws strips of cells, the far ones first, each with its normals.
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

// wall draws what is below an edge of the surface, from node to node.
func (p *reliefPlot) wall(c draw.Canvas, at func(x, y, z float64) vg.Point, a, b [2]int, shade float64) {
	ax, ay := p.r.place(float64(a[0]), float64(a[1]))
	bx, by := p.r.place(float64(b[0]), float64(b[1]))
	az, bz := p.r.z[a[1]*p.r.nx+a[0]], p.r.z[b[1]*p.r.nx+b[0]]
	if az+bz != az+bz {
		return
	}
	fill := color.Gray{uint8(0xe0 * shade)}
	pts := []vg.Point{at(ax, ay, p.lo), at(bx, by, p.lo), at(bx, by, bz), at(ax, ay, az)}
	c.FillPolygon(fill, pts)
	c.StrokeLines(draw.LineStyle{Color: fill, Width: vg.Points(0.3)}, append(pts, pts[0]))
}

// cell draws a cell with the colour of its height in the light from the left.
func (p *reliefPlot) cell(c draw.Canvas, at func(x, y, z float64) vg.Point, i, j int) {
	var pts []vg.Point
	mean := 0.0
	for _, d := range [...][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
		px, py := p.r.place(float64(i+d[0]), float64(j+d[1]))
		z := p.r.z[(j+d[1])*p.r.nx+i+d[0]]
		mean += z / 4
		pts = append(pts, at(px, py, z))
	}
	if mean != mean {
		return
	}
	px, py := p.r.place(float64(i)+0.5, float64(j)+0.5)
	_, fx, fy := p.t.Height(px, py)
	fx, fy = fx*p.stretch, fy*p.stretch
	shade := 1.0
	if s := math.Sqrt(1 + fx*fx + fy*fy); s == s {
		shade = 0.62 + 0.45*(0.6*fx+0.3*fy+0.74)/s // light from the left, the front and above
	}
	fill := tint((mean-p.lo)/(p.hi-p.lo), shade)
	c.FillPolygon(fill, pts)
	edge := color.RGBA{fill.R / 10 * 8, fill.G / 10 * 8, fill.B / 10 * 8, 0xff}
	c.StrokeLines(draw.LineStyle{Color: edge, Width: vg.Points(0.3)}, append(pts, pts[0]))
}

// tracks draws what of them lies on a strip of cells.
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

// share returns how far between a and b y is, from 0 to 1.
func share(a, b, y float64) float64 {
	if a == b {
		if y <= a {
			return 0
		}
		return 1
	}
	return min(max((y-a)/(b-a), 0), 1)
}

// along returns the place of a share of the way from a to b.
func along(a, b [2]float64, u float64) [2]float64 {
	return [2]float64{a[0] + u*(b[0]-a[0]), a[1] + u*(b[1]-a[1])}
}

// piece draws a straight piece of a track on the cells as drawn.
func (p *reliefPlot) piece(c draw.Canvas, at func(x, y, z float64) vg.Point, style draw.LineStyle, a, b [2]float64) {
	za, zb := p.r.at(a[0], a[1]), p.r.at(b[0], b[1])
	if za+zb != za+zb {
		return
	}
	p0, p1 := at(a[0], a[1], za), at(b[0], b[1], zb)
	c.StrokeLine2(style, p0.X, p0.Y, p1.X, p1.Y)
}

// normals draws those of a line of nodes.
func (p *reliefPlot) normals(c draw.Canvas, at func(x, y, z float64) vg.Point, j int) {
	style := draw.LineStyle{Color: color.RGBA{0x80, 0x20, 0x20, 0xff}, Width: vg.Points(0.9)}
	for i := normalEvery / 2; i < p.r.nx; i += normalEvery {
		px, py := p.r.place(float64(i), float64(j))
		z, fx, fy := p.t.Height(px, py)
		fx, fy = fx*p.stretch, fy*p.stretch
		l := reliefNormals * p.longSide / math.Sqrt(1+fx*fx+fy*fy)
		if l*z != l*z {
			continue
		}
		foot, tip := at(px, py, z), at(px-l*fx, py-l*fy, z+l/p.stretch)
		c.StrokeLine2(style, foot.X, foot.Y, tip.X, tip.Y)
		c.DrawGlyph(draw.GlyphStyle{Color: style.Color, Radius: vg.Points(1), Shape: draw.CircleGlyph{}}, foot)
	}
}

// sides writes what the sides are long.
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
