package derive

import (
	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
)

// relation adds the relation of joint j to the part, with its two ports.
func (b *builder) relation(j int) *relation {
	d := b.d
	jt := &d.mech.Joints[j]
	ref := jt.Pred
	if ref < 0 {
		ref = jt.Succ
	}
	n := len(b.ports)
	b.ports = append(b.ports, b.place(&jt.P, jt.Pred, int32(2*j), ref), b.place(&jt.S, jt.Succ, int32(2*j+1), ref))
	b.rel = append(b.rel, relation{joint: jt, number: j})
	r := &b.rel[len(b.rel)-1]
	d.mech.JointTo(&b.kin, j, d.kin, d.st)
	if jt.Kind.Freedoms() > 0 {
		jt.CoordinatesTo(&r.q, &r.qd, &b.kin)
	}
	if jt.NumNear() > 0 {
		jt.NearTo(&r.near, &b.kin.Frames)
	}
	b.relate(r, &b.ports[n], &b.ports[n+1])
	return r
}

// joint records joint j with all forces along its freedoms.
func (b *builder) joint(j int) error {
	b.begin(j)
	b.reserve(2, 1)
	r := b.relation(j)
	if err := b.constrain(r); err != nil {
		return err
	}
	// The impulse of theory.md (V19), which is held.
	if h := &b.d.held; b.bare && h.active && h.impulse != 0 && h.struck.Joint == j {
		b.push(r, &r.freedoms[h.struck.Freedom].line, b.c.Num(h.impulse))
	}
	if b.bare || b.want&wantForce == 0 {
		b.total = [2]chain.Vec{r.S.moment, r.S.force}
		return nil
	}
	if err := b.drive(r); err != nil {
		return err
	}
	if err := b.resist(r); err != nil {
		return err
	}
	for i := range r.joint.Kind.Freedoms() {
		if f := &r.freedoms[i]; f.force >= 0 {
			b.push(r, &f.line, f.force)
			f.force = none
		}
	}
	b.total = [2]chain.Vec{r.S.moment, r.S.force}
	for _, i := range b.d.motors[j] {
		b.motor(r, int(i))
	}
	return nil
}

// reserve allocates memory for ports and relations, so that the pointers between them stay valid.
func (b *builder) reserve(ports, relations int) {
	if cap(b.ports) < ports {
		b.ports = make([]port, 0, ports)
	}
	if cap(b.rel) < relations {
		b.rel = make([]relation, 0, relations)
	}
}

// constrain adds the rows of a joint: of its type, of prescribed freedoms and of armature.
func (b *builder) constrain(r *relation) error {
	jt, j, c := r.joint, r.number, &b.c
	if jt.Ground != nil {
		return b.d.mech.AtJoint(j, -1, fault.Errorf("%w: a wheel that rolls on terrain", ErrNoDerivatives))
	}
	list := b.typeRows(r)
	if b.want&(wantForce|wantCoordinates) != 0 || jt.Motion != nil {
		b.setFreedoms(r)
	}
	if r.focal {
		return b.d.mech.AtJoint(j, -1, fault.Errorf("%w: it is open, and two poses of its axes are equally near", ErrNoDerivatives))
	}
	node := b.d.layout.JointNode(j)
	if node < 0 {
		return nil
	}
	at, plain := b.d.layout.Pattern.Off[node], b.plainRow(j)
	for i := range list {
		l := &list[i]
		b.rows = append(b.rows, placedRow{at: at, plain: plain, second: b.second(r, &l.line), rate: b.rate(r, &l.line), delta: l.delta})
		b.bear(r, &l.line, b.multiplier(at))
		at, plain = at+1, plain+1
	}
	// the load of a bearing: the force of the rows above, without prescribed freedoms
	load := chain.Vec(none)
	if b.d.mech.HasBearing(j) {
		load = r.S.force
	}
	for i := range jt.Kind.Freedoms() {
		if !jt.Prescribed(i) {
			continue
		}
		f := &r.freedoms[i]
		q, qd, qdd := b.motion(jt.Motion[i], slotMotion, i)
		row := placedRow{at: at, plain: plain, second: none, rate: none, delta: c.Sub1(f.q, q)}
		if f.qd >= 0 {
			row.rate = c.Sub1(f.qd, qd)
		}
		if f.qdd >= 0 {
			row.second = c.Sub1(f.qdd, qdd)
		}
		b.rows = append(b.rows, row)
		b.bear(r, &f.line, b.multiplier(at))
		at, plain = at+1, plain+1
	}
	r.load = load
	if b.want&wantForce != 0 && b.d.layout.FlywheelNode(j) >= 0 {
		b.armature(r, at)
	}
	return nil
}

// plainRow returns the index of the first row of a constraint in the system without flywheels, none (−1) if it has no row.
func (b *builder) plainRow(constraint int) int32 {
	node := b.d.plain.ConstraintNode(constraint)
	if node < 0 {
		return none
	}
	return b.d.plain.Pattern.Off[node]
}

// armature adds the rows of flywheels, theory.md (A1): μ + λ/√I = 0 and q̈ − μ/√I = 0. at is the index of the first of them behind the
// joint's other rows.
func (b *builder) armature(r *relation, at int32) {
	c := &b.c
	own := b.d.layout.Pattern.Off[b.d.layout.FlywheelNode(r.number)]
	for i := range r.joint.Kind.Freedoms() {
		if !r.joint.Geared(i) {
			continue
		}
		I := b.scalar(slot{kind: slotArmature, freedom: uint8(i)}, r.joint.Armature[i])
		root := c.Div(c.Num(1), c.Root(I))
		mu := c.Num(b.x[own])
		b.lambdas = append(b.lambdas, placed{mu, own, 1})
		lambda := b.multiplier(at)
		second := chain.Num(none)
		if f := &r.freedoms[i]; f.qdd >= 0 {
			second = c.Sub1(f.qdd, c.Mul(mu, root))
		}
		b.rows = append(b.rows,
			placedRow{at: own, plain: none, second: c.Add1(mu, c.Mul(lambda, root)), rate: none, delta: none},
			placedRow{at: at, plain: none, second: second, rate: none, delta: none})
		b.bear(r, &r.freedoms[i].line, lambda)
		own++
		at++
	}
}

// motion adds the value, the rate and the second derivative of a motion, with the parameters of this kind and freedom that change it.
func (b *builder) motion(m *joints.Motion, kind uint8, freedom int) (q, qd, qdd chain.Num) {
	c, t := &b.c, b.now()
	x0, x1, x2 := m.At(b.d.st.Time)
	q, qd, qdd = c.Of(t, x0, x1), c.Of(t, x1, x2), c.Of(t, x2, m.ThirdAt(b.d.st.Time))
	for _, s := range b.d.scalarsOf(b.number) {
		if s.slot.kind != kind || int(s.slot.freedom) != freedom {
			continue
		}
		p := c.Num(0)
		b.numbers = append(b.numbers, numbered{p, s.at})
		y0, y1, y2 := motionBy(m, s.slot.index, b.d.st.Time)
		q, qd, qdd = c.Add1(q, c.Of(p, 0, y0)), c.Add1(qd, c.Of(p, 0, y1)), c.Add1(qdd, c.Of(p, 0, y2))
	}
	return q, qd, qdd
}

// add adds the generalized force x along a freedom.
func (b *builder) add(f *freedom, x chain.Num) {
	if f.force < 0 {
		f.force = x
		return
	}
	f.force = b.c.Add1(f.force, x)
}

// drive adds the generalized forces, springs and dampers of a joint.
func (b *builder) drive(r *relation) error {
	c, d := &b.c, b.d.mech.Drive(r.number)
	for i := range r.joint.Kind.Freedoms() {
		f := &r.freedoms[i]
		x := 0.0
		if d != nil {
			x = d.Force[i]
		}
		if x != 0 || b.given == nil || b.given.forces[r.number][i] != 0 {
			force := c.Num(x)
			b.forces = append(b.forces, forced{force, int8(i)})
			b.add(f, force)
		}
		k, damping, rest, law := 0.0, 0.0, 0.0, false
		if d != nil {
			k, damping, rest, law = d.Stiffness[i], d.Damping[i], d.Rest[i], d.Law(i) != nil
		}
		at := func(kind uint8, x float64) chain.Num { return b.scalar(slot{kind: kind, freedom: uint8(i)}, x) }
		if f.q >= 0 && (k != 0 || law || b.d.varies(r.number, slotStiffness, i)) {
			x := c.Sub1(f.q, at(slotRest, rest))
			b.add(f, c.Times1(-1, c.Mul(at(slotStiffness, k), x)))
			if law {
				more, err := b.law(d.Law(i), x, f.qd, i)
				if err != nil {
					return b.d.mech.AtJoint(r.number, -1, err)
				}
				b.add(f, c.Times1(-1, more))
			}
		}
		if damping != 0 || b.d.varies(r.number, slotDamping, i) {
			b.add(f, c.Times1(-1, c.Mul(at(slotDamping, damping), f.qd)))
		}
	}
	return nil
}
