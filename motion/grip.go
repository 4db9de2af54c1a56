package motion

import (
	"math"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// grip has the rows of G of a contact, theory.md (57).
type grip struct {
	body, node int32     // body, and node of the rows in the pattern of slacked.fac
	rows       int32     // at most six
	A, B       []float64 // 6×6, if its points have more than six rows: the sum of their squares, and six rows with this sum
}

// grips lists the contacts of m, with the number of their rows.
func grips(m *mechanism.Mechanism) []grip {
	list := make([]grip, m.NumContacts())
	for i := range list {
		c, body, _ := m.Contact(i)
		n := 3 * c.Shape.MaxPoints()
		for _, r := range [2]*contact.Resistance{&c.Law.Rolling, &c.Law.Drilling} {
			if r.Coefficient != 0 {
				n += c.Shape.MaxPoints()
			}
		}
		list[i] = grip{body: int32(body), rows: int32(min(n, sparse.MaxBlock))}
		if n > sparse.MaxBlock {
			list[i].A, list[i].B = make([]float64, 36), make([]float64, 36)
		}
	}
	return list
}

// gripRows are the rows of contacts.
type gripRows struct {
	*slacked
	list []grip
}

// slacks implements slackRows.
func (n *gripRows) slacks(list []sparse.Slack) []sparse.Slack {
	for i := range n.list {
		rows := int8(n.list[i].rows)
		list = append(list, sparse.Slack{Nodes: [2]int32{n.list[i].body, -1}, Size: rows, Rows: rows})
	}
	return list
}

// place implements slackRows.
func (n *gripRows) place(node int32) int32 {
	for i := range n.list {
		n.list[i].node = node + int32(i)
	}
	return node + int32(len(n.list))
}

// at implements slackRows.
func (n *gripRows) at(node int, err error) *mechanism.Error {
	m := n.sys.Layout.Mech
	_, _, element := m.Contact(node)
	return m.AtForce(element, err)
}

// fill implements slackRows.
func (n *gripRows) fill(st *mechanism.State, position, velocity float64) error {
	for i := range n.list {
		if n.fac.Watched().Every(i) {
			return n.fac.Watched().Err()
		}
		n.fillGrip(i, st, position, velocity)
	}
	return nil
}

// fillGrip stores the rows of contact i at st in n.fac.
func (n *gripRows) fillGrip(i int, st *mechanism.State, position, velocity float64) {
	m, k, g := n.sys.Layout.Mech, n.sys.Kin, &n.list[i]
	r := k.Contact(i)
	p := n.fac.Matrix.Pattern
	blocks := n.fac.Matrix.Val[p.Pos[p.Ptr[g.node]]:]
	rows := int(g.rows)
	clear(blocks[:rows*(6+rows)])
	clear(g.A)
	to := gripBlock{gripRows: n, grip: g, left: blocks}
	com := st.Bodies[g.body].Position.Add(k.Bodies[g.body].Com)
	for j := range r.Touches {
		to.addTouch(i, &r.Touches[j], com, m.ContactStates(i, r.Touches[j].Disc, st), position, velocity)
	}
	if g.A != nil {
		rootTo(g.B, g.A, 6)
		copy(blocks, g.B)
	}
	for r := range rows {
		blocks[6*rows+r*rows+r] = -1
	}
}

// gripBlock takes the rows of the points of one contact: one after the other, or with more than six rows as a sum of squares in A.
type gripBlock struct {
	*gripRows
	*grip
	left []float64 // unfilled part of the body's block
}

// addTouch adds the rows of a point of contact i, on a body whose centre of mass is at com.
func (to *gripBlock) addTouch(i int, t *contact.Touch, com spatial.Vec3, states []float64, position, velocity float64) {
	var f contact.Force
	var d contact.Derivatives
	c, _, _ := to.sys.Layout.Mech.Contact(i)
	c.Law.ForceTo(&f, &d, &t.Motion, c.Shape.Radius, t.Share, states)
	if c.Law.NumStates() > 0 && velocity > 0 {
		follow(&d, &c.Law, &t.Motion, states, position/velocity)
	}
	arm := t.At.Sub(com)
	to.add(arm.Cross(t.N), t.N, position*d.Stiffness()+velocity*d.Damping())
	var value, axis [2]float64
	d.SlidingTo(&value, &axis)
	value[1] = max(value[1], secant(&f, &t.Motion, value[0]))
	// Forces of soil act at the centre, with a moment about the axle. Together they are nearly a force at the point that touches.
	arm = t.P.Sub(com)
	e := t.X.Scale(axis[0]).Add(t.Y.Scale(axis[1]))
	to.add(arm.Cross(e), e, velocity*value[0])
	e = t.Y.Scale(axis[0]).Sub(t.X.Scale(axis[1]))
	to.add(arm.Cross(e), e, velocity*value[1])
	if c.Law.Rolling.Coefficient != 0 {
		axle := to.sys.Kin.Bodies[to.body].E.MulVec(c.Shape.Axis)
		to.add(axle.Scale(1/axle.Norm()), spatial.Vec3{}, -velocity*d[contact.OfAxle][contact.BySpin])
	}
	if c.Law.Drilling.Coefficient != 0 {
		to.add(t.N, spatial.Vec3{}, -velocity*d[contact.OfTurn][contact.ByTurn])
	}
}

// add adds the row of a direction, which is given as the wrench of a unit force along it, times √κ. A κ that is not positive and finite
// counts as 0.
func (to *gripBlock) add(moment, force spatial.Vec3, kappa float64) {
	if !(kappa > 0) || math.IsInf(kappa, 0) {
		kappa = 0
	}
	var v [6]float64
	w := spatial.NewForce(moment, force)
	to.fillEnd(v[:], &w, &spatial.Vec3{}, to.body, math.Sqrt(kappa))
	if to.A == nil {
		to.left = to.left[copy(to.left, v[:]):]
		return
	}
	for a, x := range v {
		for b, y := range v {
			to.A[6*a+b] += x * y
		}
	}
}

// secant returns the friction of a point divided by its slip, at most most, N s/m. It replaces the derivative of friction along the slip,
// which is much smaller: with the derivative, Newton's method would go from one direction of the slip to the other and back where a step
// ends sticking.
func secant(f *contact.Force, motion *contact.PointMotion, most float64) float64 {
	v := math.Hypot(motion.X, motion.Y)
	if v == 0 {
		return most
	}
	return min(math.Hypot(f.X, f.Y)/v, most)
}

// follow adds to d the derivatives of the forces by way of the internal states, as the states at the end of a step depend on the velocities
// there (sim.GeneralizedAlpha). The derivative of a state with respect to its rate is half the step, times (eᶻ − 1)/z for a state whose
// rate has the derivative z/step by the state. half is half the step, s.
func follow(d *contact.Derivatives, l *contact.Law, motion *contact.PointMotion, states []float64, half float64) {
	var rate [2]float64
	var by contact.RateDerivatives
	l.RateTo(rate[:], &by, motion, states)
	for i := range rate {
		z, part := 2*half*by[i][contact.ByState0+i], half // part is the derivative of the state by its rate
		if z < 0 {
			part *= math.Expm1(z) / z
		}
		for _, of := range [...]int{contact.OfX, contact.OfY} {
			for _, k := range [...]int{contact.ByX, contact.ByY} {
				d[of][k] += d[of][contact.ByState0+i] * part * by[i][k]
			}
		}
	}
}
