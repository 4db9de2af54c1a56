package draw

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

const (
	svgCorners = 16
	// MaxPolygons is the most an SVG has; of a mechanism with more, draw a PNG.
	MaxPolygons = 200_000
)

// SVG writes the picture of s at st as polygons.
//
// Cost: O(p log p) for p polygons that do not cut each other; those that do become more. It returns the errors of PNG, and one if there are more than MaxPolygons.
func SVG(ctx context.Context, w io.Writer, s *scene.Scene, st *mechanism.State, v View) error {
	cam, shapes, err := prepare(s, st, &v)
	if err != nil {
		return err
	}
	c := &collector{cam: cam, eye: cam.eye()}
	terrains(s, st, 24, func(f *face) { c.add(*f, true) })
	meshes := scene.NewMeshes(svgCorners)
	for i := range shapes {
		if len(c.faces) > MaxPolygons {
			break
		}
		c.shape(&shapes[i], s.Mesh(&shapes[i], meshes), st, int32(i))
	}
	t := &tree{ctx: ctx, cam: &c.cam}
	if err := t.sort(c.faces); err != nil {
		return err
	}
	return t.write(w, v)
}

// collector has the faces that are seen from the front.
type collector struct {
	cam    camera
	eye    spatial.Vec3
	faces  []face
	corner []spatial.Vec3
}

// shape adds the faces of a shape. Triangles in pairs that make a flat quadrangle stay as they are: the cuts are fewer than the pairs are worth.
func (c *collector) shape(s *scene.Shape, m *scene.Mesh, st *mechanism.State, number int32) {
	at := s.Place(st)
	c.corner = c.corner[:0]
	for i := range m.Points {
		var p spatial.Vec3
		m.PointTo(&p, s, i)
		c.corner = append(c.corner, at.Origin.Add(at.E.MulVec(p)))
	}
	for _, t := range m.Triangles {
		p := []spatial.Vec3{c.corner[t[0]], c.corner[t[1]], c.corner[t[2]]}
		n := p[1].Sub(p[0]).Cross(p[2].Sub(p[0]))
		if l := n.Norm(); l > 0 {
			c.add(face{points: p, normal: n.Scale(1 / l), color: s.Color, solid: number}, false)
		}
	}
}

func (c *collector) add(f face, both bool) {
	if f.normal.Dot(c.eye) <= 0 {
		if !both {
			return
		}
	}
	f.color = c.cam.shade(f.color, f.normal)
	c.faces = append(c.faces, f)
}

// tree is a binary space partition (Fuchs, Kedem & Naylor 1980), walked from the farthest to the nearest while it is built: what lies behind the plane of the first face, this
// face, then what lies before it. out has the faces in that order.
type tree struct {
	ctx context.Context
	cam *camera
	out []face
	n   int // faces so far, cut ones too
}

// pending is a set of faces still to be sorted, or one to be drawn.
type pending struct {
	faces []face
	drawn bool
}

// sort fills out. The stack is its own, as trees of faces can be as deep as there are faces.
func (t *tree) sort(faces []face) error {
	t.n = len(faces)
	stack := []pending{{faces: faces}}
	eye := t.cam.eye()
	for looks := 0; len(stack) > 0; looks++ {
		if looks&255 == 0 && t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
		if t.n > MaxPolygons {
			return fmt.Errorf("draw: more than %d polygons in an SVG; write a .png", MaxPolygons)
		}
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case len(p.faces) == 0:
		case p.drawn || len(p.faces) == 1:
			t.out = append(t.out, p.faces...)
		default:
			k := t.choose(p.faces)
			front, on, back := t.split(p.faces, k)
			if p.faces[k].normal.Dot(eye) < 0 {
				front, back = back, front
			}
			stack = append(stack, pending{faces: front}, pending{faces: on, drawn: true}, pending{faces: back})
		}
	}
	return nil
}

// candidates is how many planes are tried at each place of the tree.
const candidates = 12

// choose returns the number of a face whose plane cuts few others: the best of some that are spread over the list. Of equal ones it takes the one
// that parts the others most evenly.
func (t *tree) choose(faces []face) int {
	best, least := 0, math.MaxInt
	n := min(candidates, len(faces))
	for c := range n {
		k := (2*c + 1) * len(faces) / (2 * n)
		cuts, front, back := t.count(faces, &faces[k], least)
		if uneven := max(front-back, back-front); 8*cuts+uneven < least {
			best, least = k, 8*cuts+uneven
		}
	}
	return best
}

// count returns how many faces a plane cuts and how many lie before and behind it. It may end when 8 times the cuts reach enough.
func (t *tree) count(faces []face, plane *face, enough int) (cuts, front, back int) {
	base, n := plane.points[0], plane.normal
	eps := t.eps()
	for i := range faces {
		above, below := false, false
		for _, p := range faces[i].points {
			x := n.Dot(p.Sub(base))
			above, below = above || x > eps, below || x < -eps
		}
		switch {
		case above && below:
			if cuts++; 8*cuts >= enough {
				return cuts, front, back
			}
		case above:
			front++
		case below:
			back++
		}
	}
	return cuts, front, back
}

// eps is the distance, m, up to which a point is on a plane: far below a pixel.
func (t *tree) eps() float64 { return 1e-3 / t.cam.scale }

// split parts the faces by the plane of number k.
func (t *tree) split(faces []face, k int) (front, on, back []face) {
	plane := &faces[k]
	base, n := plane.points[0], plane.normal
	eps := t.eps()
	var d []float64
	for i := range faces {
		f := &faces[i]
		d = d[:0]
		above, below := false, false
		for _, p := range f.points {
			x := n.Dot(p.Sub(base))
			above, below = above || x > eps, below || x < -eps
			d = append(d, x)
		}
		switch {
		case !above && !below:
			on = append(on, *f)
		case !below:
			front = append(front, *f)
		case !above:
			back = append(back, *f)
		default:
			a, b := cut(f, d)
			front, back = append(front, a), append(back, b)
			t.n++
		}
	}
	return front, on, back
}

// cut parts a face where the distances d of its corners from a plane change their sign.
func cut(f *face, d []float64) (above, below face) {
	above, below = *f, *f
	above.points, below.points = nil, nil
	for k, p := range f.points {
		if d[k] >= 0 {
			above.points = append(above.points, p)
		}
		if d[k] <= 0 {
			below.points = append(below.points, p)
		}
		next := (k + 1) % len(f.points)
		if d[k]*d[next] < 0 {
			x := p.Add(f.points[next].Sub(p).Scale(d[k] / (d[k] - d[next])))
			above.points, below.points = append(above.points, x), append(below.points, x)
		}
	}
	return above, below
}

// write writes the faces. Each has a thin line of its own colour, which closes the gaps that renderers leave between neighbours.
func (t *tree) write(w io.Writer, v View) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", v.Width, v.Height, v.Width, v.Height)
	back := scene.Color{255, 255, 255}
	if v.Background != nil {
		back = *v.Background
	}
	fmt.Fprintf(b, "<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n<g stroke-width=\"0.4\" stroke-linejoin=\"round\">\n", hex(back))
	for i := range t.out {
		f := &t.out[i]
		b.WriteString("<path d=\"")
		for k, p := range f.points {
			q := t.cam.project(p)
			fmt.Fprintf(b, "%c%.1f %.1f", "ML"[min(k, 1)], q[0], q[1])
		}
		c := hex(f.color)
		fmt.Fprintf(b, "Z\" fill=\"%s\" stroke=\"%s\"/>\n", c, c)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Flush()
}

func hex(c scene.Color) string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }
