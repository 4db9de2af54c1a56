package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// armTo returns the angle of an arm below the level and its rate, if the rod on its tip ends at d from its hinge, and that
// end moves with v. The arm turns in the plane of z and the unit vector out: with a from the hinge to the tip, |d − a| is the
// length of the rod.
func armTo(d, v, out vec, arm, rod float64) (angle, rate float64) {
	x, z := d.dot(out), d[2]
	// 2 d·a = |d|² + |a|² − rod², with a = arm·(cos out − sin ez)
	want := (d.dot(d) + arm*arm - rod*rod) / (2 * arm)
	far := math.Hypot(x, z)
	angle = math.Atan2(-z, x) - math.Acos(want/far)
	s, c := math.Sincos(angle)
	a, da := out.mul(arm*c).add(vec{2: -arm * s}), out.mul(-arm*s).add(vec{2: -arm * c})
	along := d.sub(a)
	return angle, along.dot(v) / along.dot(da)
}

// strut is a rod between two bodies. At the first it has a universal joint, whose first axis is one of that body, and at the
// other a ball.
type strut struct {
	names  [3]string // rod, universal, ball
	on     [2]int    // the bodies
	ends   [2]vec    // where, world
	hinge  vec       // unit, world, not along the rod
	mass   float64   // kg
	wide   float64   // m, of the square section that its moments are of
	radius float64   // m, as drawn
}

// strut appends the rod and its joints. They have seven rows for the six freedoms of the rod, so that the bodies lose one:
// the distance of its ends.
func (r *rig) strut(s *strut) {
	span := s.ends[1].sub(s.ends[0])
	length := span.norm()
	u := span.mul(1 / length)
	y := u.cross(s.hinge).unit()
	frame := place{s.ends[0], axes(y.cross(u), y, u)}
	// ω relative to the body is α·hinge + β·y, and turns u at the rate of the other end.
	w, va := r.twist(s.on[0]).w, r.velocity(s.on[0], s.ends[0])
	rate := r.velocity(s.on[1], s.ends[1]).sub(va).sub(w.cross(span)).mul(1 / length)
	w = w.add(s.hinge.mul(rate.dot(y) / s.hinge.cross(u).dot(y))).add(y.mul(rate.dot(y.cross(u))))
	rod := r.body(s.names[0], box(s.mass, vec{s.wide, s.wide, length}, vec{2: length / 2}), frame, twist{w, va})
	r.show(rod, cylinder, [3]float64{s.radius, length}, at(vec{2: length / 2}), blue)
	P := place{s.ends[0], axes(s.hinge, y, s.hinge.cross(y))}
	r.fit(s.names[1], model.Universal, s.on[0], rod, P, frame)
	r.fit(s.names[2], model.Spherical, rod, s.on[1], at(s.ends[1]), at(s.ends[1]))
}
