package motion

import (
	"math"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// grip are the rows of G of a contact, theory.md (57).
type grip struct {
	body, node int32
	rows       int32     // at most six, in which the rows of several points are put together
	A, B       []float64 // of six rows
}

// grips lists the contacts of m.
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

// fillGrip stores the rows of contact i at st in n.fac, after n.sys was filled at st.
func (n *Newton) fillGrip(i int, st *mechanism.State, position, velocity float64) {
	m, k, g := n.sys.Layout.Mech, n.sys.Kin, &n.grips[i]
	r := k.Contact(i)
	c, _, _ := m.Contact(i)
	p := n.fac.Matrix.Pattern
	blocks := n.fac.Matrix.Val[p.Pos[p.Ptr[g.node]]:]
	rows, at := int(g.rows), 0
	clear(blocks[:rows*(6+rows)])
	clear(g.A)
	com := st.Bodies[g.body].Position.Add(k.Bodies[g.body].Com)
	var f contact.Force
	var d contact.Derivatives
	var v [6]float64
	add := func(moment, force spatial.Vec3, kappa float64) {
		if !(kappa > 0) || math.IsInf(kappa, 0) {
			kappa = 0
		}
		w := spatial.NewForce(moment, force)
		n.fillEnd(v[:], &w, &spatial.Vec3{}, g.body, math.Sqrt(kappa))
		if g.A == nil {
			at += copy(blocks[at:], v[:])
			return
		}
		for a, x := range v {
			for b, y := range v {
				g.A[6*a+b] += x * y
			}
		}
	}
	for j := range r.Touches {
		t := &r.Touches[j]
		c.Law.ForceTo(&f, &d, &t.Motion, c.Shape.Radius, t.Share, m.ContactStates(i, t.Disc, st))
		if c.Law.NumStates() > 0 && velocity > 0 {
			follow(&d, &c.Law, &t.Motion, m.ContactStates(i, t.Disc, st), position/velocity)
		}
		arm := t.At.Sub(com)
		add(arm.Cross(t.N), t.N, position*d.Stiffness()+velocity*d.Damping())
		var value, axis [2]float64
		d.SlidingTo(&value, &axis)
		value[1] = max(value[1], secant(&f, &t.Motion, value[0]))
		// Forces of soil act at the centre, with a moment about the axle: together nearly where the wheel touches.
		arm = t.P.Sub(com)
		e := t.X.Scale(axis[0]).Add(t.Y.Scale(axis[1]))
		add(arm.Cross(e), e, velocity*value[0])
		e = t.Y.Scale(axis[0]).Sub(t.X.Scale(axis[1]))
		add(arm.Cross(e), e, velocity*value[1])
		if c.Law.Rolling.Coefficient != 0 {
			axis := k.Bodies[g.body].E.MulVec(c.Shape.Axis)
			add(axis.Scale(1/axis.Norm()), spatial.Vec3{}, -velocity*d[contact.OfAxle][contact.BySpin])
		}
		if c.Law.Drilling.Coefficient != 0 {
			add(t.N, spatial.Vec3{}, -velocity*d[contact.OfTurn][contact.ByTurn])
		}
	}
	if g.A != nil {
		rootTo(g.B, g.A, 6)
		copy(blocks, g.B)
	}
	for r := range rows {
		blocks[6*rows+r*rows+r] = -1
	}
}

// secant returns the friction of a point over its slip, at most most, N s/m. Along the
// slip the derivative of friction is much smaller: with it Newton's method goes from
// one direction of the slip to the other and back, where a step would end sticking.
func secant(f *contact.Force, motion *contact.PointMotion, most float64) float64 {
	v := math.Hypot(motion.X, motion.Y)
	if v == 0 {
		return most
	}
	return min(math.Hypot(f.X, f.Y)/v, most)
}

// follow adds to d the derivatives of the forces that come from the internal states: the states at the
// end of a step depend on the velocities there (sim.GeneralizedAlpha). The derivative of a state with
// respect to its rate is half the step, times (eᶻ − 1)/z for a state that decays by z over the step.
func follow(d *contact.Derivatives, l *contact.Law, motion *contact.PointMotion, states []float64, half float64) {
	var rate [2]float64
	var by contact.RateDerivatives
	l.RateTo(rate[:], &by, motion, states)
	for i := range rate {
		z, part := 2*half*by[i][contact.ByState0+i], half
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
