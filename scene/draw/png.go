package draw

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// oversampling is the number of samples of a pixel along each side.
const oversampling = 2

// PNG writes the picture of s at st.
//
// Cost: O(pixels + triangles). It returns an error for a view that is out of range or a mechanism without finite extent, the
// cause for which ctx has ended, and the errors of w.
func PNG(ctx context.Context, w io.Writer, s *scene.Scene, st *mechanism.State, v View) error {
	if ctx == nil {
		panic("rung: nil context")
	}
	on, all, err := prepare(s, st, &v)
	if err != nil {
		return err
	}
	r := newRaster(on.cam, v)
	terrains(s, &on, groundNodes, func(f *face) { r.face(f) })
	if err := r.draw(ctx, s, st, all); err != nil {
		return err
	}
	img := image.NewNRGBA(image.Rect(0, 0, v.Width, v.Height))
	r.each(func(x, y int, c scene.Color) { img.SetNRGBA(x, y, color.NRGBA{R: c[0], G: c[1], B: c[2], A: 255}) })
	return png.Encode(w, img)
}

// groundNodes is the number of nodes of the ground along a side.
const groundNodes = 96

// raster has a colour, a depth and the number of a solid at each sample.
type raster struct {
	cam           camera
	width, height int
	depth         []float32
	solid         []int32
	group         []int32 // of each solid
	color         []scene.Color
	back          scene.Color
	meshes        *scene.Meshes
	corner        []spatial.Vec3 // of the shape being drawn: pixels and depth
	shades        []scene.Color  // of its vertices
}

// nothing is the number of the solid at a sample that none covers.
const nothing = math.MinInt32

// newRaster returns an empty picture, oversampling times as wide and high as the view.
func newRaster(cam camera, v View) *raster {
	r := &raster{cam: cam, width: oversampling * v.Width, height: oversampling * v.Height, back: scene.Color{255, 255, 255}, meshes: scene.NewMeshes(48)}
	if v.Background != nil {
		r.back = *v.Background
	}
	r.cam.scale *= oversampling
	r.cam.width *= oversampling
	r.cam.height *= oversampling
	n := r.width * r.height
	r.depth, r.solid, r.color = make([]float32, n), make([]int32, n), make([]scene.Color, n)
	for i := range r.depth {
		r.depth[i], r.solid[i] = float32(math.Inf(-1)), nothing
	}
	return r
}

// copy copies all samples of a raster of the same size.
func (r *raster) copy(from *raster) {
	copy(r.depth, from.depth)
	copy(r.solid, from.solid)
	copy(r.color, from.color)
}

// draw draws all solids at st over the present samples. It returns the cause for which ctx has ended.
func (r *raster) draw(ctx context.Context, s *scene.Scene, st *mechanism.State, all solids) error {
	r.group = all.group
	for i := range all.shapes {
		if i&1023 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.shape(&all.shapes[i], s.Mesh(&all.shapes[i], r.meshes), st, int32(i))
	}
	return nil
}

// shape draws a shape with its mesh m as the solid with a number.
func (r *raster) shape(s *scene.Shape, m *scene.Mesh, st *mechanism.State, number int32) {
	at := s.Place(st)
	r.corner, r.shades = r.corner[:0], r.shades[:0]
	for i := range m.Points {
		var p spatial.Vec3
		m.PointTo(&p, s, i)
		r.corner = append(r.corner, r.cam.project(at.Origin.Add(at.E.MulVec(p))))
		r.shades = append(r.shades, r.cam.shade(s.Color, at.E.MulVec(m.Normals[i])))
	}
	for _, t := range m.Triangles {
		r.triangle([3]*spatial.Vec3{&r.corner[t[0]], &r.corner[t[1]], &r.corner[t[2]]},
			[3]scene.Color{r.shades[t[0]], r.shades[t[1]], r.shades[t[2]]}, number, false)
	}
}

// face draws a triangle of one shade from both sides.
func (r *raster) face(f *face) {
	var p [3]spatial.Vec3
	for k := range p {
		p[k] = r.cam.project(f.points[k])
	}
	c := r.cam.shade(f.color, f.normal)
	r.triangle([3]*spatial.Vec3{&p[0], &p[1], &p[2]}, [3]scene.Color{c, c, c}, f.solid, true)
}

// triangle draws the samples of a triangle that are nearer than all drawn before. p are its corners in the picture with their
// depths, and c their colours, between which it interpolates (barycentric coordinates). Unless both sides are drawn, a triangle
// that turns away is not.
func (r *raster) triangle(p [3]*spatial.Vec3, c [3]scene.Color, number int32, both bool) {
	a, b, d := p[0], p[1], p[2]
	area := (b[0]-a[0])*(d[1]-a[1]) - (b[1]-a[1])*(d[0]-a[0]) // negative towards the eye, as y points down
	if area == 0 || area > 0 && !both || math.IsNaN(area) {
		return
	}
	y0, y1 := span(min(a[1], b[1], d[1]), max(a[1], b[1], d[1]), r.height)
	for y := y0; y < y1; y++ {
		v := float64(y) + 0.5
		lo, hi := across(p, v)
		x0, x1 := span(lo-1, hi+1, r.width) // rounding may leave a sample at a side outside
		for x := x0; x < x1; x++ {
			u := float64(x) + 0.5
			wa := ((b[0]-u)*(d[1]-v) - (b[1]-v)*(d[0]-u)) / area
			wb := ((d[0]-u)*(a[1]-v) - (d[1]-v)*(a[0]-u)) / area
			wd := 1 - wa - wb
			if wa < 0 || wb < 0 || wd < 0 {
				continue
			}
			z := float32(wa*a[2] + wb*b[2] + wd*d[2])
			i := y*r.width + x
			if z <= r.depth[i] {
				continue
			}
			r.depth[i], r.solid[i] = z, number
			for k := range 3 {
				r.color[i][k] = uint8(wa*float64(c[0][k]) + wb*float64(c[1][k]) + wd*float64(c[2][k]) + 0.5)
			}
		}
	}
}

// across returns the range of x in which a triangle meets the line y = v; lo is greater than hi if it does not.
func across(p [3]*spatial.Vec3, v float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for k := range p {
		a, b := p[k], p[(k+1)%3]
		if a[1] == v {
			lo, hi = min(lo, a[0]), max(hi, a[0])
		}
		if (a[1] < v) != (b[1] < v) {
			x := a[0] + (v-a[1])/(b[1]-a[1])*(b[0]-a[0])
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return lo, hi
}

// span returns the samples whose middles lie between lo and hi, within the picture.
func span(lo, hi float64, n int) (from, to int) {
	return int(math.Min(math.Max(math.Floor(lo), 0), float64(n))), int(math.Min(math.Max(math.Ceil(hi), 0), float64(n)))
}

// each calls set with each pixel of the picture: the mean of its samples, which are darker along the edges of solids.
func (r *raster) each(set func(x, y int, c scene.Color)) {
	const n = oversampling * oversampling
	for y := range r.height / oversampling {
		for x := range r.width / oversampling {
			var sum [3]int
			for dy := range oversampling {
				for dx := range oversampling {
					c := r.sample(oversampling*x+dx, oversampling*y+dy)
					for k := range c {
						sum[k] += int(c[k])
					}
				}
			}
			set(x, y, scene.Color{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n)})
		}
	}
}

// sample returns the colour of a sample, darker if it is an edge.
func (r *raster) sample(x, y int) scene.Color {
	i := y*r.width + x
	if r.solid[i] == nothing {
		return r.back
	}
	c := r.color[i]
	if r.edge(x, y) {
		for k := range c {
			c[k] = uint8(int(c[k]) * 45 / 100)
		}
	}
	return c
}

// apart is the least difference in depth between two solids of one group with an edge between them, in samples.
const apart = 6

// edge reports whether one of the four neighbours of a sample shows another solid farther back, or nothing.
func (r *raster) edge(x, y int) bool {
	i := y*r.width + x
	me := r.solid[i]
	if me < 0 {
		return false // the ground has no line
	}
	behind := func(k int) bool {
		other := r.solid[k]
		if other == me || other == nothing {
			return other == nothing
		}
		if other >= 0 && r.group[other] == r.group[me] {
			return r.depth[k] < r.depth[i]-apart
		}
		return r.depth[k] < r.depth[i]
	}
	return x > 0 && behind(i-1) || x+1 < r.width && behind(i+1) || y > 0 && behind(i-r.width) || y+1 < r.height && behind(i+r.width)
}
