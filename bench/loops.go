package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// addLoop closes a loop by the joint "k…", with its number k, between two bodies drawn at random. It returns false if it fails
// for eight pairs of bodies.
func (g *tangle) addLoop(k int) bool {
	types := [...]model.JointType{
		model.Distance, model.PointOnPlane, model.SphereInCylinder, model.SphereInCylinder,
		model.Cylindrical, model.Helical,
	}
	for range 8 {
		a, b := g.near(k < 8)
		if g.rng.IntN(2) == 0 {
			a, b = b, a
		}
		kind := types[g.rng.IntN(len(types))]
		if g.close(k, kind, a, b) {
			return true
		}
	}
	return false
}

// close adds the joint "k…" of a type between the bodies a and b, with frames that agree with their motion. It returns false, and
// adds nothing, if there are no such frames within a few metres, or if the joint would leave too few freedoms between a and b.
func (g *tangle) close(k int, kind model.JointType, a, b int) bool {
	c := g.place(a).p.add(g.place(b).p).mul(0.5).add(g.vec(0.3))
	w := g.twist(b).w.sub(g.twist(a).w)
	v := g.velocity(b, c).sub(g.velocity(a, c))
	P, S := at(c), place{c, g.rotation(math.Pi)}
	var pitch, length float64
	if kind != model.Cylindrical && kind != model.Helical && v.norm() < 1e-3 {
		v = g.direction() // the points move together: any direction will do
	}
	switch kind {
	case model.Distance:
		length = g.between(0.4, 1)
		e := turn(v.unit(), g.uniform(math.Pi)).apply(v.across())
		S.p = c.add(e.mul(length))
		P.q = g.rotation(math.Pi)
	case model.PointOnPlane:
		n := turn(v.unit(), g.uniform(math.Pi)).apply(v.across())
		P.q = alongZ(n)
		P.p = P.point(vec{g.uniform(0.3), g.uniform(0.3)})
	case model.SphereInCylinder:
		P.q = alongZ(v.unit())
		P.p = P.point(vec{2: g.uniform(0.3)})
	default:
		var ok bool
		if P, S, pitch, ok = g.screwAxis(kind, c, w, v); !ok {
			return false
		}
	}
	if !g.admit(loop{a, b, rows(kind, P, S, pitch)}) {
		return false
	}
	j := g.fit(g.name("k", k), kind, a, b, P, S)
	j.Pitch, j.Length = pitch, length
	return true
}

// screwAxis returns frames of predecessor and successor, and the pitch, m/rad, of a helical or cylindrical joint on the
// instantaneous screw axis of two bodies. Their relative motion is the angular velocity w and the velocity v at the point c. ok is
// false if they turn too slowly, the axis is more than 2 m away, or the pitch is not between 0.02 and 1 m/rad in magnitude.
func (g *tangle) screwAxis(kind model.JointType, c, w, v vec) (P, S place, pitch float64, ok bool) {
	ww := w.dot(w)
	if ww < 0.1 {
		return P, S, 0, false
	}
	arm := w.cross(v).mul(1 / ww)
	pitch = w.dot(v) / ww
	if arm.norm() > 2 || math.Abs(pitch) > 1 || math.Abs(pitch) < 0.02 {
		return P, S, 0, false
	}
	angle := g.uniform(1)
	P = place{c.add(arm), alongZ(w.unit()).then(turn(vec{2: 1}, g.uniform(math.Pi)))}
	S = P.then(place{vec{2: pitch * angle}, turn(vec{2: 1}, angle)})
	if kind == model.Cylindrical {
		S.q, pitch = S.q.then(turn(vec{2: 1}, g.uniform(1))), 0
	}
	return P, S, pitch, true
}

// double adds the joint "d…", with its number k, between the bodies of a joint of the tree drawn at random. The new joint allows at
// least the motions of the old one, so all its rows are redundant.
func (g *tangle) double(k int) {
	old := g.m.Joints[g.joint[g.rng.IntN(len(g.joint))]]
	j := model.Joint{
		Name: g.name("d", k), Type: old.Type, Predecessor: old.Predecessor, Successor: old.Successor,
		PredecessorFrame: old.PredecessorFrame, SuccessorFrame: old.SuccessorFrame,
		Pitch: old.Pitch, Length: old.Length,
	}
	switch old.Type {
	case model.Revolute, model.Prismatic, model.Helical, model.Cylindrical, model.Planar:
		s := g.uniform(0.5)
		j.PredecessorFrame = along(j.PredecessorFrame, s)
		j.SuccessorFrame = along(j.SuccessorFrame, s)
	}
	if g.rng.IntN(2) == 0 {
		j.Type = relaxed(old.Type)
	}
	if j.Type != model.Helical {
		j.Pitch = 0
	}
	g.m.Joints = append(g.m.Joints, j)
}

// relaxed returns a joint type that, in the same frames, allows all motions of a joint of type kind and more; kind itself if there
// is none.
func relaxed(kind model.JointType) model.JointType {
	switch kind {
	case model.Revolute, model.Helical, model.Prismatic:
		return model.Cylindrical
	case model.Cylindrical:
		return model.SphereInCylinder
	case model.Universal:
		return model.Spherical
	case model.Planar:
		return model.PointOnPlane
	default:
		return kind
	}
}

// along returns a frame moved by s, m, along its own z axis.
func along(x model.Pose, s float64) model.Pose {
	x.Position = place{x.Position, x.Orientation}.point(vec{2: s})
	return x
}
