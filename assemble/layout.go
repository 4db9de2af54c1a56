package assemble

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

// Layout is the pattern of the KKT system of one mechanism and the places of
// bodies and joints in it. It is immutable and may be shared.
//
// Nodes 0 … bodies−1 are the bodies; then follow the joints with at least one
// row, in order, then the couplings. The layout of NewGeared has the flywheels of armature between bodies and joints.
type Layout struct {
	Mech    *mechanism.Mechanism
	Pattern *sparse.Pattern

	node   []int32 // node of each joint, −1 for a joint without rows
	joint  []int32 // joint of each node that is not a body or flywheel
	fly    []int32 // node of the flywheel of each joint, −1 for none; nil if no joint has one
	geared []int32 // joint of each flywheel
}

// NewLayout finds the pattern of the system of m, theory.md (1).
//
// Cost: O(bodies + joints), and the terms of couplings.
func NewLayout(m *mechanism.Mechanism) *Layout { return newLayout(m, false) }

// newLayout finds the pattern of m, with or without flywheels.
func newLayout(m *mechanism.Mechanism, geared bool) *Layout {
	nb := m.NumBodies()
	l := &Layout{Mech: m, node: make([]int32, m.NumJoints())}
	if geared {
		l.addFlywheels()
	}
	n := nb + len(l.geared)
	blocks := 0
	for i := range m.Couplings {
		blocks += len(m.Couplings[i].Bodies)
	}
	for j := range m.Joints {
		l.node[j] = -1
		if jt := &m.Joints[j]; l.rows(j) > 0 {
			l.node[j] = int32(n)
			n++
			blocks += sides(jt)
		}
	}
	blocks += len(l.geared)
	first := n
	n += m.NumCouplings()
	size, sign := make([]int8, n), make([]int8, n)
	ptr, ind := make([]int32, n+1), make([]int32, 0, blocks)
	l.joint = make([]int32, 0, first-nb-len(l.geared))
	for i := range nb {
		size[i], sign[i] = 6, 1
	}
	for i, j := range l.geared {
		size[nb+i], sign[nb+i] = int8(m.Joints[j].NumGeared()), 1
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		rows := l.rows(j)
		if rows == 0 {
			continue
		}
		i := l.node[j]
		size[i], sign[i] = int8(rows), -1
		lo, hi := min(jt.Pred, jt.Succ), max(jt.Pred, jt.Succ)
		if lo >= 0 {
			ind = append(ind, lo)
		}
		ind = append(ind, hi)
		if l.hasFlywheel(int32(j)) {
			ind = append(ind, l.fly[j])
		}
		ptr[i+1] = int32(len(ind))
		l.joint = append(l.joint, int32(j))
	}
	for i := range m.Couplings {
		k := first + i
		size[k], sign[k] = 1, -1
		ind = append(ind, m.Couplings[i].Bodies...)
		ptr[k+1] = int32(len(ind))
	}
	l.Pattern = sparse.NewPattern(size, sign, ptr, ind)
	return l
}

// With returns l for m, a mechanism with the same bodies and joints under other inputs.
//
// Cost: O(1).
func (l *Layout) With(m *mechanism.Mechanism) *Layout {
	out := *l
	out.Mech = m
	return &out
}

// sides returns the number of bodies of a joint: 2, or 1 if the other side is the world.
func sides(j *mechanism.Joint) int {
	if j.Pred < 0 || j.Succ < 0 {
		return 1
	}
	return 2
}

// JointNode returns the node of joint j, or −1 if it has no rows.
func (l *Layout) JointNode(j int) int { return int(l.node[j]) }

// FlywheelNode returns the node of the flywheel of joint j, −1 if it has none (NewGeared).
func (l *Layout) FlywheelNode(j int) int {
	if l.fly == nil {
		return -1
	}
	return int(l.fly[j])
}

// NodeJoint returns the joint of a node, or −1 for the node of a body or coupling.
func (l *Layout) NodeJoint(node int) int {
	if i := node - l.FirstJoint(); i >= 0 && i < len(l.joint) {
		return int(l.joint[i])
	}
	return -1
}

// CouplingNode returns the node of coupling i.
func (l *Layout) CouplingNode(i int) int { return l.FirstJoint() + len(l.joint) + i }

// NodeConstraint returns the joint or coupling of a node, numbered as by mechanism.Mechanism.NumConstraints, or −1 for
// the node of a body or flywheel.
func (l *Layout) NodeConstraint(node int) int {
	i := node - l.FirstJoint()
	switch {
	case i < 0:
		return -1
	case i < len(l.joint):
		return int(l.joint[i])
	}
	return l.Mech.NumJoints() + i - len(l.joint)
}

// ConstraintNode returns the node of a joint or coupling, or −1 if it has no rows.
func (l *Layout) ConstraintNode(i int) int {
	if c := i - len(l.node); c >= 0 {
		return l.CouplingNode(c)
	}
	return l.JointNode(i)
}

// NodeName returns the name of the body, joint or coupling of a node, for messages.
func (l *Layout) NodeName(node int) string {
	i := l.NodeConstraint(node)
	if k := node - l.Mech.NumBodies(); i < 0 && k >= 0 { // a flywheel, named by its joint
		i = int(l.geared[k])
	}
	switch {
	case i >= l.Mech.NumJoints():
		return fmt.Sprintf("coupling %s", fault.Name(l.Mech.ConstraintName(i)))
	case i >= 0:
		return fmt.Sprintf("joint %s", fault.Name(l.Mech.ConstraintName(i)))
	}
	return fmt.Sprintf("body %s", fault.Name(l.Mech.BodyName(node)))
}

// At returns err as an error at the body, joint or coupling of a node (mechanism.Error). For a joint it also has the row, unless row
// is −1 or a row of armature.
func (l *Layout) At(node, row int, err error) *mechanism.Error {
	if i := l.NodeConstraint(node); i >= 0 {
		if i < l.Mech.NumJoints() && row >= int(l.Mech.Joints[i].Rows) {
			row = -1 // a row of armature, which has no name
		}
		return l.Mech.AtConstraint(i, row, err)
	}
	if k := node - l.Mech.NumBodies(); k >= 0 {
		return l.Mech.AtJoint(int(l.geared[k]), -1, err)
	}
	return l.Mech.AtBody(node, err)
}

// place has the places of the rows of a joint in vectors and matrices.
type place struct {
	row        int32 // first scalar row
	pred, succ int64 // offsets in Matrix.Val of the blocks, −1 for the world
	fly        int64 // offset of the block of the flywheel, −1 for none
}

// place returns the places of the rows of a joint with the given node.
func (l *Layout) place(jt *mechanism.Joint, node int32) place {
	p := l.Pattern
	k := p.Ptr[node]
	at := place{p.Off[node], p.Pos[k], p.Pos[k], -1}
	if l.hasFlywheel(int32(l.NodeJoint(int(node)))) {
		at.fly = p.Pos[p.Ptr[node+1]-1]
	}
	switch {
	case jt.Pred < 0:
		at.pred = -1
	case jt.Succ < 0:
		at.succ = -1
	case jt.Pred < jt.Succ:
		at.succ = p.Pos[k+1]
	default:
		at.pred = p.Pos[k+1]
	}
	return at
}

// rowsIn returns the blocks of the predecessor and the successor in the values of a matrix, nil for the world.
func (at place) rowsIn(val []float64) (pred, succ []float64) {
	if at.pred >= 0 {
		pred = val[at.pred:]
	}
	if at.succ >= 0 {
		succ = val[at.succ:]
	}
	return pred, succ
}
