package main

import "github.com/rung-mbd/rung/internal/dd"

// rowKind is the kind of an equation.
type rowKind uint8

const (
	meet  rowKind = iota // two points coincide in the direction of a world axis
	cross                // two axes are at right angles
	slide                // a point is in a plane fixed in the other body; as a coordinate: its distance from the plane
	turn                 // only as a coordinate: the angle about an axis fixed in the first body
)

// row is an equation between two bodies, or a coordinate, at each level: position, velocity, acceleration.
type row struct {
	kind   rowKind
	a, b   int    // numbers of the bodies; −1: the world
	pa, pb triple // points in the frames of the bodies
	ua, ub triple // axes in the frames of the bodies
	axis   int    // of meet: world axis
}

// The levels of a row: order of the derivative by time.
const (
	atPosition = iota
	atVelocity
	atAcceleration
)

// ground is the world.
var ground = solid{E: rotation([4]float64{1})}

// of returns the body i, or the world for −1.
func of(bodies []solid, i int) *solid {
	if i < 0 {
		return &ground
	}
	return &bodies[i]
}

// point returns the position, velocity or acceleration, by level, of the point p of a body; p is in the frame of the body.
func (s *solid) point(p triple, level int) triple {
	r := s.E.times(p.minus(s.com))
	switch level {
	case atPosition:
		return s.c.plus(r)
	case atVelocity:
		return s.v.plus(s.w.cross(r))
	}
	return s.a.plus(s.alpha.cross(r)).plus(s.w.cross(s.w.cross(r)))
}

// direction returns an axis u of a body, or its first or second derivative by time, by level; u is in the frame of the body.
func (s *solid) direction(u triple, level int) triple {
	n := s.E.times(u)
	switch level {
	case atPosition:
		return n
	case atVelocity:
		return s.w.cross(n)
	}
	return s.alpha.cross(n).plus(s.w.cross(s.w.cross(n)))
}

// at returns the value of the row, or its first or second derivative by time, by level. A row of kind turn has no value at the level
// of positions.
func (r *row) at(bodies []solid, level int) jet {
	a, b := of(bodies, r.a), of(bodies, r.b)
	gap := func(level int) triple { return b.point(r.pb, level).minus(a.point(r.pa, level)) }
	product := func(x, y func(level int) triple) jet {
		s := x(level).dot(y(0)).plus(x(0).dot(y(level)))
		switch level {
		case atPosition:
			return x(0).dot(y(0))
		case atAcceleration:
			m := x(1).dot(y(1))
			s = s.plus(m).plus(m)
		}
		return s
	}
	first := func(level int) triple { return a.direction(r.ua, level) }
	switch r.kind {
	case meet:
		return gap(level)[r.axis]
	case cross:
		return product(first, func(level int) triple { return b.direction(r.ub, level) })
	case slide:
		return product(first, gap)
	}
	rate := b.w.minus(a.w)
	if level == atVelocity {
		return first(0).dot(rate)
	}
	return first(0).dot(b.alpha.minus(a.alpha)).plus(first(1).dot(rate))
}

// jacobian returns the derivatives of the row at velocity level by the velocities of its two bodies, six numbers each, angular first.
// They are the row's rates for unit velocities of one body while the other one stands; for the world they are 0.
func (r *row) jacobian(bodies []solid) (J [2][6]jet) {
	for side, i := range [2]int{r.a, r.b} {
		if i < 0 {
			continue
		}
		pair := [2]solid{*of(bodies, r.a), *of(bodies, r.b)}
		local := *r
		local.a, local.b = 0, 1
		for k := range 6 {
			for s := range pair {
				pair[s].w, pair[s].v = triple{}, triple{}
			}
			if k < 3 {
				pair[side].w[k].v = dd.Of(1)
			} else {
				pair[side].v[k-3].v = dd.Of(1)
			}
			J[side][k] = local.at(pair[:], atVelocity)
		}
	}
	return J
}
