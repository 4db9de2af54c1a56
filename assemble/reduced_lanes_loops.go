package assemble

import (
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/spatial"
)

// This file computes eight loop joints at a time: it is reduced_loops.go with a vector of eight numbers for each number.

// fillLoopEights is fillLoops for eights of loop joints.
func (y *Reduced) fillLoopEights(w *eightWork, list []loopEight) {
	for i := range list {
		y.fetchLoops(list, i+ahead)
		q, joint := &list[i], &w.joint
		n := y.rowsEight(w, q)
		w.sums[0] = lanes.Vector{}
		y.reduceEight(w, &q.end[0], joint.P[:], n)
		y.reduceEight(w, &q.end[1], joint.S[:], n)
		lanes.Scatter(y.Scale, &q.row, joint.Scale[:n])
		lanes.Scatter(y.Right, &q.row, joint.B[:n])
		lanes.Scatter(y.Parts, &q.node, w.sums[:])
	}
}

// fillLoopEightErrors is fillLoopErrors for eights of loop joints.
func (y *Reduced) fillLoopEightErrors(w *eightWork, list []loopEight) {
	for i := range list {
		q, joint := &list[i], &w.joint
		n := y.rowsEight(w, q)
		lanes.Gather(joint.B[:n], y.pass.e, &q.wholeRow)
		y.subtractEight(w, &q.end[0], joint.P[:], n)
		y.subtractEight(w, &q.end[1], joint.S[:], n)
		lanes.Scatter(y.Right, &q.row, joint.B[:n])
	}
}

// rowsEight computes the rows of eight loop joints, their squared
// norms and right sides, in w.joint. It returns the number of rows.
func (y *Reduced) rowsEight(w *eightWork, q *loopEight) (n int) {
	joint, c := &w.joint, &y.Groups.eights.loopConsts[q.loopConsts]
	y.endState(&joint.EP, &joint.OmegaP, &q.end[0])
	y.endState(&joint.ES, &joint.OmegaS, &q.end[1])
	if q.ball {
		lanes.BallRows(joint, c)
		return lanes.Ball.Rows()
	}
	lanes.HingeRows(joint, c)
	return lanes.Hinge.Rows()
}

// endState gathers the axes and angular velocities of the bodies at one end of eight joints.
func (y *Reduced) endState(E *[9]lanes.Vector, omega *[3]lanes.Vector, q *endEight) {
	if q.dof < 0 {
		*E, *omega = worldAxes, [3]lanes.Vector{}
		return
	}
	lanes.Gather(E[:], lanes.Numbers(y.Kin.Bodies), &q.kin)
	lanes.Gather(omega[:], lanes.Numbers(y.pass.s.Bodies), &q.omega)
}

// worldAxes are the axes of the world in each lane.
var worldAxes = func() (E [9]lanes.Vector) {
	for i, e := range spatial.Identity3() {
		for l := range E[i] {
			E[i][l] = e
		}
	}
	return E
}()

// subtractEight is subtractParticular for one end of eight joints with n rows.
func (y *Reduced) subtractEight(w *eightWork, q *endEight, rows []lanes.Vector, n int) {
	if q.dof >= 0 {
		lanes.Gather(w.six[:], y.particular, &q.particular)
		lanes.SubProducts(w.joint.B[:], rows, n, &w.six)
	}
}

// reduceEight is reduce for one end of eight joints with n rows; it adds ‖c‖² to w.sums.
func (y *Reduced) reduceEight(w *eightWork, q *endEight, rows []lanes.Vector, n int) {
	if q.dof < 0 {
		return
	}
	y.subtractEight(w, q, rows, n)
	lanes.Gather(w.squares[:], y.squares, &q.tree)
	addVector(&w.sums[0], &w.squares[0])
	dof, from := int(q.dof), int(q.from)
	if from == dof {
		return // the bodies do not move with the freedoms
	}
	columns := w.columns[0][:6*(dof-from)]
	lanes.Gather(columns, y.directions, &q.directions)
	block := w.block[:n*dof]
	if from > 0 {
		clear(block)
	}
	for i := from; i < dof; i++ {
		lanes.Products(block[i:], dof, rows, n, (*[6]lanes.Vector)(columns[6*(i-from):]))
	}
	lanes.Scatter(y.Matrix.Val, &q.block, block)
}
