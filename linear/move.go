package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// A displacement x of all bodies is a tangent: what is made of it has to satisfy the
// joints again. Moved along straight lines, the bodies of a long chain that swings by
// an angle are far apart in the end, while on a spanning tree, body after body by
// the relative motion of its joint, they stay together, and only joints that close
// loops open. mover does the latter.

// mover moves the bodies of a mechanism along a spanning tree.
type mover struct {
	mech  *mechanism.Mechanism
	links []treeLink       // every body once, the inner before the outer
	loops bool             // some joints are not in the tree
	vel   *mechanism.State // poses with the displacement for velocities
	kin   *mechanism.Kinematics
}

// treeLink is a body and the joint that joins it to an inner one.
type treeLink struct {
	body, up int32 // up is World for a body of the first ring
	joint    int32 // −1 for the first of floating bodies
}

// newMover chooses the tree: breadth first from the world, so that loops are short,
// and of the joints of a body those with more rows first.
//
// Cost: near-linear in bodies and joints.
func newMover(m *mechanism.Mechanism) *mover {
	n := m.NumBodies()
	v := &mover{mech: m, vel: m.Initial(), kin: m.NewKinematics(), loops: m.Graph().Loops > 0}
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
					v.links = append(v.links, treeLink{to, from, j})
				}
			}
			if head >= len(v.links) {
				return
			}
			from = v.links[head].body
		}
	}
	grow(mechanism.World)
	for i := range n {
		if !seen[i] {
			seen[i] = true
			v.links = append(v.links, treeLink{int32(i), mechanism.World, -1})
			grow(int32(i))
		}
	}
	return v
}

// moveTo stores in dst the poses of st after the displacement t·d, six numbers a
// body.
//
// Cost: O(bodies), no allocation.
func (v *mover) moveTo(dst, st *mechanism.State, d []float64, t float64) error {
	copy(v.vel.Bodies, st.Bodies)
	v.vel.Time = st.Time
	for i := range v.vel.Bodies {
		b := &v.vel.Bodies[i]
		arm := b.Rotation.Rotate(v.mech.Bodies[i].Com)
		b.SetComVelocity((*[6]float64)(d[6*i:]), &arm)
	}
	if err := v.mech.KinematicsTo(v.kin, v.vel); err != nil {
		return err
	}
	var jk mechanism.JointKinematics
	for i := range v.links {
		l := &v.links[i]
		if l.joint < 0 {
			b, k := &dst.Bodies[l.body], v.kin.Bodies[l.body]
			*b = st.Bodies[l.body]
			b.Displace(t, (*[6]float64)(d[6*l.body:]), &k, &v.mech.Bodies[l.body].Com)
			continue
		}
		v.mech.JointTo(&jk, int(l.joint), v.kin, v.vel)
		v.hang(dst, l, &jk, t)
	}
	return nil
}

// hang stores in dst the pose of the outer body of l, given that of the inner one, after
// the motion of the joint for a time t.
func (v *mover) hang(dst *mechanism.State, l *treeLink, jk *mechanism.JointKinematics, t float64) {
	jt := &v.mech.Joints[l.joint]
	var w, s spatial.Vec3
	allowed(&w, &s, jt, jk)
	w, s = w.Scale(t), s.Scale(t)
	// S relative to P, in P's axes: turned by w, and slid by s.
	rel := spatial.FromMat(jk.EP.TMul(jk.ES))
	r := jk.EP.TMulVec(jk.R)
	var turned spatial.Quat
	if jt.Kind == joints.Universal {
		// First about y of S, then about x of P.
		turned = spatial.Exp(spatial.Vec3{w[0]}).Mul(rel).Mul(spatial.Exp(spatial.Vec3{1: w[1]}))
	} else {
		turned = spatial.Exp(w).Mul(rel)
	}
	slid := r.Add(s)
	if jt.Kind == joints.Distance {
		if n := slid.Norm(); n > 0 {
			slid = slid.Scale(r.Norm() / n)
		}
	}
	up := mechanism.BodyState{Rotation: spatial.IdentityQuat()}
	if l.up >= 0 {
		up = dst.Bodies[l.up]
	}
	b := &dst.Bodies[l.body]
	qP, qS := spatial.FromMat(jt.P.E), spatial.FromMat(jt.S.E)
	if l.body == jt.Succ {
		axes := up.Rotation.Mul(qP)
		b.Rotation = axes.Mul(turned).Mul(qS.Conj()).Normalize()
		arm := up.Rotation.Rotate(jt.P.Origin).Add(axes.Rotate(slid))
		b.Position = up.Position.Add(arm.Sub(b.Rotation.Rotate(jt.S.Origin)))
		return
	}
	axes := up.Rotation.Mul(qS).Mul(turned.Conj())
	b.Rotation = axes.Mul(qP.Conj()).Normalize()
	arm := b.Rotation.Rotate(jt.P.Origin).Add(axes.Rotate(slid))
	b.Position = up.Position.Add(up.Rotation.Rotate(jt.S.Origin).Sub(arm))
}

// allowed stores in w and s the turning and sliding of S relative to P, in P's axes,
// that the joint allows: the rates of its freedoms. Of a universal joint the second
// number of w is the rate about y of S.
func allowed(w, s *spatial.Vec3, jt *mechanism.Joint, jk *mechanism.JointKinematics) {
	turn := jk.EP.TMulVec(jk.OmegaS.Sub(jk.OmegaP))
	slide := jk.EP.TMulVec(jk.V)
	free := func(i int) bool { return !jt.Prescribed(i) }
	set := func(out *float64, i int, value float64) {
		if free(i) {
			*out = value
		}
	}
	switch jt.Kind {
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
	case joints.Distance:
		*w, *s = turn, slide
	}
}

// gap returns the root of the sum of the squared violations of all joints at st.
func (v *mover) gap(st *mechanism.State) float64 {
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
