package assemble

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/lanes"
)

// This file computes eight groups at a time: it is reduced_tree.go with a vector of eight numbers for each number.

// eightWork is the scratch of eights.
type eightWork struct {
	bodies  [groupBodies]lanes.Body
	columns [groupBodies][6 * groupFreedoms]lanes.Vector // N of the bodies, six numbers a column
	six     [6]lanes.Vector
	right   [groupFreedoms]lanes.Vector
	joint   lanes.Joint
	squares [1]lanes.Vector // ‖c‖² of a body
	sums    [1]lanes.Vector // Σ‖c‖² of both bodies of a joint
	block   [eightRows * groupFreedoms]lanes.Vector

	_ [16]float64 // keeps memory of different workers two cache lines apart
}

// doEights does the present pass for the eights lo ≤ i < hi. Once groups have their loads, or c for errors, it also computes the
// eights of loop joints between the groups of this task.
func (y *Reduced) doEights(w *eightWork, end *passEnd, lo, hi int) {
	g, p := y.Groups, &y.pass
	switch p.kind {
	case statePass, loadPass:
		for i := lo; i < hi; i++ {
			y.fetchGroups(i+ahead, p.s)
			y.doGroupEight(w, end, int32(i))
		}
		if p.kind == loadPass || y.force == nil {
			y.fillLoopEights(w, g.innerLoops(lo/eightRange))
		}
	case loopPass:
		y.fillLoopEights(w, g.outerLoops()[lo:hi])
	case errorPass:
		for i := lo; i < hi; i++ {
			y.fillEightErrors(w, &g.eights.groups[i], p.e)
		}
		y.fillLoopEightErrors(w, g.innerLoops(lo/eightRange))
	case loopErrorPass:
		y.fillLoopEightErrors(w, g.outerLoops()[lo:hi])
	case resultPass:
		for i := lo; i < hi; i++ {
			y.fetchResults(i+ahead, p.a)
			y.eightResult(w, &g.eights.groups[i], p.a, p.z)
		}
	}
}

// doGroupEight is fillEight for eight i of groups, with results in end. The lanes may also report states with very large
// numbers as not finite, so these are checked one by one.
func (y *Reduced) doGroupEight(w *eightWork, end *passEnd, i int32) {
	q := &y.Groups.eights.groups[i]
	free, finite := y.fillEight(w, q)
	if !finite && !y.eightStates(q) {
		end.bad = i
	}
	end.free = max(end.free, free)
}

// treesOf returns the tree joints and the shape of an eight.
func (y *Reduced) treesOf(q *groupEight) ([]treeEight, *groupShape) {
	shape := &y.Groups.eights.shapes[q.shape]
	return y.Groups.eights.trees[q.first:][:shape.n], shape
}

// consts returns the constants of a tree joint of an eight.
func (y *Reduced) consts(t *treeEight) *lanes.BodyConst {
	return &y.Groups.eights.treeConsts[t.treeConsts]
}

// fillEight is fillGroup for an eight, and computes the kinematics before. In a statePass with applied forces,
// it only computes the kinematics. It reports whether the states are certain to be finite, and returns
// the largest component of C⁻¹·f, or NaN if c overflows.
func (y *Reduced) fillEight(w *eightWork, q *groupEight) (free float64, finite bool) {
	trees, shape := y.treesOf(q)
	finite = true
	waiting := y.force != nil && y.pass.kind == statePass
	var size lanes.Vector
	for k := range trees {
		t := &trees[k]
		finite = y.loadEight(w, k, t) && finite
		if waiting {
			continue
		}
		if y.force != nil {
			y.addApplied(&w.bodies[k], t)
		}
		free = max(free, algebra.MaxAbs(w.bodies[k].Free[:]))
		y.hingeEight(w, k, t, &shape.tree[k])
		y.particularEight(w, k, t, &shape.tree[k])
		addVector(&size, &w.bodies[k].Size)
	}
	if waiting {
		return 0, finite
	}
	y.directionsEight(w, trees, shape)
	y.projectEight(w, q, shape)
	if isLarge(algebra.MaxAbs(size[:])) {
		free = math.NaN()
	}
	return free, finite
}

// addVector adds u to v.
func addVector(v, u *lanes.Vector) {
	for l := range v {
		v[l] += u[l]
	}
}

// eightStates computes the kinematics of an eight one body after the other. It reports whether the states are finite.
func (y *Reduced) eightStates(q *groupEight) bool {
	trees, _ := y.treesOf(q)
	for i := range trees {
		for _, k := range trees[i].tree {
			if !y.stateOf(y.Groups.trees[k].body, y.pass.s) {
				return false
			}
		}
	}
	return true
}

// loadEight computes the kinematics and the loads of gravity and rotation of the bodies of tree joint t, number k of their groups. It
// reports whether their states are certain to be finite.
func (y *Reduced) loadEight(w *eightWork, k int, t *treeEight) bool {
	b := &w.bodies[k]
	lanes.Gather(b.State[:], lanes.Numbers(y.pass.s.Bodies), &t.state)
	finite := lanes.Load(b, y.consts(t), (*[3]float64)(&y.Groups.Layout.Mech.Gravity))
	lanes.Scatter(lanes.Numbers(y.Kin.Bodies), &t.kin, b.Kin[:])
	return finite
}

// addApplied adds C⁻¹ times applied forces to the loads of bodies.
func (y *Reduced) addApplied(b *lanes.Body, t *treeEight) {
	for l, k := range t.tree {
		var f [6]float64
		body := y.Groups.trees[k].body
		addWeightedForce(&f, &y.bodies[body], &y.Kin.Bodies[body].E, &y.force[body])
		for e, v := range f {
			b.Load[e][l] += v
			f[e] = b.Load[e][l]
		}
		b.Free[l] = algebra.MaxAbs(f[:])
	}
}

// parent returns the parents of the bodies of a tree joint, nil for the world.
func (w *eightWork) parent(t *treeShape) *lanes.Body {
	if t.parent < 0 {
		return nil
	}
	return &w.bodies[t.parent]
}

// hingeEight is rotation and hinge for the bodies k of an eight.
func (y *Reduced) hingeEight(w *eightWork, k int, t *treeEight, shape *treeShape) {
	b, c, up := &w.bodies[k], y.consts(t), w.parent(shape)
	if up == nil {
		lanes.HingeBiasWorld(b, c)
	} else {
		lanes.Rotate(b, up)
		lanes.HingeBias(b, c, up)
	}
	for i := range b.Axis { // an assignment of the whole array would copy it twice
		b.Axis[i] = c.Frame[3*i+2]
	}
	w.toBody(&b.Axis, b, up, shape.reversed)
}

// toBody brings v from the axes of the joint's predecessor to the axes of the body, which is the predecessor if reversed.
func (w *eightWork) toBody(v *[3]lanes.Vector, b, up *lanes.Body, reversed bool) {
	u := *v
	switch {
	case reversed:
	case up == nil:
		lanes.TurnBack(v, b.E(), &u)
	default:
		lanes.Turn(v, &b.R, &u)
	}
}

// particularEight stores c of bodies k and its squares, and subtracts it from the loads.
func (y *Reduced) particularEight(w *eightWork, k int, t *treeEight, shape *treeShape) {
	b := &w.bodies[k]
	if up := w.parent(shape); up == nil {
		lanes.ParticularWorld(&w.six, b, y.consts(t))
	} else {
		lanes.Particular(&w.six, b, y.consts(t), up)
	}
	lanes.Scatter(y.particular, &t.particular, w.six[:])
	w.squares[0] = b.Size
	lanes.Scatter(y.squares, &t.tree, w.squares[:])
}

// column returns column i of N of bodies k.
func (w *eightWork) column(k int, i int8) *[6]lanes.Vector {
	return (*[6]lanes.Vector)(w.columns[k][6*i:])
}

// columnsOf returns all columns of N of bodies k, from their first on.
func (w *eightWork) columnsOf(shape *groupShape, k int) []lanes.Vector {
	return w.columns[k][6*shape.tree[k].from : 6*shape.dof]
}

// directionsEight computes and stores N of an eight.
func (y *Reduced) directionsEight(w *eightWork, trees []treeEight, shape *groupShape) {
	list := shape.tree[:shape.n]
	for k := range list {
		y.columnEight(w, trees, list, k)
	}
	for i := range shape.dof {
		w.orthonormalize(list, i)
	}
	for k := range trees {
		lanes.Scatter(y.directions, &trees[k].directions, w.columnsOf(shape, k))
	}
}

// columnEight is fillColumn for the hinges k of an eight.
func (y *Reduced) columnEight(w *eightWork, trees []treeEight, list []treeShape, k int) {
	i := list[k].from
	lanes.OwnDirection(w.column(k, i), &w.bodies[k], y.consts(&trees[k]))
	moved := uint8(1) << k
	for d := k + 1; d < len(list); d++ {
		parent := int(list[d].parent)
		switch {
		case parent >= k && moved>>parent&1 != 0:
			moved |= 1 << d
			lanes.CarriedDirection(w.column(d, i), &w.bodies[d], y.consts(&trees[d]), &w.bodies[parent])
		case i >= list[d].from:
			*w.column(d, i) = [6]lanes.Vector{}
		}
	}
}

// orthonormalize is groupWork.orthonormalize for an eight. If one group needs another round, all groups get it.
func (w *eightWork) orthonormalize(list []treeShape, i int8) {
	for {
		var lost lanes.Vector
		for j := range i {
			w.removeColumn(list, i, j, &lost)
		}
		var size lanes.Vector
		w.dotColumns(&size, list, i, i)
		if i > 0 && anyAbove(&lost, &size) {
			continue
		}
		lanes.InverseRoot(&size)
		for k := range list {
			if list[k].from <= i {
				lanes.Scale(w.column(k, i), &size)
			}
		}
		return
	}
}

// anyAbove reports whether v is above u in some lane.
func anyAbove(v, u *lanes.Vector) bool {
	for l := range v {
		if v[l] > u[l] {
			return true
		}
	}
	return false
}

// dotColumns adds the products of columns i and j ≤ i of N of an eight to sum.
func (w *eightWork) dotColumns(sum *lanes.Vector, list []treeShape, i, j int8) {
	for k := range list {
		if list[k].from <= j {
			lanes.Dot(sum, w.column(k, i), w.column(k, j))
		}
	}
}

// removeColumn subtracts from column i its part along column j, and adds the square of that part to lost.
func (w *eightWork) removeColumn(list []treeShape, i, j int8, lost *lanes.Vector) {
	var part lanes.Vector
	w.dotColumns(&part, list, i, j)
	for k := range list {
		if list[k].from <= j {
			lanes.Sub(w.column(k, i), &part, w.column(k, j))
		}
	}
	for l, v := range part {
		lost[l] += v * v
	}
}

// projectEight is project for an eight, whose columns and loads are in w.
func (y *Reduced) projectEight(w *eightWork, q *groupEight, shape *groupShape) {
	list := shape.tree[:shape.n]
	for i := range shape.dof {
		sum := &w.right[i]
		*sum = lanes.Vector{}
		for k := range list {
			if list[k].from <= i {
				lanes.Dot(sum, w.column(k, i), &w.bodies[k].Load)
			}
		}
	}
	lanes.Scatter(y.Right, &q.row, w.right[:shape.dof])
}

// fillEightErrors is fillGroupErrors for an eight.
func (y *Reduced) fillEightErrors(w *eightWork, q *groupEight, e []float64) {
	trees, shape := y.treesOf(q)
	for k := range trees {
		t, b := &trees[k], &w.bodies[k]
		lanes.Gather(b.E()[:], lanes.Numbers(y.Kin.Bodies), &t.kin)
		if up := w.parent(&shape.tree[k]); up != nil {
			lanes.Rotate(b, up)
		}
		y.demandEight(w, k, t, &shape.tree[k], e)
		b.Load = [6]lanes.Vector{}
		y.particularEight(w, k, t, &shape.tree[k])
		lanes.Gather(w.columnsOf(shape, k), y.directions, &t.directions)
	}
	y.projectEight(w, q, shape)
}

// demandEight is demandHinge for the hinges k of an eight.
func (y *Reduced) demandEight(w *eightWork, k int, t *treeEight, shape *treeShape, e []float64) {
	b, c := &w.bodies[k], y.consts(t)
	right := w.joint.B[:]
	lanes.Gather(right, e, &t.wholeRow)
	turn, move := (*[3]lanes.Vector)(b.Rel[:3]), (*[3]lanes.Vector)(b.Rel[3:])
	lanes.Turn(turn, &c.Frame, &[3]lanes.Vector{right[3], right[4]})
	lanes.Turn(move, &c.Frame, (*[3]lanes.Vector)(right[:3]))
	if shape.reversed {
		for i := range b.Rel {
			for l := range b.Rel[i] {
				b.Rel[i][l] = -b.Rel[i][l]
			}
		}
	}
	up := w.parent(shape)
	w.toBody(turn, b, up, shape.reversed)
	w.toBody(move, b, up, shape.reversed)
}

// eightResult is groupResult for an eight.
func (y *Reduced) eightResult(w *eightWork, q *groupEight, a, z []float64) {
	trees, shape := y.treesOf(q)
	freedoms := w.right[:shape.dof]
	lanes.Gather(freedoms, z, &q.row)
	for k := range trees {
		t, from := &trees[k], shape.tree[k].from
		lanes.Gather(w.six[:], y.particular, &t.particular)
		columns := w.columnsOf(shape, k)
		lanes.Gather(columns, y.directions, &t.directions)
		for i := from; i < shape.dof; i++ {
			lanes.Add(&w.six, &freedoms[i], (*[6]lanes.Vector)(columns[6*(i-from):]))
		}
		b := &w.bodies[0]
		lanes.Gather(b.E()[:], lanes.Numbers(y.Kin.Bodies), &t.kin)
		lanes.Recover(&b.At, b.E(), y.consts(t), &w.six)
		lanes.Scatter(a, &t.accel, b.At[:])
	}
}
