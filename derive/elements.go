package derive

import (
	"slices"

	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
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

// point returns a port for point k of a force element, which has no axes of its own. ref is the body relative to whose origin positions are
// taken.
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
	// The line has no direction, but without a rest length and a damping the force is k times the line.
	if length == 0 {
		varies := func(kind uint8) bool { return b.d.varies(b.number, kind, 0) }
		if !m.IsPointSpring(i) || varies(slotRest) || varies(slotDamping) || f.RestLength != 0 && varies(slotStiffness) {
			return m.AtForce(i, fault.Errorf("%w: its ends coincide", ErrNoDerivatives))
		}
		b.pushPoints(A, B, c.Scale(k, line))
		return nil
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

// pushPoints adds the force F at the port A and −F at B.
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
	// The length and the rate of all straight parts, and their directions.
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
	// at says whether spring and damper act: a cable can be slack.
	f := &m.Forces[i]
	tension := b.scalar(slot{kind: slotTension}, m.CableTension(n))
	k, d := b.scalar(slot{kind: slotStiffness}, f.Stiffness), b.scalar(slot{kind: slotDamping}, f.Damping)
	spring := c.Mul(k, c.Sub1(length, b.scalar(slot{kind: slotRest}, f.RestLength)))
	tension = c.Add1(tension, c.Add1(c.Times1(at.Spring, spring), c.Times1(at.Damper, c.Mul(d, rate))))
	for k, u := range lines {
		b.pushPoints(&b.ports[k], &b.ports[k+1], c.Scale(tension, u))
	}
	return nil
}
