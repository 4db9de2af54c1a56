package main

import "github.com/rung-mbd/rung/internal/dd"

// rowKind is what a row says.
type rowKind uint8

const (
	meet  rowKind = iota // two points meet, along a world axis
	cross                // two axes are at right angles
	slide                // a point is in a plane that another body carries; of coordinates: how far
	turn                 // of coordinates: the angle about an axis that the first body carries
)

// row is an equation between two bodies, −1 the world, at each level: position, velocity, acceleration.
type row struct {
	kind   rowKind
	a, b   int
	pa, pb triple // points in the bodies
	ua, ub triple // axes in the bodies
	axis   int
}

// Levels of a row.
const (
	atPosition = iota
	atVelocity
	atAcceleration
)

// ground is the world.
var ground = solid{E: rotation([4]float64{1})}

func of(bodies []solid, i int) *solid {
	if i < 0 {
		return &ground
	}
	return &bodies[i]
}

// point is a point of a body at a level.
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

// direction is an axis of a body at a level.
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

// at is the row at a level: a value, its first or its second derivative by time. An angle has none at the level of positions.
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

// jacobian are the derivatives of the row by the velocities of its bodies, six numbers each, angular first. What moves them is still.
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
