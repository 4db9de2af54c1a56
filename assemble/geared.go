package assemble

import (
	"math"

	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/mechanism"
)

// The armature I of a freedom is a flywheel, theory.md (A1), with one unknown of its own, μ = √I·q̈, and one more row of
// the joint,
//
//	e·a − μ/√I = −γ,    q̈ = e·a + γ,
//
// with e the unit wrench of the freedom and γ its velocity-product part, theory.md (9). The flywheel has a unit mass in
// terms of μ. Its elimination leaves −1/I on the diagonal of the row, so the system of bodies and rows of armature is
// quasi-definite, whatever the joints are. The multiplier of the row is −I·q̈.

// NewGeared is NewLayout with flywheels for all freedoms that have armature and are not prescribed. Without such freedoms it is
// NewLayout.
//
// Nodes 0 … bodies−1 are the bodies; then follow the flywheels, one a joint, with a row a freedom, and the
// joints. The rows of armature are the last ones of their joint.
//
// Cost: O(bodies + joints).
func NewGeared(m *mechanism.Mechanism) *Layout { return newLayout(m, true) }

// addFlywheels lists the joints with flywheels and numbers the flywheels' nodes.
func (l *Layout) addFlywheels() {
	for _, j := range l.Mech.Geared() {
		if l.Mech.Joints[j].NumGeared() > 0 {
			l.geared = append(l.geared, j)
		}
	}
	if l.geared == nil {
		return
	}
	l.fly = make([]int32, l.Mech.NumJoints())
	for j := range l.fly {
		l.fly[j] = -1
	}
	for i, j := range l.geared {
		l.fly[j] = int32(l.Mech.NumBodies() + i)
	}
}

// rows returns the number of rows of joint j, rows of armature included.
func (l *Layout) rows(j int) int {
	n := int(l.Mech.Joints[j].Rows)
	if l.hasFlywheel(int32(j)) {
		n += l.Mech.Joints[j].NumGeared()
	}
	return n
}

// FirstJoint returns the first node that is neither a body nor a flywheel.
func (l *Layout) FirstJoint() int { return l.Mech.NumBodies() + len(l.geared) }

// Flywheels returns the number of flywheels, and of their unknowns.
func (l *Layout) Flywheels() (nodes, unknowns int) {
	return len(l.geared), int(l.Pattern.Off[l.FirstJoint()]) - 6*l.Mech.NumBodies()
}

// hasFlywheel reports whether joint j has a flywheel in this layout.
func (l *Layout) hasFlywheel(j int32) bool { return l.fly != nil && l.fly[j] >= 0 }

// pinned reports whether joint j, which is jt, is pinned and has no flywheel in this layout.
func (l *Layout) pinned(j int32, jt *mechanism.Joint) bool {
	return pinned(jt) && !l.hasFlywheel(j)
}

// appendGeared appends the rows of armature of joint j to the rows of w.
func (w *jointWork) appendGeared(l *Layout, j int32) {
	if l.hasFlywheel(j) {
		l.Mech.Joints[j].AppendGeared(&w.rows, &w.kin.Frames)
	}
}

// flywheelTo stores the block of the flywheel of a joint in v, and adds the squares of its rows to the scales of all
// rows of the joint; scale may be nil.
func flywheelTo(v, scale []float64, jt *mechanism.Joint) {
	var I [6]float64
	n := jt.GearedInertias(&I)
	rows := int(jt.Rows)
	clear(v[:n*(rows+n)])
	for k := range n {
		v[(rows+k)*n+k] = -1 / math.Sqrt(I[k])
		if scale != nil {
			scale[rows+k] += 1 / I[k]
		}
	}
}

// geometricFlywheel clears the blocks of the bodies in the rows of armature of a joint, and makes the block v of the flywheel
// −1: in the metric of the geometry these rows are independent of all others. pred and succ are the blocks of the bodies; they may be nil.
func geometricFlywheel(v, scale, pred, succ []float64, jt *mechanism.Joint) {
	n, rows := jt.NumGeared(), int(jt.Rows)
	for k := range n {
		if pred != nil {
			clear(pred[6*(rows+k):][:6])
		}
		if succ != nil {
			clear(succ[6*(rows+k):][:6])
		}
		v[(rows+k)*n+k] = -1
		scale[rows+k] = 1
	}
}

// flywheel is flywheelTo, or with geometric geometricFlywheel, with twice the digits. The flywheel of the joint of a node has its block at
// pos, behind the blocks of the bodies.
func (y *Precise) flywheel(node int, pos int64, scale []float64, geometric bool) {
	p, l := y.Layout.Pattern, y.Layout
	jt := &l.Mech.Joints[l.NodeJoint(node)]
	var I [6]float64
	n, rows := jt.GearedInertias(&I), int(jt.Rows)
	v := y.Values[pos : pos+int64(n*(rows+n))]
	clear(v)
	for k := range n {
		x := dd.Of(-1)
		if geometric {
			for b := p.Ptr[node]; b < p.Ptr[node+1]-1; b++ {
				clear(y.Values[p.Pos[b]+int64(6*(rows+k)):][:6])
			}
			scale[rows+k] = 0
		} else {
			x = dd.Div(x, dd.Sqrt(dd.Of(I[k])))
		}
		v[(rows+k)*n+k] = x
		scale[rows+k] += x.Hi * x.Hi
	}
}
