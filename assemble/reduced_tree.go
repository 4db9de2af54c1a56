package assemble

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// This file computes one group at a time: c and N of (R1) by the recursion (R3) along its tree joints.

// motion is an angular acceleration or displacement, and an acceleration or displacement of the centre of mass, in the axes
// of the body.
type motion struct{ turn, move spatial.Vec3 }

// treeState is a tree joint and its body at one state, in the axes of the body unless said otherwise.
type treeState struct {
	R                  spatial.Mat3 // from the axes of the parent
	armParent, armBody spatial.Vec3 // to the joint: from the parent's centre of mass, in the parent's axes, and from the body's
	spin               spatial.Vec3 // angular velocity
	adds               motion       // r of (R3) for c: the relative acceleration of the body by the right side of the joint
	moves              motion       // motion of the body, for c and then for each column of N
	load               [6]float64   // C⁻¹·f, later C⁻¹·f − c
}

// groupWork is the scratch of a group.
type groupWork struct {
	trees    [groupBodies]treeState
	freedoms [groupFreedoms]motion // r of (R3) for N: a column of S for each freedom
	columns  [groupFreedoms]column // N

	_ [16]float64 // keeps memory of different workers two cache lines apart
}

// column is a column of N of a group, six numbers a body. It is zero for the bodies before the
// body of the joint to whose freedom it belongs; these entries are not used.
type column [groupBodies][6]float64

// of returns the state of tree joint k of a group.
func (w *groupWork) of(q *group, k int32) *treeState { return &w.trees[k-q.first] }

// fillGroup computes the right side of a group, and its N and c of theory.md (R2). The kinematics have been computed. It returns the
// largest component of C⁻¹·f, or NaN if c overflows.
func (y *Reduced) fillGroup(w *groupWork, q *group, s *mechanism.State) (free float64) {
	for k := q.first; k < q.end; k++ {
		t, at := &y.Groups.trees[k], w.of(q, k)
		y.load(&at.load, &at.spin, t.body, s)
		free = max(free, algebra.MaxAbs(at.load[:]))
		y.rotation(t, at)
		if t.hinge {
			w.hinge(q, t, at, &y.Kin.Bodies[t.body].E)
		} else {
			y.joint(w, t, at, s)
		}
	}
	size := y.fillParticular(w, q)
	y.fillDirections(w, q)
	y.project(w, q)
	if isLarge(size) {
		return math.NaN()
	}
	return free
}

// rotation stores R, unless the parent is the world.
func (y *Reduced) rotation(t *treeJoint, at *treeState) {
	if t.parent >= 0 {
		y.Kin.Bodies[t.body].E.TMulTo(&at.R, &y.Kin.Bodies[y.Groups.trees[t.parent].body].E)
	}
}

// hinge stores the arms of a hinge, r of (R5) and the motion of its freedom. E has the axes of its body.
func (w *groupWork) hinge(q *group, t *treeJoint, at *treeState, E *spatial.Mat3) {
	at.armParent, at.armBody = t.armParent, t.armBody
	at.adds = motion{}
	axis := &w.freedoms[t.from].turn
	*axis, w.freedoms[t.from].move = t.axis, spatial.Vec3{}
	if t.parent >= 0 {
		var spin, a spatial.Vec3
		up := w.of(q, t.parent)
		addCentripetal(&a, &up.spin, &at.armParent, 1)
		at.R.MulVecTo(&at.adds.move, &a)
		at.R.MulVecTo(&spin, &up.spin)
		spatial.CrossTo(&at.adds.turn, &spin, &at.spin)
		if !t.reversed {
			at.R.MulVecTo(axis, &t.axis)
		}
	} else if !t.reversed {
		E.TMulVecTo(axis, &t.axis)
	}
	addCentripetal(&at.adds.move, &at.spin, &at.armBody, -1)
}

// joint stores the arms of a joint of any kind, r of (R4) and the motions of its freedoms.
func (y *Reduced) joint(w *groupWork, t *treeJoint, at *treeState, s *mechanism.State) {
	var work jointWork
	y.eval(&work, t, s)
	jt := &y.Groups.Layout.Mech.Joints[t.joint]
	var right [6]float64
	work.rightSideTo(right[:jt.Rows])
	y.demand(t, at, &work, right[:jt.Rows])
	E := &y.Kin.Bodies[t.body].E
	var S [6]spatial.Motion
	for i := range jt.MotionSubspaceTo(&S, &work.kin.Frames) {
		f := &w.freedoms[int(t.from)+i]
		E.TMulVecTo(&f.turn, (*spatial.Vec3)(S[i][:3]))
		E.TMulVecTo(&f.move, (*spatial.Vec3)(S[i][3:]))
	}
}

// eval computes the rows of a tree joint.
func (y *Reduced) eval(w *jointWork, t *treeJoint, s *mechanism.State) {
	if w.eval(y.Groups.Layout.Mech, t.joint, y.Kin, s) != nil {
		panic("assemble: joint without direction in a tree")
	}
}

// demand stores the arms, and in at.adds the motion Σ T·b/‖T‖², (R4), for the right sides b of the rows in w.
func (y *Reduced) demand(t *treeJoint, at *treeState, w *jointWork, right []float64) {
	E := &y.Kin.Bodies[t.body].E
	armParent, armBody, sign := &w.armP, &w.armS, 1.0
	if t.reversed {
		armParent, armBody, sign = &w.armS, &w.armP, -1
	}
	E.TMulVecTo(&at.armBody, armBody)
	if t.parent >= 0 {
		y.Kin.Bodies[y.Groups.trees[t.parent].body].E.TMulVecTo(&at.armParent, armParent)
	}
	var r motion
	for i, b := range right {
		T := &w.rows.T[i]
		b *= sign / dot6((*[6]float64)(T), (*[6]float64)(T))
		for j := range 3 {
			r.turn[j] += b * T[j]
			r.move[j] += b * T[3+j]
		}
	}
	E.TMulVecTo(&at.adds.turn, &r.turn)
	E.TMulVecTo(&at.adds.move, &r.move)
}

// demandHinge is demand for a hinge. Its rows are three forces along the axes of its predecessor's frame and two
// moments about the first two of these axes. With the axes as the columns of A, in the axes of the body, (R4) is
// (A·(b₃, b₄, 0), A·(b₀, b₁, b₂)).
func (y *Reduced) demandHinge(t *treeJoint, at *treeState, right []float64) {
	at.armParent, at.armBody = t.armParent, t.armBody
	axes := &y.Groups.Layout.Mech.Joints[t.joint].P.E
	turn, move := &at.adds.turn, &at.adds.move
	*turn, *move = spatial.Vec3{right[3], right[4]}, spatial.Vec3(right[:3])
	axes.MulVecTo(turn, turn)
	axes.MulVecTo(move, move)
	switch {
	case t.reversed:
		for i := range turn {
			turn[i], move[i] = -turn[i], -move[i]
		}
	case t.parent >= 0:
		at.R.MulVecTo(turn, turn)
		at.R.MulVecTo(move, move)
	default:
		E := &y.Kin.Bodies[t.body].E
		E.TMulVecTo(turn, turn)
		E.TMulVecTo(move, move)
	}
}

// fillGroupErrors computes c of a group, and its right side −Nᵀ·c, for the errors e of all rows (R8).
func (y *Reduced) fillGroupErrors(w *groupWork, q *group, e []float64, s *mechanism.State) {
	var work jointWork
	for k := q.first; k < q.end; k++ {
		t, at := &y.Groups.trees[k], w.of(q, k)
		y.rotation(t, at)
		at.load = [6]float64{}
		right := y.Groups.Layout.rowsOf(t.joint, e)
		if t.hinge {
			y.demandHinge(t, at, right)
			continue
		}
		y.eval(&work, t, s)
		y.demand(t, at, &work, right)
	}
	y.fillParticular(w, q)
	for k := q.first; k < q.end; k++ {
		n := y.columnsOf(&y.Groups.trees[k], q.dof)
		for i := y.Groups.trees[k].from; i < q.dof; i++ {
			w.columns[i][k-q.first] = [6]float64(n)
			n = n[6:]
		}
	}
	y.project(w, q)
}

// rowsOf returns the part of x, in scalar order, that belongs to a joint.
func (l *Layout) rowsOf(joint int32, x []float64) []float64 {
	node := l.node[joint]
	return x[l.Pattern.Off[node]:l.Pattern.Off[node+1]]
}

// fillParticular computes c of a group, (R1), and subtracts it from the loads. c is the weighted motion of the bodies by the
// recursion (R3), with r = adds for each joint. It returns ‖c‖² of the group.
func (y *Reduced) fillParticular(w *groupWork, q *group) (size float64) {
	for k := q.first; k < q.end; k++ {
		t, at := &y.Groups.trees[k], w.of(q, k)
		var up *motion
		if t.parent >= 0 {
			up = &w.of(q, t.parent).moves
		}
		at.follow(up, &at.adds)
		c := (*[6]float64)(y.particular[6*k:])
		t.weigh(c, &at.moves)
		sub6(&at.load, 1, c)
		y.squares[k] = dot6(c, c)
		size += y.squares[k]
	}
	return size
}

// follow stores the motion of a body in at.moves by (R3): from the motion up of its parent, nil for the
// world, and the motion r of its joint.
func (at *treeState) follow(up, r *motion) {
	turn, move := &at.moves.turn, &at.moves.move
	*turn, *move = r.turn, r.move
	if up != nil {
		R, a, p := &at.R, &up.turn, &at.armParent
		v0 := up.move[0] + (a[1]*p[2] - a[2]*p[1])
		v1 := up.move[1] + (a[2]*p[0] - a[0]*p[2])
		v2 := up.move[2] + (a[0]*p[1] - a[1]*p[0])
		turn[0] += R[0]*a[0] + R[1]*a[1] + R[2]*a[2]
		turn[1] += R[3]*a[0] + R[4]*a[1] + R[5]*a[2]
		turn[2] += R[6]*a[0] + R[7]*a[1] + R[8]*a[2]
		move[0] += R[0]*v0 + R[1]*v1 + R[2]*v2
		move[1] += R[3]*v0 + R[4]*v1 + R[5]*v2
		move[2] += R[6]*v0 + R[7]*v1 + R[8]*v2
	}
	c := &at.armBody
	move[0] -= turn[1]*c[2] - turn[2]*c[1]
	move[1] -= turn[2]*c[0] - turn[0]*c[2]
	move[2] -= turn[0]*c[1] - turn[1]*c[0]
}

// weigh stores Cᵀ·a, (R6), for a motion a of the body of a tree joint.
func (t *treeJoint) weigh(out *[6]float64, a *motion) {
	L, turn, move := &t.L, &a.turn, &a.move
	out[0], out[1], out[2] = L[0]*turn[0]+L[3]*turn[1]+L[4]*turn[2], L[1]*turn[1]+L[5]*turn[2], L[2]*turn[2]
	out[3], out[4], out[5] = t.rootMass*move[0], t.rootMass*move[1], t.rootMass*move[2]
}

// fillDirections computes N of a group, (R1), column by column.
func (y *Reduced) fillDirections(w *groupWork, q *group) {
	trees := y.Groups.trees[q.first:q.end]
	for k := range trees {
		t := &trees[k]
		for i := t.from; i < t.from+t.dof; i++ {
			w.fillColumn(trees, q, k, i)
		}
	}
	for i := range q.dof {
		w.orthonormalize(q, i)
	}
	for k := range trees {
		n := y.columnsOf(&trees[k], q.dof)
		for i := trees[k].from; i < q.dof; i++ {
			*(*[6]float64)(n) = w.columns[i][k]
			n = n[6:]
		}
	}
}

// columnsOf returns the columns of N of the body of a tree joint, six numbers each, in a group with dof columns.
func (y *Reduced) columnsOf(t *treeJoint, dof int8) []float64 {
	return y.directions[t.column:][:6*int(dof-t.from)]
}

// fillColumn stores column i of N, which belongs to a freedom of the tree joint of body k of a group. The freedom moves
// body k and the bodies of its subtree. The column is zero for the other bodies after k.
func (w *groupWork) fillColumn(trees []treeJoint, q *group, k int, i int8) {
	v := w.columns[i][:len(trees)]
	at := &w.trees[k]
	at.follow(nil, &w.freedoms[i])
	trees[k].weigh(&v[k], &at.moves)
	moved := uint8(1) << k
	for d := k + 1; d < len(trees); d++ {
		t, parent := &trees[d], trees[d].parent-q.first
		if parent < 0 || moved>>parent&1 == 0 {
			v[d] = [6]float64{}
			continue
		}
		moved |= 1 << d
		at := &w.trees[d]
		at.follow(&w.trees[parent].moves, &unmoved)
		t.weigh(&v[d], &at.moves)
	}
}

// unmoved is no motion.
var unmoved motion

// columnsFrom returns columns i and j ≤ i of N of a group, for the bodies for which column j is not zero.
func (w *groupWork) columnsFrom(q *group, i, j int8) (vi, vj [][6]float64) {
	k, n := q.owner[j], q.end-q.first
	return w.columns[i][k:n], w.columns[j][k:n]
}

// orthonormalize makes column i of N of a group a unit vector that is orthogonal to the columns before it, which are
// orthonormal already. If that removes more than half of the column's square, the relative rounding error of the rest is
// larger, and the column is made orthogonal once more.
func (w *groupWork) orthonormalize(q *group, i int8) {
	for {
		lost := 0.0
		for j := range i {
			v, u := w.columnsFrom(q, i, j)
			part := dotColumns(v, u)
			for k := range u {
				sub6(&v[k], part, &u[k])
			}
			lost += part * part
		}
		v, _ := w.columnsFrom(q, i, i)
		size := dotColumns(v, v)
		if lost > size {
			continue
		}
		if size > math.MaxFloat64 {
			size = math.NaN() // with +Inf the columns would become zero
		}
		size = 1 / math.Sqrt(size)
		for k := range v {
			scale6(&v[k], size)
		}
		return
	}
}

// dotColumns returns the product of two columns of N of a group.
func dotColumns(v, u [][6]float64) (sum float64) {
	for k := range v {
		sum += dot6(&v[k], &u[k])
	}
	return sum
}

// project stores Nᵀ·(C⁻¹f − c) of (R2) in the right side of a group; c has been subtracted from the loads before.
func (y *Reduced) project(w *groupWork, q *group) {
	if q.dof == 0 {
		return
	}
	b := y.Right[y.Groups.Pattern.Off[q.node]:][:q.dof]
	for i := range b {
		v, _ := w.columnsFrom(q, int8(i), int8(i))
		trees := w.trees[q.owner[i]:]
		b[i] = 0
		for k := range v {
			b[i] += dot6(&v[k], &trees[k].load)
		}
	}
}
