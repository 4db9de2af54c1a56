package motion

import (
	"bytes"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// compliance is a row of G: a spring and damper along one coordinate.
type compliance struct {
	joint, index int32 // freedom of a joint; or −1 and a force element
	pred, succ   int32 // bodies, or World; of a force element those of A and B
	node         int32 // of the row in the pattern of Newton.mat
}

// name returns the name of the spring, for messages.
func (c *compliance) name(m *mechanism.Mechanism) string {
	if c.joint < 0 {
		return fmt.Sprintf("force %s", fault.Name(m.Forces[c.index].Name))
	}
	return fmt.Sprintf("spring of joint %s", fault.Name(m.JointName(int(c.joint))))
}

// rootLeast is the least √κ of a row, for springs whose stiffness has gone or is negative.
const rootLeast = 1e-100

// compliances lists the springs and dampers of m.
func compliances(m *mechanism.Mechanism) (rows []compliance) {
	for i := range m.Forces {
		if f := &m.Forces[i]; f.Kind == model.SpringDamper {
			rows = append(rows, compliance{joint: -1, index: int32(i), pred: f.A.Body, succ: f.B.Body})
		}
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		for i := range jt.Kind.Freedoms() {
			if m.Sprung(j, i) && !jt.Prescribed(i) {
				rows = append(rows, compliance{joint: int32(j), index: int32(i), pred: jt.Pred, succ: jt.Succ})
			}
		}
	}
	moving := rows[:0]
	for _, c := range rows {
		if c.pred != c.succ { // else nothing moves the ends
			moving = append(moving, c)
		}
	}
	return moving
}

// compliantPattern returns p with a slack and a row for each compliance, and with six of both for each body of a
// force of one's own. It sets the nodes of these rows. The blocks of p come first, in their order.
func compliantPattern(p *sparse.Pattern, springs []compliance, forces []own) *sparse.Pattern {
	nb := p.Positive()
	slacks := bytes.Repeat([]byte{1}, len(springs)) // sizes
	for i := range forces {
		slacks = append(slacks, bytes.Repeat([]byte{sparse.MaxBlock}, len(forces[i].bodies))...)
	}
	size, sign := append([]int8(nil), p.Size[:nb]...), append([]int8(nil), p.Sign[:nb]...)
	for _, n := range slacks {
		size, sign = append(size, int8(n)), append(sign, 1)
	}
	size, sign = append(size, p.Size[nb:]...), append(sign, p.Sign[nb:]...)
	ptr := append(make([]int32, len(slacks)), p.Ptr...) // rows of +1 nodes are empty
	ind := append([]int32(nil), p.Ind...)
	slack := int32(nb)
	add := func(n int8, bodies ...int32) (node int32) {
		size, sign = append(size, n), append(sign, -1)
		ind = append(append(ind, bodies...), slack)
		ptr = append(ptr, int32(len(ind)))
		slack++
		return int32(len(size) - 1)
	}
	for i := range springs {
		c := &springs[i]
		if lo, hi := min(c.pred, c.succ), max(c.pred, c.succ); lo >= 0 {
			c.node = add(1, lo, hi)
		} else {
			c.node = add(1, hi)
		}
	}
	for i := range forces {
		f := &forces[i]
		for k := range f.bodies {
			if node := add(sparse.MaxBlock, f.bodies...); k == 0 {
				f.node = node
			}
		}
	}
	return sparse.NewPattern(size, sign, ptr, ind)
}

// pull is a spring and damper at one state.
type pull struct {
	w                  spatial.Force // of a unit force along the coordinate on the successor; zero without direction
	armP, armS         spatial.Vec3  // from the centres of mass to where it acts, zero for the world
	tension            float64       // k·(coordinate − rest) + d·rate
	stiffness, damping float64
}

// pullTo stores c at st, whose bodies have the kinematics of n.sys.
func (n *Newton) pullTo(q *pull, c *compliance, st *mechanism.State) {
	m, k := n.sys.L.Mech, n.sys.Kin
	if c.joint < 0 {
		springTo(q, &m.Forces[c.index], k, st)
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
	j.CoordinatesTo(&x, &rate, &jk)
	d := m.Drive(int(c.joint))
	q.stiffness, q.damping = d.Stiffness[i], d.Damping[i]
	q.tension = q.stiffness*(x[i]-d.Rest[i]) + q.damping*rate[i]
}

// springTo is pullTo for a force element.
func springTo(q *pull, f *mechanism.ForceElement, k *mechanism.Kinematics, st *mechanism.State) {
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
	q.tension = f.Stiffness*(length-f.RestLength) + f.Damping*line.Dot(v[1].Sub(v[0]))/length
}

// fillCompliance stores row i of G at st in n.mat.
func (n *Newton) fillCompliance(i int, st *mechanism.State, position, velocity float64) {
	c, p := &n.rows[i], n.mat.P
	var q pull
	n.pullTo(&q, c, st)
	root := max(math.Sqrt(max(q.stiffness*position+q.damping*velocity, 0)), rootLeast)
	n.root[i] = root
	at := p.Ptr[c.node]
	blocks := n.mat.Val[p.Pos[at]:p.Pos[p.Ptr[c.node+1]]]
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

// setTensions takes the tensions that the springs have at st out of the residual of the bodies,
// puts the given ones in, and stores the difference as residual of the springs' rows.
func (n *Newton) setTensions(tension []float64, st *mechanism.State) {
	var q pull
	var v [6]float64
	rows := n.b[len(n.b)-n.gap:]
	for i := range n.rows {
		c := &n.rows[i]
		n.pullTo(&q, c, st)
		e := q.tension - tension[i]
		rows[i] = -e / n.root[i]
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

func addTo(dst []float64, v *[6]float64) {
	for i, x := range v {
		dst[i] += x
	}
}

// fillEnd stores sign·wᵀ·X·C⁻ᵀ of one body (assemble.Weighted).
func (n *Newton) fillEnd(v []float64, w *spatial.Force, arm *spatial.Vec3, body int32, sign float64) {
	E, c := &n.sys.Kin.Bodies[body].E, n.sys.L.Mech.Bodies[body].Weight()
	f := w.Linear()
	moment := E.TMulVec(w.Moment().Add(arm.Cross(f)))
	c.Inertia.MulVecTo(&moment, &moment)
	f = E.TMulVec(f)
	for i := range 3 {
		v[i], v[3+i] = sign*moment[i], sign*c.Mass*f[i]
	}
}
