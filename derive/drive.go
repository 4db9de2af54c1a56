package derive

import (
	"math"

	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/springs"
)

// law adds the force of the spring and damper laws l, at the deflection x from rest with the rate y. freedom is the freedom of the joint
// they act along, 0 for a force element.
func (b *builder) law(l *springs.Laws, x, y chain.Num, freedom int) (chain.Num, error) {
	f, fx, fy, err := l.At(b.c.Value1(x), b.c.Value1(y))
	if err != nil {
		return none, err
	}
	out := b.c.Of2(x, y, f, fx, fy)
	for _, s := range b.d.scalarsOf(b.number) {
		if int(s.slot.freedom) != freedom {
			continue
		}
		of, at := l.Spring, b.c.Value1(x)
		switch s.slot.kind {
		case slotSpringForces:
		case slotDamperForces:
			of, at = l.Damper, b.c.Value1(y)
		default:
			continue
		}
		p := b.c.Num(0)
		b.numbers = append(b.numbers, numbered{p, s.at})
		out = b.c.Add1(out, b.c.Of(p, 0, of.ByForce(int(s.slot.index), at)))
	}
	return out, nil
}

// resist adds the stops and the friction of a joint, docs/stops-and-friction.md (J1) to (J9).
func (b *builder) resist(r *relation) error {
	m := b.d.mech
	for _, i := range b.d.resisted[r.number] {
		f, stops := m.Resistor(int(i))
		x := m.ResistanceAt(int(i), &b.kin, b.d.st)
		switch {
		case stops:
			b.stop(r, int(i), &x)
		default:
			b.rub(r, int(i), f.Freedom)
		}
	}
	return nil
}

// stop adds the force of stop i if it touches at the state.
func (b *builder) stop(r *relation, i int, x *mechanism.Resistance) {
	set := b.d.mech.ResistorSettings(i)
	f := &r.freedoms[set.Freedom]
	if x.Depth <= 0 || x.Force == 0 && x.Stiffness == 0 {
		return
	}
	c := &b.c
	at := func(kind uint8) chain.Num { return b.scalar(slot{kind: kind, freedom: uint8(set.Freedom)}, 0) }
	end := slotLower
	if x.Upper {
		end = slotUpper
	}
	q := c.Sub1(f.q, at(end))
	force := c.Of2(q, f.qd, x.Force, -x.Stiffness, -x.Damping)
	by := b.d.mech.StopBy(i, x, r.qd[set.Freedom])
	force = c.Add1(force, c.Of(at(slotStopStiffness), 0, by.Stiffness))
	force = c.Add1(force, c.Of(at(slotStopExponent), 0, by.Exponent))
	force = c.Add1(force, c.Of(at(slotStopDissipation), 0, by.Dissipation))
	force = c.Add1(force, c.Of(at(slotStopDamping), 0, by.Damping))
	b.add(f, force)
}

// rub adds regularised friction, docs/stops-and-friction.md (J5), (J6): −size·s(v)·q̇/√(v² + v₀²). For a ball v is the magnitude of all
// three rates.
func (b *builder) rub(r *relation, i, freedom int) {
	set := b.d.mech.ResistorSettings(i)
	c, f := &b.c, &r.freedoms[freedom]
	at := func(kind uint8, x float64) chain.Num { return b.scalar(slot{kind: kind, freedom: uint8(freedom)}, x) }
	size := at(slotFrictionForce, set.Friction.Force)
	if b.d.mech.OfReaction(i) {
		size = c.Mul(c.Mul(at(slotFrictionCoefficient, set.Friction.Coefficient), at(slotFrictionRadius, set.Friction.Radius)), b.load(r))
	}
	square := c.Mul(f.qd, f.qd)
	if f.q < 0 {
		square = c.Num(0)
		for k := range 3 {
			square = c.Add1(square, c.Mul(r.freedoms[k].qd, r.freedoms[k].qd))
		}
	}
	v0 := at(slotFrictionSpeed, set.Friction.Speed)
	rho := c.Root(c.Add1(square, c.Mul(v0, v0)))
	over := c.Num(1)
	if static := set.Friction.Static; static > 1 || b.d.varies(b.number, slotFrictionStatic, freedom) {
		vs := at(slotFrictionStribeck, set.Friction.Stribeck)
		x := c.Times1(-1, c.Div(square, c.Mul(vs, vs)))
		e := math.Exp(c.Value1(x))
		// over = 1 + (static − 1)·exp(−v²/vs²)
		more := c.Sub1(at(slotFrictionStatic, static), c.Num(1))
		over = c.Add1(over, c.Mul(more, c.Of(x, e, e)))
	}
	if b.d.mech.Bristles(i) {
		b.bristles(f, size, over, i, at)
		return
	}
	b.add(f, c.Times1(-1, c.Mul(c.Mul(size, over), c.Div(f.qd, rho))))
}

// bristles adds friction with the deflection ξ of bristles, docs/stops-and-friction.md (J7), (J8). A direction holds ξ, an internal state
// of its own. size is the friction force, over the factor of static friction; at adds a number of the friction.
func (b *builder) bristles(f *freedom, size, over chain.Num, i int, at func(kind uint8, x float64) chain.Num) {
	c, hold := &b.c, b.d.mech.ResistorSettings(i).Friction.Hold
	xi := 0.0
	if k := b.d.mech.ResistorState(i); k >= 0 && len(b.d.st.Internal) > 0 {
		xi = b.d.st.Internal[k]
	}
	rate := c.Value1(f.qd)
	speed := c.Of(f.qd, math.Abs(rate), 0) // |q̇|; at rest its derivative counts as zero
	if rate != 0 {
		speed = c.Of(f.qd, math.Abs(rate), math.Copysign(1, rate))
	}
	travel := at(slotHoldTravel, hold.Travel)
	part := c.Div(c.Num(xi), travel)
	bend := c.Sub1(f.qd, c.Mul(c.Div(speed, over), part)) // dξ/dt, (J8)
	b.add(f, c.Times1(-1, c.Mul(size, c.Add1(part, c.Mul(at(slotHoldDamping, hold.Damping), bend)))))
}

// load returns the magnitude of the reaction that the friction of a joint grows with (J9). It is a leaf whose change is found from the
// changes of the multipliers (loads), unless Hold gives the multipliers.
func (b *builder) load(r *relation) chain.Num {
	if len(b.loads) > 0 { // added for another freedom: the freedoms of a ball share one friction
		return b.loads[0].leaf
	}
	c, f := &b.c, r.load
	if r.joint.Kind == joints.Revolute {
		z := r.P.axes[2]
		f = c.Sub(f, c.Scale(c.Dot(z, f), z))
	}
	n := c.Dot(f, f)
	load := c.Num(0)
	if c.Value1(n) > 0 {
		load = c.Root(n)
	}
	if b.d.held.active { // multipliers are given
		return load
	}
	leaf := c.Num(c.Value1(load))
	b.loads = append(b.loads, loadOf{b.d.bearingOf(r.number), leaf, load})
	return leaf
}

// motor adds actuator i of the joint r.
func (b *builder) motor(r *relation, i int) {
	set := b.d.mech.ActuatorSettings(i)
	_, element := b.d.mech.Actuator(i)
	c, f := &b.c, &r.freedoms[set.Freedom]
	owner := b.number
	b.number = b.d.elementNumber(element) // the numbers below belong to the element
	defer func() { b.number = owner }()
	at := func(kind uint8, x float64) chain.Num { return b.scalar(slot{kind: kind}, x) }
	u, _, _ := b.motion(&set.Value, slotMotion, 0)
	var x chain.Num
	switch model.ActuatorLaw(set.Law) {
	case model.ActuatorTorque:
		x = u
	case model.ActuatorSpeed:
		gain := at(slotGain, set.Gain)
		x = c.Mul(gain, c.Sub1(u, f.qd))
		if set.Integral != 0 {
			t := b.now()
			whole := c.Of(t, set.Value.Integral(b.d.st.Time)-set.Start, c.Value1(u))
			x = c.Add1(x, c.Mul(at(slotIntegral, set.Integral), c.Sub1(whole, f.q)))
		}
	case model.ActuatorPosition:
		x = c.Sub1(c.Mul(at(slotGain, set.Gain), c.Sub1(u, f.q)), c.Mul(at(slotDamping, set.Damping), f.qd))
	}
	if set.Limit > 0 {
		limit := at(slotLimit, set.Limit)
		y := c.Div(x, limit)
		s := math.Tanh(c.Value1(y))
		x = c.Mul(limit, c.Of(y, s, 1-s*s))
	}
	b.push(r, &f.line, x)
}
