package motion

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// compliance is a row of G: a spring and damper with armature, or an actuator, along one coordinate.
type compliance struct {
	joint, index int32 // freedom of a joint; or −1 and a force element
	resist       int32 // 1 + the number of stops or of friction on the freedom
	motor        int32 // 1 + the number of an actuator on the freedom; 0: the spring and damper of the joint
	pred, succ   int32 // bodies, or World; of a force element those of A and B
	node         int32 // of the row in the pattern of Newton.fac
}

// at returns err as an error at the spring: at a force element, or at the joint of the spring.
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

// rootLeast is the least √κ of a row, for springs whose stiffness has gone or is negative: the row is divided by it. Any value as small does.
const rootLeast = 1e-100

// compliances lists the springs and dampers of m, and the actuators whose force depends on the motion.
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
		if c.pred != c.succ { // else the ends cannot move against each other
			moving = append(moving, c)
		}
	}
	return moving
}

// compliantPattern returns p with slacks and as many rows: one for each spring, six for each body of a force of one's own,
// and as many for a contact, a bushing or a cable as it has rows. It sets the nodes of these rows in the elements.
func compliantPattern(p *sparse.Pattern, springs []compliance, forces []own, grips []grip, strains []strain) *sparse.Pattern {
	list := make([]sparse.Slack, len(springs), len(springs)+len(forces)+len(grips)+len(strains))
	for i := range springs {
		list[i] = sparse.Slack{Nodes: [2]int32{springs[i].pred, springs[i].succ}, Size: 1, Rows: 1}
	}
	for i := range forces {
		f := &forces[i]
		s := sparse.Slack{Nodes: [2]int32{f.bodies[0], -1}, Size: sparse.MaxBlock, Rows: sparse.MaxBlock}
		if len(f.bodies) > 1 {
			s.Nodes[1], s.More = f.bodies[1], f.bodies[2:]
		}
		for range f.bodies {
			list = append(list, s)
		}
	}
	for i := range grips {
		n := int8(grips[i].rows)
		list = append(list, sparse.Slack{Nodes: [2]int32{grips[i].body, -1}, Size: n, Rows: n})
	}
	for i := range strains {
		list = append(list, strains[i].slack())
	}
	node := int32(p.Len() + len(list)) // of the first row
	for i := range springs {
		springs[i].node = node + int32(i)
	}
	node += int32(len(springs))
	for i := range forces {
		forces[i].node = node
		node += int32(len(forces[i].bodies))
	}
	for i := range grips {
		grips[i].node = node + int32(i)
	}
	node += int32(len(grips))
	for i := range strains {
		strains[i].node = node + int32(i)
	}
	return p.WithSlacks(list)
}

// pull is a spring and damper at one state.
type pull struct {
	w                  spatial.Force // wrench on the successor of a unit force along the coordinate; zero without direction
	armP, armS         spatial.Vec3  // from the centres of mass to where it acts, zero for the world
	tension            float64       // k·(coordinate − rest) + d·rate
	stiffness, damping float64
	inertia            float64              // armature
	resist             mechanism.Resistance // of stops and friction
}

// pullTo stores c at st, whose bodies have the kinematics of n.sys.
func (n *Newton) pullTo(q *pull, c *compliance, st *mechanism.State) {
	m, k := n.sys.Layout.Mech, n.sys.Kin
	if c.joint < 0 {
		springTo(q, m, int(c.index), k, st)
		return
	}
	var jk mechanism.JointKinematics
	var tau, x, rate [6]float64
	j, i := &m.Joints[c.joint], c.index
	m.JointTo(&jk, int(c.joint), k, st)
	tau[i] = 1
	j.WrenchTo(&q.w, &tau, &jk.Frames)
	q.armP, q.armS = spatial.Vec3{}, spatial.Vec3{}
	if c.pred >= 0 {
		q.armP = jk.ArmP.Add(jk.R).Sub(k.Bodies[c.pred].Com)
	}
	if c.succ >= 0 {
		q.armS = jk.ArmS.Sub(k.Bodies[c.succ].Com)
	}
	if c.motor > 0 {
		p := m.ActuatorSecant(int(c.motor)-1, &jk, st)
		q.stiffness, q.damping, q.tension = p.Stiffness, p.Damping, -p.Force
		return
	}
	q.inertia, q.stiffness, q.damping, q.tension = 0, 0, 0, 0
	if c.resist > 0 {
		q.resist = m.ResistanceAt(int(c.resist)-1, &jk, st)
		q.stiffness, q.damping, q.tension = q.resist.Stiffness, q.resist.Secant, -q.resist.Force
		return
	}
	if j.Armature != nil {
		q.inertia = j.Armature[i]
	}
	d := m.Drive(int(c.joint))
	if d == nil {
		return
	}
	j.CoordinatesTo(&x, &rate, &jk)
	// FillTo has refused what has no force.
	p, _ := d.PullAt(int(i), x[i], rate[i])
	q.stiffness, q.damping, q.tension = p.Stiffness, p.Damping, p.Tension
}

// springTo is pullTo for force element e.
func springTo(q *pull, m *mechanism.Mechanism, e int, k *mechanism.Kinematics, st *mechanism.State) {
	f := &m.Forces[e]
	*q = pull{stiffness: f.Stiffness, damping: f.Damping}
	var near, far, v [2]spatial.Vec3
	for i, a := range [2]*mechanism.Attachment{&f.A, &f.B} {
		far[i] = a.Point
		if a.Body < 0 {
			continue
		}
		b, kb := &st.Bodies[a.Body], &k.Bodies[a.Body]
		far[i], near[i] = b.Position, kb.E.MulVec(a.Point)
		v[i] = b.Velocity.Add(b.Omega.Cross(near[i]))
		arm := near[i].Sub(kb.Com)
		if i == 0 {
			q.armP = arm
		} else {
			q.armS = arm
		}
	}
	line := far[1].Sub(far[0]).Add(near[1].Sub(near[0]))
	length := line.Norm()
	if length == 0 {
		return // no force acts, or FillTo has refused
	}
	for i := range 3 {
		q.w[3+i] = line[i] / length
	}
	along := line.Dot(v[1].Sub(v[0]))
	q.tension = f.Stiffness*(length-f.RestLength) + f.Damping*along/length
	if m.SpringLaw(e) != nil {
		p, _ := m.SpringPull(e, length, along/length) // FillTo has refused what has no force
		q.tension, q.stiffness, q.damping = p.Tension, p.Stiffness, p.Damping
	}
}

// fillCompliance stores row i of G at st in n.fac.
func (n *Newton) fillCompliance(i int, st *mechanism.State, position, velocity float64) {
	c, p := &n.rows[i], n.fac.Matrix.Pattern
	var q pull
	n.pullTo(&q, c, st)
	if c.resist > 0 && velocity > 0 {
		q.damping = q.resist.Step(position / velocity)
	}
	root := max(math.Sqrt(max(q.stiffness*position+q.damping*velocity+q.inertia, 0)), rootLeast)
	n.root[i] = root
	at := p.Ptr[c.node]
	blocks := n.fac.Matrix.Val[p.Pos[at]:p.Pos[p.Ptr[c.node+1]]]
	if c.pred >= 0 && (c.pred < c.succ || c.succ < 0) {
		n.fillEnd(blocks, &q.w, &q.armP, c.pred, -root)
		blocks = blocks[6:]
	}
	if c.succ >= 0 {
		n.fillEnd(blocks, &q.w, &q.armS, c.succ, root)
		blocks = blocks[6:]
	}
	if c.pred >= 0 && c.succ >= 0 && c.succ < c.pred {
		n.fillEnd(blocks, &q.w, &q.armP, c.pred, -root)
		blocks = blocks[6:]
	}
	blocks[0] = -1
}

// setTensions moves the tensions of springs. It subtracts those that the springs have at st from the residual of the
// bodies, and adds the given ones. The difference is the residual of the springs' rows. Armature adds I·q̈ to the
// tension of its freedom, which the residual of the bodies does not have; u are the accelerations.
func (n *Newton) setTensions(tension, u []float64, st *mechanism.State) {
	var q pull
	var v [6]float64
	rows := n.b[len(n.b)-n.gap:]
	for i := range n.rows {
		c := &n.rows[i]
		n.pullTo(&q, c, st)
		e := q.tension - tension[i]
		rows[i] = -(e + n.armatureForce(&q, c, u, st)) / n.root[i]
		if c.pred >= 0 {
			n.fillEnd(v[:], &q.w, &q.armP, c.pred, -e)
			addTo(n.r[6*c.pred:], &v)
		}
		if c.succ >= 0 {
			n.fillEnd(v[:], &q.w, &q.armS, c.succ, e)
			addTo(n.r[6*c.succ:], &v)
		}
	}
}

// armatureForce returns I·q̈ of the freedom of c for the accelerations u.
func (n *Newton) armatureForce(q *pull, c *compliance, u []float64, st *mechanism.State) float64 {
	if q.inertia == 0 {
		return 0
	}
	var qdd [6]float64
	_ = n.sys.Layout.Mech.SecondRatesTo(&qdd, int(c.joint), u, n.sys.Kin, st) // a joint with armature has a direction
	return q.inertia * qdd[c.index]
}

// addArmature adds gᵀ·I·g·e of all armature to n.r, for accelerations e at st.
func (n *Newton) addArmature(e []float64, st *mechanism.State) {
	m := n.sys.Layout.Mech
	if m.Geared() == nil {
		return
	}
	var q pull
	var v [6]float64
	for i := range n.rows {
		c := &n.rows[i]
		if c.joint < 0 || c.motor > 0 || m.Joints[c.joint].Armature == nil {
			continue
		}
		if n.pullTo(&q, c, st); q.inertia == 0 {
			continue
		}
		rate := 0.0
		for _, end := range [2]struct {
			body int32
			arm  *spatial.Vec3
			sign float64
		}{{c.pred, &q.armP, -1}, {c.succ, &q.armS, 1}} {
			if end.body >= 0 {
				a := (*[6]float64)(e[6*end.body:])
				alpha := spatial.Vec3(a[:3])
				at := spatial.Vec3(a[3:]).Add(alpha.Cross(*end.arm))
				rate += end.sign * (q.w.Moment().Dot(alpha) + q.w.Linear().Dot(at))
			}
		}
		rate *= q.inertia
		if c.pred >= 0 {
			n.fillEnd(v[:], &q.w, &q.armP, c.pred, -rate)
			addTo(n.r[6*c.pred:], &v)
		}
		if c.succ >= 0 {
			n.fillEnd(v[:], &q.w, &q.armS, c.succ, rate)
			addTo(n.r[6*c.succ:], &v)
		}
	}
}

// addHeld adds to the residual n.r, for accelerations u, the torques of the held inertia of rods and point masses
// (mechanism.Singular, theory.md (H1)). The Newton matrix has this inertia, but the bodies do not.
func (n *Newton) addHeld(u []float64) {
	m := n.sys.Layout.Mech
	for i := range m.Singular() {
		s := &m.Singular()[i]
		E := &n.sys.Kin.Bodies[s.Body].E
		alpha := E.TMulVec(spatial.Vec3(u[6*s.Body : 6*s.Body+3]))
		var t spatial.Vec3
		for _, a := range s.Axes {
			t = t.Add(a.Scale(s.Hold * a.Dot(alpha)))
		}
		w := spatial.NewForce(E.MulVec(t), spatial.Vec3{})
		n.sys.AddWrenchTo(n.r[6*s.Body:][:6], int(s.Body), 1, &w)
	}
}

func addTo(dst []float64, v *[6]float64) {
	for i, x := range v {
		dst[i] += x
	}
}

// fillEnd stores sign·wᵀ·X·C⁻ᵀ of one body (assemble.Weighted).
func (n *Newton) fillEnd(v []float64, w *spatial.Force, arm *spatial.Vec3, body int32, sign float64) {
	E, c := &n.sys.Kin.Bodies[body].E, n.sys.Layout.Mech.Bodies[body].Weight()
	f := w.Linear()
	moment := E.TMulVec(w.Moment().Add(arm.Cross(f)))
	c.Inertia.MulVecTo(&moment, &moment)
	f = E.TMulVec(f)
	for i := range 3 {
		v[i], v[3+i] = sign*moment[i], sign*c.Mass*f[i]
	}
}
