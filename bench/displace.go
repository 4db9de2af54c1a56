package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// displacement is the state of a joint: pose and motion of the successor frame S relative to the predecessor frame P, and the
// scalar coordinates q and rates qd of the freedoms that have them.
type displacement struct {
	x  place // S in P
	t  twist // motion of S relative to P, axes of P
	q  [4]float64
	qd [4]float64
}

// freedoms returns the number n of freedoms of a joint type, and the number first of freedoms, the first ones, that have no scalar
// coordinate.
func freedoms(kind model.JointType) (n, first int) {
	switch kind {
	case model.Revolute, model.Prismatic, model.Helical:
		return 1, 0
	case model.Cylindrical, model.Universal:
		return 2, 0
	case model.Planar:
		return 3, 0
	case model.Spherical:
		return 3, 3
	case model.SphereInCylinder:
		return 4, 3
	default:
		return 0, 0
	}
}

// screw returns the pose with the rotation a about z at the position p, and the motion with the rates ad and v.
func screw(a, ad float64, p, v vec) (place, twist) {
	z := vec{2: 1}
	return place{p, turn(z, a)}, twist{z.mul(ad), v}
}

// displace draws the state of a joint: coordinates within ±1 and rates within ±rate. pitch and length are used by the joint types
// that have them.
func (r *rig) displace(kind model.JointType, rate, pitch, length float64) displacement {
	var d displacement
	n, first := freedoms(kind)
	for i := first; i < n; i++ {
		d.q[i], d.qd[i] = r.uniform(1), r.uniform(rate)
	}
	if !d.set(kind, pitch) {
		d.x, d.t = r.float(kind, rate, length)
		if kind == model.SphereInCylinder {
			d.x.p, d.t.v = vec{2: d.q[3]}, vec{2: d.qd[3]}
		}
	}
	return d
}

// set computes pose and motion from the coordinates and rates. It returns false, and does nothing, if these do not determine the
// state of the joint type.
func (d *displacement) set(kind model.JointType, pitch float64) bool {
	q, qd := &d.q, &d.qd
	switch kind {
	case model.Fixed:
		d.x = origin
	case model.Revolute:
		d.x, d.t = screw(q[0], qd[0], vec{}, vec{})
	case model.Prismatic:
		d.x, d.t = screw(0, 0, vec{2: q[0]}, vec{2: qd[0]})
	case model.Helical:
		d.x, d.t = screw(q[0], qd[0], vec{2: pitch * q[0]}, vec{2: pitch * qd[0]})
	case model.Cylindrical:
		d.x, d.t = screw(q[0], qd[0], vec{2: q[1]}, vec{2: qd[1]})
	case model.Planar:
		d.x, d.t = screw(q[0], qd[0], vec{q[1], q[2]}, vec{qd[1], qd[2]})
	case model.Universal:
		cross := turn(vec{1}, q[0])
		d.x.q = cross.then(turn(vec{1: 1}, q[1]))
		d.t.w = vec{qd[0]}.add(cross.apply(vec{1: qd[1]}))
	default:
		return false
	}
	return true
}

// float draws pose and motion for the joint types with three free rotations: Spherical, PointOnPlane, Distance, at the given
// length, and Free.
func (r *rig) float(kind model.JointType, rate, length float64) (place, twist) {
	x := place{q: r.rotation(math.Pi)}
	t := twist{w: r.vec(rate)}
	switch kind {
	case model.PointOnPlane:
		x.p, t.v = vec{r.uniform(1), r.uniform(1)}, vec{r.uniform(rate), r.uniform(rate)}
	case model.Distance:
		e := r.direction()
		x.p, t.v = e.mul(length), e.cross(r.vec(rate))
	case model.Free:
		x.p, t.v = r.vec(1), r.vec(rate)
	}
	return x, t
}

// carry returns the pose and motion of S in the world for the pose a and motion t of P.
func (d *displacement) carry(a place, t twist) (place, twist) {
	s := a.then(d.x)
	return s, twist{
		t.w.add(a.q.apply(d.t.w)),
		t.shift(s.p.sub(a.p)).add(a.q.apply(d.t.v)),
	}
}

// back returns the pose and motion of P in the world for the pose s and motion t of S.
func (d *displacement) back(s place, t twist) (place, twist) {
	a := s.then(d.x.inv())
	w := t.w.sub(a.q.apply(d.t.w))
	return a, twist{w, t.v.sub(w.cross(s.p.sub(a.p))).sub(a.q.apply(d.t.v))}
}

// link describes a new body and the joint by which it hangs from another body.
type link struct {
	body, joint string
	kind        model.JointType
	pitch       float64
	length      float64
	up          int   // number of the body from which the new one hangs, or ground
	frame       place // the joint's frame in the body up
	local       place // the joint's frame in the new body
	swapped     bool  // the new body is the predecessor
	g           solid
}

// hang appends the body of l and its joint, which is in the state d. It returns the number of the body, and the joint, which is
// valid until the next joint is appended.
func (r *rig) hang(l *link, d *displacement) (int, *model.Joint) {
	x := r.place(l.up).then(l.frame)
	t := twist{r.twist(l.up).w, r.velocity(l.up, x.p)}
	if l.swapped {
		x, t = d.back(x, t)
	} else {
		x, t = d.carry(x, t)
	}
	b := x.then(l.local.inv())
	i := r.body(l.body, l.g, b, twist{t.w, t.shift(b.p.sub(x.p))})
	var j *model.Joint
	if l.swapped {
		j = r.joint(l.joint, l.kind, i, l.up, l.local, l.frame)
	} else {
		j = r.joint(l.joint, l.kind, l.up, i, l.frame, l.local)
	}
	j.Pitch, j.Length = l.pitch, l.length
	return i, j
}
