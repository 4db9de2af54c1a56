package motion

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse"
)

// compliance is a row of G along one coordinate: a spring and damper with armature, an actuator, or a stop with friction.
type compliance struct {
	joint, index int32 // freedom of a joint; or −1 and the number of a force element
	resist       int32 // 1 + the number of a resistor (stops, friction) on the freedom, or 0
	motor        int32 // 1 + the number of an actuator on the freedom, or 0; with resist 0 too: the spring and damper of the joint
	pred, succ   int32 // bodies, or World; of a force element the bodies of A and B
	node         int32 // node of the row in the pattern of slacked.fac
}

// at returns err as an error at the force element or actuator of the row, or at the joint of its spring.
func (c *compliance) at(m *mechanism.Mechanism, err error) *mechanism.Error {
	if c.joint < 0 {
		return m.AtForce(int(c.index), err)
	}
	if c.motor > 0 {
		_, element := m.Actuator(int(c.motor) - 1)
		return m.AtForce(element, err)
	}
	return m.AtJoint(int(c.joint), -1, err)
}

// springRows are the rows of springs and dampers, of armature, actuators, stops and friction.
type springRows struct {
	*slacked
	rows []compliance
	root []float64 // by row: √κ
}

// newSpringRows allocates the springRows of a system.
func newSpringRows(q *slacked) springRows {
	rows := compliances(q.sys.Layout.Mech)
	return springRows{slacked: q, rows: rows, root: make([]float64, len(rows))}
}

// compliances lists the springs and dampers of m, armature, actuators whose force depends on the motion, stops and friction.
func compliances(m *mechanism.Mechanism) (rows []compliance) {
	for i := range m.Forces {
		if f := &m.Forces[i]; f.Kind == model.SpringDamper {
			rows = append(rows, compliance{joint: -1, index: int32(i), pred: f.A.Body, succ: f.B.Body})
		}
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		for i := range jt.Kind.Freedoms() {
			if m.Sprung(j, i) && !jt.Prescribed(i) || jt.Armature != nil && jt.Armature[i] > 0 {
				rows = append(rows, compliance{joint: int32(j), index: int32(i), pred: jt.Pred, succ: jt.Succ})
			}
		}
	}
	for i := range m.NumActuators() {
		f, _ := m.Actuator(i)
		jt := &m.Joints[f.Joint]
		if m.ActuatorPulls(i) {
			rows = append(rows, compliance{joint: int32(f.Joint), index: int32(f.Freedom), motor: int32(i) + 1, pred: jt.Pred, succ: jt.Succ})
		}
	}
	for i := range m.NumResistors() {
		f, _ := m.Resistor(i)
		jt := &m.Joints[f.Joint]
		if !jt.Prescribed(f.Freedom) {
			rows = append(rows, compliance{joint: int32(f.Joint), index: int32(f.Freedom), resist: int32(i) + 1, pred: jt.Pred, succ: jt.Succ})
		}
	}
	moving := rows[:0]
	for _, c := range rows {
		if c.pred != c.succ { // otherwise the ends are on one body, and cannot move relative to each other
			moving = append(moving, c)
		}
	}
	return moving
}

// slacks implements slackRows.
func (n *springRows) slacks(list []sparse.Slack) []sparse.Slack {
	for i := range n.rows {
		list = append(list, sparse.Slack{Nodes: [2]int32{n.rows[i].pred, n.rows[i].succ}, Size: 1, Rows: 1})
	}
	return list
}

// place implements slackRows.
func (n *springRows) place(node int32) int32 {
	for i := range n.rows {
		n.rows[i].node = node + int32(i)
	}
	return node + int32(len(n.rows))
}

// at implements slackRows.
func (n *springRows) at(node int, err error) *mechanism.Error {
	return n.rows[node].at(n.sys.Layout.Mech, err)
}

// fill implements slackRows.
func (n *springRows) fill(st *mechanism.State, position, velocity float64) error {
	for i := range n.rows {
		if n.fac.Watched().Every(i) {
			return n.fac.Watched().Err()
		}
		n.fillCompliance(i, st, position, velocity)
	}
	return nil
}

// pull is a compliance at one state.
type pull struct {
	mechanism.Along
	mechanism.Pull
	inertia float64              // armature, kg or kg m²
	resist  mechanism.Resistance // of stops and friction
}

// pullTo stores in q the compliance c at st, whose bodies have the kinematics of n.sys.
func (n *springRows) pullTo(q *pull, c *compliance, st *mechanism.State) {
	m, k := n.sys.Layout.Mech, n.sys.Kin
	q.inertia = 0
	if c.joint < 0 {
		var at mechanism.SpringState
		_ = m.SpringAt(&at, int(c.index), k, st) // FillTo has refused states at which it fails
		q.Along, q.Pull = at.Along, at.Pull
		return
	}
	var jk mechanism.JointKinematics
	var x, rate [6]float64
	j, i := &m.Joints[c.joint], c.index
	m.JointTo(&jk, int(c.joint), k, st)
	m.FreedomTo(&q.Along, mechanism.Freedom{Joint: int(c.joint), Freedom: int(i)}, &jk, k)
	if c.motor > 0 {
		p := m.ActuatorSecant(int(c.motor)-1, &jk, st)
		q.Pull = mechanism.Pull{Tension: -p.Force, Stiffness: p.Stiffness, Damping: p.Damping}
		return
	}
	if c.resist > 0 {
		q.resist = m.ResistanceAt(int(c.resist)-1, &jk, st)
		q.Pull = mechanism.Pull{Tension: -q.resist.Force, Stiffness: q.resist.Stiffness, Damping: q.resist.Secant}
		return
	}
	if j.Armature != nil {
		q.inertia = j.Armature[i]
	}
	q.Pull = mechanism.Pull{}
	if d := m.Drive(int(c.joint)); d != nil {
		j.CoordinatesTo(&x, &rate, &jk)
		q.Pull, _ = d.PullAt(int(i), x[i], rate[i]) // FillTo has refused states at which it fails
	}
}

// fillCompliance stores row i of G at st in n.fac.
func (n *springRows) fillCompliance(i int, st *mechanism.State, position, velocity float64) {
	c, p := &n.rows[i], n.fac.Matrix.Pattern
	var q pull
	n.pullTo(&q, c, st)
	if c.resist > 0 && velocity > 0 {
		q.Damping = q.resist.Step(position / velocity)
	}
	root := max(math.Sqrt(max(q.Stiffness*position+q.Damping*velocity+q.inertia, 0)), rootLeast)
	n.root[i] = root
	at := p.Ptr[c.node]
	blocks := n.fac.Matrix.Val[p.Pos[at]:p.Pos[p.Ptr[c.node+1]]]
	if c.pred >= 0 && (c.pred < c.succ || c.succ < 0) {
		n.fillEnd(blocks, &q.Unit, &q.Arm[0], c.pred, -root)
		blocks = blocks[6:]
	}
	if c.succ >= 0 {
		n.fillEnd(blocks, &q.Unit, &q.Arm[1], c.succ, root)
		blocks = blocks[6:]
	}
	if c.pred >= 0 && c.succ >= 0 && c.succ < c.pred {
		n.fillEnd(blocks, &q.Unit, &q.Arm[0], c.pred, -root)
		blocks = blocks[6:]
	}
	blocks[0] = -1
}

// setTensions replaces the tensions of springs at st in the residual of the bodies by the given tensions. It stores the differences in the
// right sides of the springs' rows. Armature adds I·q̈ there to the tension of its freedom; u are the accelerations. The residual of the
// bodies has no armature.
func (n *springRows) setTensions(tension, u []float64, st *mechanism.State) {
	var q pull
	rows := n.b[len(n.b)-n.gap:]
	for i := range n.rows {
		c := &n.rows[i]
		n.pullTo(&q, c, st)
		e := q.Tension - tension[i]
		rows[i] = -(e + n.armatureForce(&q, c, u, st)) / n.root[i]
		n.addEnds(c, &q, e)
	}
}

// addEnds adds a force along the coordinate of c to the residual of its bodies: positive on the successor.
func (n *springRows) addEnds(c *compliance, q *pull, force float64) {
	if c.pred >= 0 {
		n.addEnd(&q.Unit, &q.Arm[0], c.pred, -force)
	}
	if c.succ >= 0 {
		n.addEnd(&q.Unit, &q.Arm[1], c.succ, force)
	}
}

// armatureForce returns I·q̈ of the freedom of c for the accelerations u.
func (n *springRows) armatureForce(q *pull, c *compliance, u []float64, st *mechanism.State) float64 {
	if q.inertia == 0 {
		return 0
	}
	var qdd [6]float64
	_ = n.sys.Layout.Mech.SecondRatesTo(&qdd, int(c.joint), u, n.sys.Kin, st) // cannot fail for a joint with armature
	return q.inertia * qdd[c.index]
}

// addArmature adds gᵀ·I·g·a of all armature to n.r, for accelerations a of the bodies at st.
func (n *springRows) addArmature(a []float64, st *mechanism.State) {
	m := n.sys.Layout.Mech
	if m.Geared() == nil {
		return
	}
	var q pull
	for i := range n.rows {
		c := &n.rows[i]
		if c.joint < 0 || c.motor > 0 || m.Joints[c.joint].Armature == nil {
			continue
		}
		if n.pullTo(&q, c, st); q.inertia == 0 {
			continue
		}
		var g [12]float64
		q.RowTo(&g)
		rate := 0.0
		for end, b := range q.Body {
			if b >= 0 {
				rate += algebra.Dot(g[6*end:6*end+6], a[6*b:6*b+6])
			}
		}
		n.addEnds(c, &q, q.inertia*rate)
	}
}
