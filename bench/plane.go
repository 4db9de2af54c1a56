package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// pivot is a point with its velocity, both in the frame of a plane; it moves at a constant depth z.
type pivot struct{ p, v vec }

// still returns a point of the plane with the velocity 0.
func still(x, y float64) pivot { return pivot{p: vec{x, y}} }

// deep returns the point at the depth z.
func (a pivot) deep(z float64) pivot {
	a.p[2] = z
	return a
}

// meet returns the point at the distances r from a and s from b, to the right of the line from a to b, with the velocity that keeps
// both distances. The circles have to cross; otherwise the result is NaN.
func meet(a pivot, r float64, b pivot, s float64) pivot {
	line := b.p.sub(a.p)
	n := line.norm()
	along := (r*r - s*s + n*n) / (2 * n)
	x := line.mul(1 / n)
	side := vec{x[1], -x[0]}
	p := a.p.add(x.mul(along)).add(side.mul(math.Sqrt(r*r - along*along)))
	// (p − a)·(v − va) = 0 and (p − b)·(v − vb) = 0
	d, e := p.sub(a.p), p.sub(b.p)
	k, l := d.dot(a.v), e.dot(b.v)
	det := d[0]*e[1] - d[1]*e[0]
	return pivot{p, vec{(k*e[1] - l*d[1]) / det, (d[0]*l - e[0]*k) / det}}
}

// plane is the plane of a linkage: its frame, whose z axis is perpendicular to the plane, and the motion of this frame.
type plane struct {
	x place
	t twist
}

// upright returns the plane of the world's x and z at rest: its y axis is the world's z, its z axis the world's −y.
func upright() *plane { return &plane{x: place{q: turn(vec{1}, math.Pi/2)}} }

// point returns the position of a in the world.
func (c *plane) point(a pivot) vec { return c.x.point(a.p) }

// frame returns a frame in the world at the point a with the axes of the plane.
func (c *plane) frame(a pivot) place { return place{c.point(a), c.x.q} }

// bar appends a body whose frame is at the point a, with x towards the point b and z perpendicular to the plane, and which moves with
// both points. It returns the number of the body.
func (r *rig) bar(c *plane, name string, g solid, a, b pivot) int {
	d := b.p.sub(a.p)
	turned := turn(vec{2: 1}, math.Atan2(d[1], d[0]))
	rate := d.cross(b.v.sub(a.v)).mul(1 / d.dot(d))
	x := c.x.then(place{a.p, turned})
	t := twist{c.t.w.add(c.x.q.apply(rate)), c.t.shift(x.p.sub(c.x.p)).add(c.x.q.apply(a.v))}
	return r.body(name, g, x, t)
}

// hinge appends a revolute joint with its axis perpendicular to the plane at the point a; its coordinate starts at 0.
func (r *rig) hinge(c *plane, name string, pred, succ int, a pivot) *model.Joint {
	x := c.frame(a)
	return r.fit(name, model.Revolute, pred, succ, x, x)
}

// trussRadius is the radius of the rods of a truss, m.
const trussRadius = 0.01

// truss returns a body of rods between pairs of points, with the density, kg/m, and the radius trussRadius.
func truss(density float64, ends ...[2]vec) solid {
	var mass float64
	var com vec
	for _, e := range ends {
		m := density * e[1].sub(e[0]).norm()
		mass += m
		com = com.add(e[0].add(e[1]).mul(m / 2))
	}
	com = com.mul(1 / mass)
	var g model.Inertia
	for _, e := range ends {
		d := e[1].sub(e[0])
		m := density * d.norm()
		r := e[0].add(e[1]).mul(0.5).sub(com)
		// Second moments of the rod about the centre of mass: m/12·d dᵀ along it, m/4·ρ², as of a disc, taken in all directions, and
		// m·r rᵀ for the distance of its middle.
		xx := m*(d[0]*d[0]/12+r[0]*r[0]) + m/4*trussRadius*trussRadius
		yy := m*(d[1]*d[1]/12+r[1]*r[1]) + m/4*trussRadius*trussRadius
		zz := m*(d[2]*d[2]/12+r[2]*r[2]) + m/4*trussRadius*trussRadius
		g.XX, g.YY, g.ZZ = g.XX+yy+zz, g.YY+zz+xx, g.ZZ+xx+yy
		g.XY -= m * (d[0]*d[1]/12 + r[0]*r[1])
		g.XZ -= m * (d[0]*d[2]/12 + r[0]*r[2])
		g.YZ -= m * (d[1]*d[2]/12 + r[1]*r[2])
	}
	return solid{mass, com, g}
}
