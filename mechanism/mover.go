package mechanism

import (
	"cmp"
	"math"
	"slices"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// A displacement x of all bodies satisfies the joints only to first order. If each body of a
// long swinging chain is moved along a straight line by a finite x, the bodies separate.
// A Mover moves them along a spanning tree instead, body after body by the relative motion of
// its joint. Joints of the tree then hold, and only joints that close loops are violated.

// Mover moves the bodies of a mechanism along a spanning tree. It belongs to one goroutine at a time.
type Mover struct {
	mech  *Mechanism
	links []TreeLink // every body once, parents before children
	loops bool       // Loops
	vel   *State     // the poses, with the displacement as velocities
	kin   *Kinematics
	moved []moved // by body
}

// TreeLink is a body with its parent in the tree and the joint between them.
type TreeLink struct {
	Body, Up int32 // Up is the parent: World for a body joined to the world, and for the root of a floating component
	Joint    int32 // −1 for the root of a floating component
}

// NewMover chooses the tree: breadth first from the world, so that loops are short,
// with joints of more rows first at each body.
//
// Cost: near-linear in bodies and joints.
func NewMover(m *Mechanism) *Mover {
	n := m.NumBodies()
	v := &Mover{mech: m, vel: m.Initial(), kin: &Kinematics{Bodies: make([]BodyKinematics, n)}, moved: make([]moved, n), loops: m.Graph().Loops > 0 || len(m.Couplings) > 0}
	for j := range m.Joints {
		k := m.Joints[j].Kind.Type()
		v.loops = v.loops || k == joints.Rolling || k == joints.PointOnCurve || k == joints.CurveOnCurve
	}
	in := m.Incidence()
	seen := make([]bool, n)
	var at []int32 // joints of a body
	grow := func(from int32) {
		for head := len(v.links); ; head++ {
			at = append(at[:0], in.Joints(from)...)
			slices.SortStableFunc(at, func(a, b int32) int { return cmp.Compare(m.Joints[b].Rows, m.Joints[a].Rows) })
			for _, j := range at {
				if to := m.Joints[j].Other(from); to >= 0 && !seen[to] {
					seen[to] = true
					v.links = append(v.links, TreeLink{to, from, j})
				}
			}
			if head >= len(v.links) {
				return
			}
			from = v.links[head].Body
		}
	}
	grow(World)
	for i := range n {
		if !seen[i] {
			seen[i] = true
			v.links = append(v.links, TreeLink{int32(i), World, -1})
			grow(int32(i))
		}
	}
	return v
}

// Links returns the tree: every body once, parents before children. The list must not be changed.
func (v *Mover) Links() []TreeLink { return v.links }

// Loops reports whether some joints are not in the tree, or there are couplings, wheels or curves. These constraints may be violated
// after a move.
func (v *Mover) Loops() bool { return v.loops }

// MoveTo stores in dst the poses of st after the displacement t·d. d has six numbers for each
// body: its rotation vector, rad, and the displacement of its centre of mass, m, world axes. Of d, only the relative motions count that
// the joints of the tree allow. The violations of these joints do not change, and neither do prescribed freedoms.
//
// Cost: O(bodies), no allocation. dst and st differ. It returns an error that names a body and wraps ErrNotFinite, and the errors of
// CheckTime.
func (v *Mover) MoveTo(dst, st *State, d []float64, t float64) error {
	return v.MoveWithTo(dst, nil, st, nil, d, t)
}

// MoveWithTo is MoveTo with the kinematics at of st, and stores the kinematics of dst in to, without inertias. at is nil if they
// are not known, and to if they are not wanted. It passes through memory once.
//
// Cost: O(bodies), no allocation. dst and st differ, and so do
// at and to. It returns the errors of MoveTo.
func (v *Mover) MoveWithTo(dst *State, to *Kinematics, st *State, at *Kinematics, d []float64, t float64) error {
	v.vel.Time, v.vel.Angles = st.Time, st.Angles
	if err := v.mech.CheckTime(st); err != nil {
		return err
	}
	from := at
	if at == nil {
		from = v.kin
	}
	var jk JointKinematics
	for i := range v.links {
		l := &v.links[i]
		body := l.Body
		b, k := &v.vel.Bodies[body], &from.Bodies[body]
		b.Position, b.Rotation = st.Bodies[body].Position, st.Bodies[body].Rotation
		if at == nil {
			b.Rotation.MatTo(&k.E)
			k.E.MulVecTo(&k.Com, &v.mech.Bodies[body].Com)
		}
		b.SetComVelocity((*[6]float64)(d[6*body:]), &k.Com)
		if !b.IsFinite() {
			return v.mech.NotFinite(int(body))
		}
		if l.Joint < 0 {
			v.moveRoot(dst, st, body, d, t, k)
		} else {
			v.mech.JointTo(&jk, int(l.Joint), from, v.vel)
			v.moveChild(dst, l, &jk, t)
		}
		if to != nil && !v.mech.BodyTo(&to.Bodies[body], dst, int(body)) {
			return v.mech.NotFinite(int(body))
		}
	}
	return nil
}

// moveRoot moves the root of a floating component by t·d. k are its kinematics at st.
func (v *Mover) moveRoot(dst, st *State, body int32, d []float64, t float64, k *BodyKinematics) {
	after := *k
	b, own := &dst.Bodies[body], &v.moved[body]
	*b = st.Bodies[body]
	b.Displace(t, (*[6]float64)(d[6*body:]), &after, &v.mech.Bodies[body].Com)
	own.turn = b.Rotation.Mul(st.Bodies[body].Rotation.Conj()).Normalize()
	own.turn.MatTo(&own.E)
}

// moveChild stores in dst the pose of the body of l, from the pose of its parent in dst and the relative
// motion of the joint for the time t.
func (v *Mover) moveChild(dst *State, l *TreeLink, jk *JointKinematics, t float64) {
	jt := &v.mech.Joints[l.Joint]
	turn, slid := jt.advance(jk, t)
	inner, outer := jk.ArmP.Add(slid), jk.ArmS // both end at the origin of S
	if l.Body != jt.Succ {
		inner, outer, turn = jk.ArmS, inner, turn.Conj()
	}
	up, at := &fixed, spatial.Vec3{}
	if l.Up >= 0 {
		up, at = &v.moved[l.Up], dst.Bodies[l.Up].Position
	}
	b, own := &dst.Bodies[l.Body], &v.moved[l.Body]
	own.turn = up.turn.Mul(turn).Normalize()
	own.turn.MatTo(&own.E)
	b.Rotation = own.turn.Mul(v.vel.Bodies[l.Body].Rotation).Normalize()
	b.Position = at.Add(up.E.MulVec(inner).Sub(own.E.MulVec(outer)))
}

// advance returns the rotation turn of S relative to P, in world axes, that
// the joint makes at its present rates in the time t, and the vector slid from P to S after it.
func (jt *Joint) advance(jk *JointKinematics, t float64) (turn spatial.Quat, slid spatial.Vec3) {
	if jt.Axes != nil {
		return jt.advanceComposite(jk, t)
	}
	var w, s spatial.Vec3
	allowed(&w, &s, jt, jk)
	if jt.Kind == joints.Universal {
		// First about y of S, then about x of P.
		turn = spatial.Exp(jk.EP.Col(0).Scale(t * w[0])).Mul(spatial.Exp(jk.ES.Col(1).Scale(t * w[1])))
	} else {
		turn = spatial.Exp(jk.EP.MulVec(w.Scale(t)))
	}
	slid = jk.R.Add(jk.EP.MulVec(s.Scale(t)))
	if jt.Kind == joints.Distance {
		if n := slid.Norm(); n > 0 {
			slid = slid.Scale(jk.R.Norm() / n)
		}
	}
	return turn, slid
}

// advanceComposite is advance for a composite joint: its coordinates change at their rates. Its violation moves with S.
func (jt *Joint) advanceComposite(jk *JointKinematics, t float64) (turn spatial.Quat, slid spatial.Vec3) {
	var q, qd [6]float64
	var from, to joints.Posture
	jt.Spec.CoordinatesTo(&q, &qd, &jk.Frames)
	for i := range jt.Axes.Len() {
		from.Q[i], to.Q[i] = q[i], q[i]
		if !jt.Prescribed(i) {
			to.Q[i] += t * qd[i]
		}
	}
	from.Place(jt.Axes)
	to.Place(jt.Axes)
	turned := jk.EP.Mul(to.E).MulT(jk.EP.Mul(from.E))
	left := jk.R.Sub(jk.EP.MulVec(from.R))
	return spatial.FromMat(turned), jk.EP.MulVec(to.R).Add(turned.MulVec(left))
}

// moved is the rotation that a body has made, world axes, as a quaternion and as a matrix.
type moved struct {
	turn spatial.Quat
	E    spatial.Mat3
}

// fixed is the rotation of the world: none.
var fixed = moved{spatial.IdentityQuat(), spatial.Identity3()}

// allowed stores in w and s the angular and linear velocity of S relative to P, in P's axes,
// that the joint allows: the rates of its freedoms, without prescribed ones. For a universal joint
// w[1] is the rate about y of S. w and s are zero on entry.
func allowed(w, s *spatial.Vec3, jt *Joint, jk *JointKinematics) {
	turn := jk.EP.TMulVec(jk.OmegaS.Sub(jk.OmegaP))
	slide := jk.EP.TMulVec(jk.V)
	free := func(i int) bool { return !jt.Prescribed(i) }
	set := func(out *float64, i int, value float64) {
		if free(i) {
			*out = value
		}
	}
	switch jt.Kind.Type() {
	case joints.Revolute:
		set(&w[2], 0, turn[2])
	case joints.Prismatic:
		set(&s[2], 0, slide[2])
	case joints.Helical:
		set(&w[2], 0, turn[2])
		s[2] = jt.Pitch * w[2]
	case joints.Cylindrical:
		set(&w[2], 0, turn[2])
		set(&s[2], 1, slide[2])
	case joints.Universal:
		// y of S is at right angles to x of P.
		set(&w[0], 0, turn[0])
		set(&w[1], 1, jk.ES.Col(1).Dot(jk.OmegaS.Sub(jk.OmegaP)))
	case joints.Planar:
		set(&w[2], 0, turn[2])
		set(&s[0], 1, slide[0])
		set(&s[1], 2, slide[1])
	case joints.Spherical:
		*w = turn
	case joints.SphereInCylinder:
		*w = turn
		set(&s[2], 3, slide[2])
	case joints.PointOnPlane:
		*w, s[0], s[1] = turn, slide[0], slide[1]
	case joints.Distance, joints.Rolling, joints.NoSlip, joints.PointOnCurve, joints.CurveOnCurve:
		*w, *s = turn, slide
	}
}

// Gap returns the root of the sum of the squared violations of all joints at st (Residuals, position level), or +Inf if st cannot be
// evaluated.
func (v *Mover) Gap(st *State) float64 {
	if v.mech.KinematicsTo(v.kin, st) != nil {
		return math.Inf(1)
	}
	sum := 0.0
	for j := range v.mech.Joints {
		off, _ := v.mech.Residuals(j, v.kin, st)
		sum += off * off
	}
	return math.Sqrt(sum)
}
