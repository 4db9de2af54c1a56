package draw

import (
	"cmp"
	"math"
	"slices"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// facet is a flat convex polygon that faces the eye, in the picture. Its depth at x, y is plane[0]·x + plane[1]·y +
// plane[2], pixels towards the eye.
type facet struct {
	corners   []point
	plane     [3]float64
	color     scene.Color
	near, far float64 // its greatest and least depth
	rims      uint64  // the sides that are rims (rim), as bits; side k goes from corner k to the next
	lo, hi    point   // the box around it
}

// body is a convex solid as facets, or one triangle of a solid that is not convex.
type body struct {
	facets  []facet
	outline []point        // convex hull of the facets in the picture
	corners []spatial.Vec3 // of its facets, in the picture with their depths, each once
	lo, hi  point          // the box around it
	near    float64        // its greatest depth
	middle  float64        // the mean of its greatest and its least depth
	number  int32          // of the solid
	group   int32          // of the solid (groups)
}

// at returns the depth of the plane of f at a point of the picture.
func (f *facet) at(p point) float64 { return f.plane[0]*p[0] + f.plane[1]*p[1] + f.plane[2] }

// Numbers of corners of round solids.
const (
	fewestCorners = 6
	mostOfBalls   = 28
	mostOfWalls   = 48
)

// cornersOf returns the number of corners with which a circle of a radius in pixels is drawn: enough for an error of less than
// 0.15 pixels, but not more than most.
func cornersOf(pixels float64, most int) int {
	n := 2 * int(math.Ceil(math.Pi/math.Acos(1-min(0.15/max(pixels, 0.15), 1))/2))
	return min(max(n, fewestCorners), most)
}

// collector makes the facets of solids that face the eye.
type collector struct {
	cam    camera
	eye    spatial.Vec3    // direction towards it, world axes
	at     mechanism.Frame // of the shape that is added, in the world
	of     *scene.Shape    // the shape that is added
	bodies []body
	facets int            // of all bodies
	ring   []spatial.Vec3 // memory of cylinder
}

// shape adds a shape at st as the solid with a number; surface is the mesh of a scene.Surface.
func (c *collector) shape(s *scene.Shape, surface *scene.Mesh, st *mechanism.State, number int32) {
	c.at, c.of = s.Place(st), s
	if s.Kind == scene.Surface {
		c.surface(surface, number)
		return
	}
	c.begin(number)
	switch s.Kind {
	case scene.Box:
		c.box()
	case scene.Cylinder:
		c.cylinder(cornersOf(s.Size[0]*c.cam.scale, mostOfWalls))
	default:
		c.ball(cornersOf(s.Size[0]*c.cam.scale, mostOfBalls), s.Kind == scene.Capsule)
	}
	c.end()
}

// begin adds a body without facets.
func (c *collector) begin(number int32) { c.bodies = append(c.bodies, body{number: number}) }

// end completes the body added last, or removes it if it has no facets.
func (c *collector) end() {
	b := &c.bodies[len(c.bodies)-1]
	if len(b.facets) == 0 {
		c.bodies = c.bodies[:len(c.bodies)-1]
		return
	}
	c.facets += len(b.facets)
	far := math.Inf(1)
	b.near = math.Inf(-1)
	b.lo, b.hi = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	all := make([]point, 0, len(b.corners))
	for i := range b.facets {
		f := &b.facets[i]
		b.near, far = max(b.near, f.near), min(far, f.far)
		b.lo, b.hi = point{min(b.lo[0], f.lo[0]), min(b.lo[1], f.lo[1])}, point{max(b.hi[0], f.hi[0]), max(b.hi[1], f.hi[1])}
		all = append(all, f.corners...)
	}
	b.outline, b.middle = hull(all), (b.near+far)/2
	slices.SortFunc(b.corners, func(p, q spatial.Vec3) int {
		return cmp.Or(order(p[0], q[0]), order(p[1], q[1]), order(p[2], q[2]))
	})
	b.corners = slices.Compact(b.corners) // several facets share a corner
}

// add adds a polygon of the shape to the body added last, if it faces the eye. The corners and the normal n are in the frame of the
// shape.
func (c *collector) add(n spatial.Vec3, corners ...spatial.Vec3) {
	normal := c.at.E.MulVec(n)
	if normal.Dot(c.eye) <= 0 {
		return
	}
	world := make([]spatial.Vec3, len(corners))
	for k := range corners {
		world[k] = c.at.Origin.Add(c.at.E.MulVec(corners[k]))
	}
	c.polygon(world, normal, c.of.Color)
}

// edgeOn is the least cosine of the angle between a normal and the direction of the eye. Facets beyond are too thin to be seen.
const edgeOn = 1e-4

// polygon adds a polygon, in the world, to the body added last, unless it is too thin to be seen.
func (c *collector) polygon(world []spatial.Vec3, normal spatial.Vec3, col scene.Color) {
	m := c.cam.axes.MulVec(normal)
	if m[2] < edgeOn*m.Norm() {
		return
	}
	b := &c.bodies[len(c.bodies)-1]
	f := facet{corners: make([]point, 0, len(world)), color: c.cam.shade(col, normal), near: math.Inf(-1), far: math.Inf(1)}
	var middle spatial.Vec3
	from := len(b.corners)
	for _, p := range world {
		q := c.cam.project(p)
		b.corners = append(b.corners, q)
		f.corners = append(f.corners, point{q[0], q[1]})
		f.near, f.far = max(f.near, q[2]), min(f.far, q[2])
		middle = middle.Add(q.Scale(1 / float64(len(world))))
	}
	if area(f.corners) < 0 {
		slices.Reverse(f.corners)
	}
	if !(area(f.corners) > scrap) {
		b.corners = b.corners[:from]
		return
	}
	// The normal in the picture, where y points down, gives the plane through the middle.
	f.plane = [3]float64{-m[0] / m[2], m[1] / m[2], 0}
	f.plane[2] = middle[2] - f.plane[0]*middle[0] - f.plane[1]*middle[1]
	f.lo, f.hi = reach(f.corners)
	b.facets = append(b.facets, f)
}

// box adds the faces of a box. The size of the shape has its half edges.
func (c *collector) box() {
	h := c.of.Size
	for k := range 3 {
		for _, side := range [2]float64{-1, 1} {
			var n, o, u, v spatial.Vec3
			// The normal, the middle of the face, and its half edges.
			n[k], o[k], u[(k+1)%3], v[(k+2)%3] = side, side*h[k], h[(k+1)%3], h[(k+2)%3]
			c.add(n, o.Sub(u).Sub(v), o.Add(u).Sub(v), o.Add(u).Add(v), o.Sub(u).Add(v))
		}
	}
}

// around returns corner k of the regular polygon with n corners on the unit circle.
func around(k, n int) (cos, sin float64) {
	sin, cos = math.Sincos(2 * math.Pi * float64(k%n) / float64(n))
	return cos, sin
}

// cylinder adds the ends and the wall of a cylinder along z. The size of the shape has the radius at 0 and half the length at 2.
func (c *collector) cylinder(corners int) {
	r, h := c.of.Size[0], c.of.Size[2]
	for _, end := range [2]float64{-1, 1} {
		c.ring = c.ring[:0]
		for k := range corners {
			x, y := around(k, corners)
			c.ring = append(c.ring, spatial.Vec3{r * x, r * y, end * h})
		}
		c.add(spatial.Vec3{0, 0, end}, c.ring...)
	}
	c.wall(corners, [2]float64{r, -h}, [2]float64{r, h})
}

// wall adds the quadrangles between two circles about z; a and b are the radius and the height of each, with a the lower one. A circle
// of radius 0 makes them triangles.
func (c *collector) wall(corners int, a, b [2]float64) {
	for k := range corners {
		x, y := around(k, corners)
		u, v := around(k+1, corners)
		mx, my := x+u, y+v // the middle of the edge, outwards
		l := math.Hypot(mx, my)
		// The middle of an edge is nearer to the axis than the corners: l/2 of the radius.
		across := (b[0] - a[0]) * l / 2
		n := spatial.Vec3{mx / l * (b[1] - a[1]), my / l * (b[1] - a[1]), -across}
		low, high := spatial.Vec3{a[0] * x, a[0] * y, a[1]}, spatial.Vec3{b[0] * x, b[0] * y, b[1]}
		low2, high2 := spatial.Vec3{a[0] * u, a[0] * v, a[1]}, spatial.Vec3{b[0] * u, b[0] * v, b[1]}
		n = n.Scale(1 / n.Norm())
		switch {
		case a[0] == 0:
			c.add(n, low, high2, high)
		case b[0] == 0:
			c.add(n, low, low2, high)
		default:
			c.add(n, low, low2, high2, high)
		}
	}
}

// ball adds a sphere, or a capsule: two half spheres and the wall between them. corners is the number of corners of a circle.
func (c *collector) ball(corners int, capsule bool) {
	r, h := c.of.Size[0], 0.0
	if capsule {
		h = c.of.Size[2]
		c.wall(corners, [2]float64{r, -h}, [2]float64{r, h})
	}
	rings := (corners + 3) / 4
	circle := func(k int) (radius, height float64) {
		if k == rings {
			return 0, r
		}
		s, cos := math.Sincos(float64(k) * math.Pi / 2 / float64(rings))
		return r * cos, r * s
	}
	for k := range rings {
		r0, z0 := circle(k)
		r1, z1 := circle(k + 1)
		c.wall(corners, [2]float64{r0, h + z0}, [2]float64{r1, h + z1})
		c.wall(corners, [2]float64{r1, -h - z1}, [2]float64{r0, -h - z0})
	}
}

// surface adds the triangles of a mesh, a body each. It stops above maxPolygons facets.
func (c *collector) surface(m *scene.Mesh, number int32) {
	for _, t := range m.Triangles {
		if c.facets > maxPolygons {
			return
		}
		var p [3]spatial.Vec3
		for k := range p {
			m.PointTo(&p[k], c.of, int(t[k]))
		}
		n := p[1].Sub(p[0]).Cross(p[2].Sub(p[0]))
		if l := n.Norm(); l > 0 {
			c.begin(number)
			c.add(n.Scale(1/l), p[:]...)
			c.end()
		}
	}
}

// ground adds a triangle of a ground, which is drawn from both sides.
func (c *collector) ground(f *face) {
	n := f.normal
	if n.Dot(c.eye) < 0 {
		n = n.Scale(-1)
	}
	c.begin(f.solid)
	c.polygon(f.points, n, f.color)
	c.end()
}
