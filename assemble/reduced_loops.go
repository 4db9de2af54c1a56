package assemble

import (
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/mechanism"
)

// This file computes one loop joint at a time: its rows W·N, its right side g − W·c, and the squared norms of the rows of W.

// loopWork is the scratch of a loop joint.
type loopWork struct {
	any  jointWork
	pins pinWork
	rows [2][36]float64 // on predecessor and successor
}

// fillLoops fills the rows of loop joints. It returns the first one without direction, or −1.
func (y *Reduced) fillLoops(list []int32, s *mechanism.State) int32 {
	g := y.Groups
	var w loopWork
	first := g.Pattern.Len() - len(g.loops) // node
	for _, i := range list {
		q := &g.loops[i]
		o, n := int(q.row), int(g.Layout.Mech.Joints[q.joint].Rows)
		b := y.Right[o : o+n]
		pred, succ := y.rowsAt(q, &w, true)
		if !y.rowsTo(&w, pred, succ, q, y.Scale[o:o+n], b, s) {
			return i
		}
		y.Parts[first+int(i)] = y.reduce(&q.end[0], pred, b) + y.reduce(&q.end[1], succ, b)
	}
	return -1
}

// fillLoopErrors stores e − W·c in the right sides of loop joints (R8).
func (y *Reduced) fillLoopErrors(list []int32, e []float64, s *mechanism.State) {
	g := y.Groups
	var w loopWork
	var scale, old [6]float64
	for _, i := range list {
		q := &g.loops[i]
		n := int(g.Layout.Mech.Joints[q.joint].Rows)
		b := y.Right[q.row:][:n]
		copy(b, g.Layout.rowsOf(q.joint, e))
		pred, succ := y.rowsAt(q, &w, false)
		if !y.rowsTo(&w, pred, succ, q, scale[:n], old[:n], s) {
			continue // cannot happen near the state of the last FillTo
		}
		y.subtractParticular(&q.end[0], pred, b)
		y.subtractParticular(&q.end[1], succ, b)
	}
}

// rowsAt returns the memory for the rows of a loop joint on predecessor and successor. Constant rows on the predecessor
// stand there already. Rows on a body in no group are in the matrix if store is set. All other rows are in w.
func (y *Reduced) rowsAt(q *loopJoint, w *loopWork, store bool) (pred, succ []float64) {
	pred, succ = w.rows[0][:], w.rows[1][:]
	inW := func(e *loopEnd) bool { return store && e.tree < 0 && e.block >= 0 }
	switch {
	case q.constant >= 0:
		pred = y.constants[q.constant:]
	case inW(&q.end[0]):
		pred = y.Matrix.Val[q.end[0].block:]
	}
	if inW(&q.end[1]) {
		succ = y.Matrix.Val[q.end[1].block:]
	}
	return pred, succ
}

// rowsTo stores the rows of a loop joint on its predecessor and successor, and their squared norms and right sides. For
// a pinned joint the rows on the predecessor are constant and there already. It reports whether the joint has a direction.
func (y *Reduced) rowsTo(w *loopWork, pred, succ []float64, q *loopJoint, scale, b []float64, s *mechanism.State) bool {
	m := y.Groups.Layout.Mech
	jt := &m.Joints[q.joint]
	if pinned(jt) {
		w.pins.pin.Base = y.base[q.row:]
		w.pins.set(jt, y.bodies, y.Kin, s)
		lanes.PinRows(succ, scale, b, &w.pins.pin, pins(jt.Kind))
		return true
	}
	if w.any.eval(m, q.joint, y.Kin, s) != nil {
		return false
	}
	w.any.weightedTo(pred, succ, scale, jt, y.bodies, y.Kin)
	w.any.rightSideTo(b)
	return true
}

// subtractParticular subtracts W·c of a body in a group from b, with W the rows of a joint on it.
func (y *Reduced) subtractParticular(e *loopEnd, W, b []float64) {
	if e.tree >= 0 {
		kernel.SubRows(b, W, len(b), y.particular[6*e.tree:][:6])
	}
}

// reduce stores W·N of (R2) in the block of a joint and the group of a body, with W the rows of the
// joint on the body, and subtracts W·c from b. It returns ‖c‖². It does nothing for a body in no group and returns 0. Columns that
// are zero for the body stay as they are in the block, zero from the beginning.
func (y *Reduced) reduce(e *loopEnd, W, b []float64) (square float64) {
	if e.tree < 0 {
		return 0
	}
	y.subtractParticular(e, W, b)
	square = y.squares[e.tree]
	if e.block < 0 {
		return square
	}
	n, dof := len(b), int(e.dof)
	t := &y.Groups.trees[e.tree]
	columns := y.columnsOf(t, int8(dof))
	block := y.Matrix.Val[e.block:][:n*dof]
	for i := int(t.from); i < dof; i++ {
		var x [6]float64
		kernel.SubRows(x[:n], W, n, columns[:6])
		for a, at := 0, i; a < n; a++ {
			block[at] = -x[a]
			at += dof
		}
		columns = columns[6:]
	}
	return square
}
