package derive

import (
	"slices"

	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// element records force element i.
func (b *builder) element(i int) error {
	d := b.d
	f := &d.mech.Forces[i]
	b.begin(d.elementNumber(i))
	switch f.Kind {
	case model.SpringDamper:
		return b.spring(i, f)
	case model.Wrench:
		b.wrench(f)
	case model.BushingForce:
		return b.bushing(i)
	case model.CableForce:
		return b.cable(i)
	case model.ContactForce:
		return b.contact(i)
	}
	return nil
}

// point adds point k of an element as a port without axes of its own.
func (b *builder) point(a *mechanism.Attachment, k int, ref int32) port {
	f := mechanism.Frame{E: spatial.Identity3(), Origin: a.Point}
	return b.place(&f, a.Body, b.d.pointFrame(b.number, k), ref)
}

// wrench adds a force element of constant force and torque.
func (b *builder) wrench(f *mechanism.ForceElement) {
	b.reserve(1, 0)
	b.ports = append(b.ports, b.point(&f.A, 0, f.A.Body))
	c := &b.c
	vector := func(kind uint8, x spatial.Vec3) chain.Vec {
		return c.Join(b.scalar(slot{kind: kind}, x[0]), b.scalar(slot{kind: kind, index: 1}, x[1]), b.scalar(slot{kind: kind, index: 2}, x[2]))
	}
	b.act(&b.ports[0], vector(slotTorqueVector, f.Torque), vector(slotForceVector, f.Force))
}

// spring adds a spring-damper.
func (b *builder) spring(i int, f *mechanism.ForceElement) error {
	m, c := b.d.mech, &b.c
	_, length := m.SpringLine(f, b.d.kin, b.d.st)
	ref := f.A.Body
	if ref < 0 {
		ref = f.B.Body
	}
	b.reserve(2, 0)
	b.ports = append(b.ports, b.point(&f.A, 0, ref), b.point(&f.B, 1, ref))
	A, B := &b.ports[0], &b.ports[1]
	line, v := c.Sub(B.p, A.p), c.Sub(B.v, A.v)
	k, d := b.scalar(slot{kind: slotStiffness}, f.Stiffness), b.scalar(slot{kind: slotDamping}, f.Damping)
	rest := b.scalar(slot{kind: slotRest}, f.RestLength)
	if length == 0 {
		if f.RestLength == 0 && f.Damping == 0 && m.SpringLaw(i) == nil { // a force that is linear in the line
			b.pushPoints(A, B, c.Scale(k, line))
			return nil
		}
		return m.AtForce(i, fault.Errorf("%w: its ends coincide", ErrNoDerivatives))
	}
	size := c.Root(c.Dot(line, line))
	n := c.Scale(c.Div(c.Num(1), size), line)
	rate := c.Dot(n, v)
	x := c.Sub1(size, rest)
	tension := c.Add1(c.Mul(k, x), c.Mul(d, rate))
	if l := m.SpringLaw(i); l != nil {
		more, err := b.law(l, x, rate, 0)
		if err != nil {
			return m.AtForce(i, err)
		}
		tension = c.Add1(tension, more)
	}
	b.pushPoints(A, B, c.Scale(tension, n))
	return nil
}

// pushPoints adds the force F on A and its opposite on B.
func (b *builder) pushPoints(A, B *port, F chain.Vec) {
	b.act(A, none, F)
	b.act(B, none, b.c.Times(-1, F))
}

// cable adds a cable, docs/springs.md (E9) to (E11).
func (b *builder) cable(i int) error {
	m, c := b.d.mech, &b.c
	n := slices.Index(b.d.cables, int32(i))
	at, err := m.CableAt(n, b.d.kin, b.d.st)
	if err != nil {
		return err
	}
	points := m.CablePoints(n)
	b.reserve(len(points), 0)
	ref := int32(mechanism.World)
	for k := range points {
		ref = max(ref, points[k].Body)
	}
	for k := range points {
		b.ports = append(b.ports, b.point(&points[k], k, ref))
	}
	lines := make([]chain.Vec, 0, len(points))
	length, rate := c.Num(0), c.Num(0)
	for k := range points[1:] {
		line := c.Sub(b.ports[k+1].p, b.ports[k].p)
		size := c.Root(c.Dot(line, line))
		u := c.Scale(c.Div(c.Num(1), size), line)
		length = c.Add1(length, size)
		rate = c.Add1(rate, c.Dot(u, c.Sub(b.ports[k+1].v, b.ports[k].v)))
		lines = append(lines, u)
	}
	f := &m.Forces[i]
	tension := b.scalar(slot{kind: slotTension}, m.CableTension(n))
	if !at.Slack {
		k, d := b.scalar(slot{kind: slotStiffness}, f.Stiffness), b.scalar(slot{kind: slotDamping}, f.Damping)
		spring := c.Mul(k, c.Sub1(length, b.scalar(slot{kind: slotRest}, f.RestLength)))
		damper := c.Mul(d, rate)
		switch x, y := c.Value1(spring), c.Value1(damper); {
		case y >= x:
			tension = c.Add1(tension, c.Times1(2, spring))
		case y > -x:
			tension = c.Add1(tension, c.Add1(spring, damper))
		}
	}
	for k, u := range lines {
		b.pushPoints(&b.ports[k], &b.ports[k+1], c.Scale(tension, u))
	}
	return nil
}

// bushing adds a bushing as what it does for a small motion of its frames, docs/springs.md (E6), (E7).
func (b *builder) bushing(i int) error {
	m := b.d.mech
	n := slices.Index(b.d.bushings, int32(i))
	var s mechanism.BushingState
	if err := m.BushingAt(&s, n, b.d.kin, b.d.st); err != nil {
		return err
	}
	body, K, D, _ := m.Bushing(n)
	if b.d.hasScalars(b.number) {
		return m.AtForce(i, fault.Errorf("%w: a bushing by its parameters", ErrNoDerivatives))
	}
	part := ownPart{}
	var stress [6]float64
	for k := range stress {
		stress[k] = -s.Stress[k]
	}
	var w [2]spatial.Force
	s.WrenchTo(&w[0], &w[1], &stress)
	for e, at := range body {
		if at >= 0 {
			part.bodies, part.ends = append(part.bodies, at), append(part.ends, e)
			part.w = append(part.w, aboutOrigin(&w[e], b.d.bodies[at].k.Add(s.Arm[e])))
		}
	}
	wide := 6 * len(part.bodies)
	part.pose, part.velocity = make([]float64, wide*wide), make([]float64, wide*wide)
	for c := range wide {
		b.bendBushing(&part, c, &s, K, D, &stress, &w)
	}
	b.own = append(b.own, part)
	return nil
}

// aboutOrigin returns a wrench at an arm from the origin of a body, about that origin.
func aboutOrigin(w *spatial.Force, arm spatial.Vec3) spatial.Force {
	return spatial.NewForce(w.Moment().Add(arm.Cross(w.Linear())), w.Linear())
}

// bendBushing stores the changes of the wrenches about the origins of the bodies for motion c of them: a turn or travel of the origin, and
// the same as a velocity.
func (b *builder) bendBushing(
	part *ownPart, column int, s *mechanism.BushingState, K, D *springs.Matrix, stress *[6]float64, w *[2]spatial.Force,
) {
	wide := 6 * len(part.bodies)
	at := column / 6
	e := part.ends[at]
	k := &b.d.bodies[part.bodies[at]]
	arm := k.k.Add(s.Arm[e]) // from the origin
	sign := float64(2*e - 1)
	var turn, travel spatial.Vec3
	if column%6 < 3 {
		turn[column%3] = 1
	} else {
		travel[column%3] = 1
	}
	move := springs.Twist{Line: travel.Add(turn.Cross(arm)).Scale(sign)}
	if e == 0 {
		move.A = turn
	} else {
		move.B = turn
	}
	bent := s.Bend(&move)
	dx := bent.X()
	line := k.omega.Cross(turn.Cross(arm)).Scale(sign) // the velocity ω×(arm) of the end turns
	var rate, ds, damping [6]float64
	bent.RateTo(&rate, &s.Twist, &line)
	K.MulTo(&ds, &dx)
	D.MulTo(&damping, &rate)
	for i := range ds {
		ds[i] = -ds[i] - damping[i]
	}
	var change [2]spatial.Force
	bent.WrenchTo(&change[0], &change[1], stress, &ds)
	store := func(to []float64, turned bool) {
		for i, end := range part.ends {
			x := aboutOrigin(&change[end], b.d.bodies[part.bodies[i]].k.Add(s.Arm[end]))
			if turned && end == e {
				m := turn.Cross(arm).Cross(w[end].Linear())
				for r := range 3 {
					x[r] += m[r]
				}
			}
			for r, v := range x {
				to[(6*i+r)*wide+column] = v
			}
		}
	}
	store(part.pose, true)
	var none [6]float64
	s.RateTo(&rate, &move)
	D.MulTo(&damping, &rate)
	for i := range none {
		none[i] = -damping[i]
	}
	s.WrenchTo(&change[0], &change[1], &none)
	store(part.velocity, false)
}
