package assemble

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// The rows of a pinned joint between a body and the world may be taken along the axes
// of its end on the body as well as along those in the world: they demand the same
// where the joint holds. On the body they do not change, so that the whole row block is
// a constant, and of the right side −f·(ω×(ω×r)) is left.

// Anchors returns the nodes of the pinned joints (revolute, spherical or fixed, without
// prescribed motion) between a body and the world: candidates for
// factor.Analyze.
//
// Cost: O(joints); allocates.
func (l *Layout) Anchors() []int32 {
	var list []int32
	for i, j := range l.joint {
		if isAnchor(&l.Mech.Joints[j]) {
			list = append(list, int32(l.Mech.NumBodies()+i))
		}
	}
	return list
}

// isAnchor reports whether a joint is one of Anchors.
func isAnchor(jt *mechanism.Joint) bool { return pinned(jt) && sides(jt) == 1 }

// AnchorRowsTo stores in v the weighted rows of an anchor along the axes of its end on
// the body, six numbers each, and returns their number.
//
// It panics if node is not one of Anchors.
func (l *Layout) AnchorRowsTo(v *[36]float64, node int) int {
	jt := &l.Mech.Joints[l.NodeJoint(node)]
	if !isAnchor(jt) {
		panic("assemble: not an anchor")
	}
	var scale, b [6]float64
	body, end, sign := jt.Succ, &jt.S, 1.0
	if body < 0 {
		body, end, sign = jt.Pred, &jt.P, -1
	}
	n := int(jt.Rows)
	constantRows(v[:6*n], scale[:n], b[:n], &l.Mech.Bodies[body], end, sign, pins(jt.Kind))
	return n
}

// FixAnchors takes the rows of the given nodes, all of Anchors, along the axes of their
// ends on the bodies from now on, so that they are constants and W.Fixed is set; nil
// takes them back. The rows of an anchor then differ from those of System by a
// rotation, as do its multipliers; see WorldRows.
func (y *Weighted) FixAnchors(nodes []int32) {
	y.turned = nil
	if len(nodes) > 0 {
		y.turned = make([]bool, len(y.L.joint))
	}
	for _, v := range nodes {
		jt := &y.L.Mech.Joints[y.L.NodeJoint(int(v))]
		if !isAnchor(jt) {
			panic("assemble: not an anchor")
		}
		y.turned[int(v)-y.L.Mech.NumBodies()] = jt.Pred < 0
	}
	y.W.Fixed = len(nodes) > 0
	y.fillConstant()
}

// isTurned reports whether the rows of the joint at place i of the list are along the axes
// of its successor.
func (y *Weighted) isTurned(i int) bool { return y.turned != nil && y.turned[i] }

// fillTurned fills the right side of an anchor of a body with the successor's axes.
func (y *Weighted) fillTurned(jt *mechanism.Joint, row int, s *mechanism.State) {
	kind := pins(jt.Kind)
	b := y.B[row : row+kind.Rows()]
	clear(b)
	E, F := &y.Kin.Bodies[jt.Succ].E, &jt.S.E
	o := &s.Bodies[jt.Succ].Omega
	u0 := E[0]*o[0] + E[3]*o[1] + E[6]*o[2] // body axes
	u1 := E[1]*o[0] + E[4]*o[1] + E[7]*o[2]
	u2 := E[2]*o[0] + E[5]*o[1] + E[8]*o[2]
	c := &y.L.Mech.Bodies[jt.Succ].Com
	r0, r1, r2 := jt.S.Origin[0]-c[0], jt.S.Origin[1]-c[1], jt.S.Origin[2]-c[2]
	w2, ur := u0*u0+u1*u1+u2*u2, u0*r0+u1*r1+u2*r2
	a0, a1, a2 := w2*r0-ur*u0, w2*r1-ur*u1, w2*r2-ur*u2 // −ω×(ω×r)
	f := b[kind.Force : kind.Force+3]
	f[0] = F[0]*a0 + F[3]*a1 + F[6]*a2
	f[1] = F[1]*a0 + F[4]*a1 + F[7]*a2
	f[2] = F[2]*a0 + F[5]*a1 + F[8]*a2
}

// WorldRows replaces v, one number for each row of the joint of a node, by the numbers
// for its rows in System, which are along the axes of its predecessor. It changes v only
// if FixAnchors has changed the rows. y has been filled.
func (y *Weighted) WorldRows(v []float64, node int) { y.rotate(v, node, false) }

// OwnForceSubspace is ForceSubspace for the rows of W.
func (y *Weighted) OwnForceSubspace(j int, s *mechanism.State) (T [6]spatial.Force, n int) {
	node := y.L.JointNode(j)
	if node < 0 || !y.isTurned(node-y.L.Mech.NumBodies()) {
		return y.ForceSubspace(j, s)
	}
	jt := &y.L.Mech.Joints[j]
	kind := pins(jt.Kind)
	axes := y.Kin.Bodies[jt.Succ].E.Mul(jt.S.E)
	for k := range 3 {
		T[kind.Force+k] = spatial.NewForce(spatial.Vec3{}, axes.Col(k))
	}
	for k := range kind.Moments {
		T[kind.Moment+k] = spatial.NewForce(axes.Col(k), spatial.Vec3{})
	}
	return T, kind.Rows()
}

// OwnRows is the inverse of WorldRows.
func (y *Weighted) OwnRows(v []float64, node int) { y.rotate(v, node, true) }

func (y *Weighted) rotate(v []float64, node int, inverse bool) {
	if !y.isTurned(node - y.L.Mech.NumBodies()) {
		return
	}
	jt := &y.L.Mech.Joints[y.L.NodeJoint(node)]
	kind := pins(jt.Kind)
	from, to := y.Kin.Bodies[jt.Succ].E.Mul(jt.S.E), jt.P.E
	if inverse {
		from, to = to, from
	}
	turn := func(q []float64) {
		var w spatial.Vec3
		copy(w[:], q)
		w = to.TMulVec(from.MulVec(w))
		copy(q, w[:])
	}
	turn(v[kind.Force : kind.Force+3])
	turn(v[kind.Moment : kind.Moment+kind.Moments])
}
