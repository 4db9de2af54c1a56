package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// armTo returns the angle of an arm below the horizontal, rad, and its rate, rad/s, so that a rod from its tip ends at d, relative to
// the hinge of the arm; that end moves with the velocity v. The arm turns in the plane of z and the unit vector out. With the vector a
// from hinge to tip, |d − a| is the length of the rod. Of the two solutions it takes the solution with the tip farther out.
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

// strut is a rod between two bodies, with a universal joint at the first body, whose first axis is fixed in that body, and a ball at
// the other one.
type strut struct {
	names  [3]string // of the rod, the universal joint and the ball
	on     [2]int    // numbers of the bodies
	ends   [2]vec    // positions of its ends, world frame
	hinge  vec       // first axis of the universal joint: unit vector, world frame, not along the rod
	mass   float64   // kg
	wide   float64   // m, side of the square section with which its inertia is computed
	radius float64   // m, as drawn
}

// strut appends the rod and its joints. These have seven rows for the six freedoms of the rod, so that the bodies lose one freedom:
// the distance of the rod's ends.
func (r *rig) strut(s *strut) {
	P, S, t, length := r.rodBetween(s.on, s.ends, s.hinge)
	rod := r.body(s.names[0], box(s.mass, vec{s.wide, s.wide, length}, vec{2: length / 2}), S, t)
	r.show(rod, cylinder, [3]float64{s.radius, length}, at(vec{2: length / 2}), blue)
	r.fit(s.names[1], model.Universal, s.on[0], rod, P, S)
	r.fit(s.names[2], model.Spherical, rod, s.on[1], at(s.ends[1]), at(s.ends[1]))
}

// rodBetween returns the data for a rod between points of two bodies: the frames P and S of the universal joint at its first end,
// world frame, the motion of S, which is the frame of the rod with z along it, and its length. hinge is the first axis of the joint, which
// is fixed in the first body and not along the rod. The other end of the rod moves with the second body.
func (r *rig) rodBetween(on [2]int, ends [2]vec, hinge vec) (P, S place, t twist, length float64) {
	span := ends[1].sub(ends[0])
	length = span.norm()
	u := span.mul(1 / length)
	y := u.cross(hinge).unit()
	P, S = place{ends[0], axes(hinge, y, hinge.cross(y))}, place{ends[0], axes(y.cross(u), y, u)}
	w, v := r.twist(on[0]).w, r.velocity(on[0], ends[0])
	// Relative to the first body, the angular velocity of the rod is ω = α·hinge + β·y, and ω × u is the rate of u. y × u is perpendicular
	// to y, so α follows from the component of the rate along y, and β from the component along y × u.
	rate := r.velocity(on[1], ends[1]).sub(v).sub(w.cross(span)).mul(1 / length)
	alpha, beta := rate.dot(y)/hinge.cross(u).dot(y), rate.dot(y.cross(u))
	return P, S, twist{w.add(hinge.mul(alpha)).add(y.mul(beta)), v}, length
}
