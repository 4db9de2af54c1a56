package derive

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// NumRows returns the number of multipliers that Hold needs.
func (d *Derivatives) NumRows() int { return d.plain.Pattern.Dim() - 6*d.mech.NumBodies() }

// Hold sets the state to st with given accelerations and multipliers, for instance of an implicit step; they need not solve the equations
// there. ResidualTo and ResidualBack then differentiate the residual of this kind, with a and lambda held. Nothing else may be called
// before the next At.
//
// Shapes: a has six entries a body, ω̇ and the acceleration of the centre of mass, world axes; lambda has one a row, in the order of
// kkt.Plan.Layout. Cost: O(bodies + joints), no allocation after the first call. It returns the errors of mechanism.Mechanism.KinematicsTo.
// It panics on a length mismatch. It does not support rows of velocities alone (mechanism.Mechanism.Holonomic).
func (d *Derivatives) Hold(st *mechanism.State, a, lambda []float64, kind HeldKind) error {
	return d.hold(st, a, lambda, kind, mechanism.Freedom{}, 0)
}

// HoldImpulse is Hold for HeldRates with an impulse π along freedom f: the residual is M·a − Jᵀλ − gᵀπ with the row g of the freedom,
// theory.md (V19). π is held.
//
// Frame, shapes, cost, errors and panics: as Hold. It also panics if there is no such freedom.
func (d *Derivatives) HoldImpulse(st *mechanism.State, a, lambda []float64, f mechanism.Freedom, impulse float64) error {
	d.mustHave(f)
	return d.hold(st, a, lambda, HeldRates, f, impulse)
}

// hold is HoldImpulse for any kind; an impulse of zero means none.
func (d *Derivatives) hold(st *mechanism.State, a, lambda []float64, kind HeldKind, f mechanism.Freedom, impulse float64) error {
	d.enter()
	defer d.guard.Leave()
	d.ready, d.projecting, d.nulls, d.carried.current, d.held.active = false, false, nil, false, false
	d.held.struck, d.held.impulse, d.held.projected.active = f, impulse, false
	d.setLayout(d.plain)
	if st == nil || !d.mech.Owns(st) {
		panic("mechanism" + fault.ForeignState)
	}
	first := 6 * d.mech.NumBodies()
	if len(a) != first || first+len(lambda) != d.plain.Pattern.Dim() {
		panic("derive: length mismatch")
	}
	if d.own == nil {
		d.own = st.Clone()
	}
	copyState(d.own, st)
	d.st = d.own
	if d.held.kin == nil {
		d.held.kin = &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, d.mech.NumBodies())}
	}
	d.kin = d.held.kin
	if err := d.mech.KinematicsTo(d.kin, d.st); err != nil {
		return fault.Errorf("derive: %w", err)
	}
	err := d.holdSolution(a, lambda, kind)
	d.setSizes()
	d.held.active = err == nil
	return err
}

// holdSolution sets accelerations and multipliers at the state.
func (d *Derivatives) holdSolution(a, lambda []float64, kind HeldKind) error {
	copy(d.x, a)
	for i, x := range lambda {
		d.x[len(a)+i] = -x
	}
	d.setBodies()
	if kind == HeldRates && d.held.impulse == 0 {
		d.holdBodies()
	}
	d.b.x = d.x
	d.b.given, d.b.want = nil, wantAll
	d.held.kind = kind
	d.carried.current, d.b.bare = false, kind == HeldRates
	err := d.setCarried()
	d.b.bare = false
	return err
}

// holdBodies replaces the inertia of bodies without inertia in some direction by the one with which they are held.
func (d *Derivatives) holdBodies() {
	for _, s := range d.mech.Singular() {
		b := &d.bodies[s.Body]
		b.inertia = d.mech.Bodies[s.Body].HeldInertia(s.Axes, s.Hold)
		b.inertia.RotateTo(&b.I, &b.E)
	}
}

// heldWant returns what has to be recorded for the residual.
func (d *Derivatives) heldWant() want {
	if d.held.kind == HeldRates {
		return wantForce | wantRate
	}
	return wantForce | wantDelta
}

// heldBody returns body i and the gravity as the residual has them: for changes of velocities there are no gyroscopic moments and no
// gravity.
func (d *Derivatives) heldBody(i int) (b bodyAt, gravity spatial.Vec3) {
	b = d.bodies[i]
	if d.held.kind == HeldRates {
		b.omega = spatial.Vec3{}
		return b, gravity
	}
	return b, d.mech.Gravity
}

// ResidualTo stores in r the change of the residual of Hold along the first of the directions, and for the changes dx of the accelerations
// and of the multipliers with their signs changed; nil: they are held. With HeldRates the rows do not depend on dx.
//
// Shapes: r and dx have six entries a body and one a row. Cost: O(bodies + joints), no allocation. It returns the errors of ForwardTo for
// parts without derivatives. It panics without Hold, or if in belongs to other Derivatives.
func (d *Derivatives) ResidualTo(r []float64, in *Directions, dx []float64) error {
	d.enter()
	defer d.guard.Leave()
	u := d.heldDirection(r, in)
	clear(r)
	return d.residualTo(r, u, dx)
}

// residualTo adds to r the change of the residual of ResidualTo for a measured direction.
func (d *Derivatives) residualTo(r []float64, u *direction, dx []float64) error {
	for i := range d.bodies {
		b, gravity := d.heldBody(i)
		v, change := u.bodies[i], u.gravity
		if d.held.kind == HeldRates { // this residual has no loads
			v.Force, v.Torque, change = spatial.Vec3{}, spatial.Vec3{}, spatial.Vec3{}
		}
		b.addResidual(r[6*i:][:6], &v, &d.carried.rest[i], &gravity, &change)
		if dx != nil {
			b.addInertial(r[6*i:][:6], dx[6*i:][:6], 1)
		}
	}
	loads := dx
	if dx != nil { // forces do not depend on accelerations
		loads = append(d.held.given[:0], dx...)
		d.held.given = loads
		clear(loads[:6*len(d.bodies)])
	}
	d.b.want, d.b.given, d.b.bare = d.heldWant(), u, d.held.kind == HeldRates
	defer func() { d.b.want, d.b.given, d.b.bare = wantAll, nil, false }()
	for part := range d.heldParts() {
		if !d.touches(part, u) && dx == nil {
			continue
		}
		if c := d.carriedOf(part); c != nil {
			d.heldCarriedTo(r, c, u, loads)
			continue
		}
		if err := d.build(part); err != nil {
			return err
		}
		d.b.dropSecond()
		d.b.pull(u, loads)
		d.b.gather(r)
		d.b.misses(r, d.heldLevel())
	}
	d.gearsTo(r, u, dx)
	return nil
}

// heldDirection returns the first of the directions, measured.
func (d *Derivatives) heldDirection(r []float64, in *Directions) *direction {
	if !d.held.active || in.d != d || len(r) != d.plain.Pattern.Dim() {
		panic("derive: no state of Hold, or foreign directions")
	}
	in.mustBeNew()
	u := in.whole(0)
	d.measure(u)
	return u
}

// heldLevel is the level of the rows of the residual.
func (d *Derivatives) heldLevel() level { return d.held.kind == HeldRates }

// heldParts returns the number of parts in the residual.
func (d *Derivatives) heldParts() int {
	if d.held.kind == HeldRates {
		return d.elementNumber(0)
	}
	return d.numParts()
}

// dropSecond removes the rows of the part at the level of accelerations, which couplings always record.
func (b *builder) dropSecond() {
	for i := range b.rows {
		b.rows[i].second = none
	}
}

// heldCarriedTo is the part of residualTo for the carried joint c.
func (d *Derivatives) heldCarriedTo(r []float64, c *carriedJoint, u *direction, dx []float64) {
	var m carriedMove
	l := d.heldLevel()
	d.move(&m, c, u, nil, orderVelocity)
	forced := u
	if d.held.kind == HeldRates {
		forced = nil
	}
	dN, dF, dP := d.acts(c, &m, &c.load, forced, dx)
	if u.shifts {
		d.holdComs(&m, c, u)
	}
	c.pushed(r, &m, c.F, dN, dF, dP)
	if c.plain >= 0 {
		d.opens(r[c.plain:], c, &m, u, l.order())
	}
}

// addInertial adds s·M·a to r, six numbers each.
func (b *bodyAt) addInertial(r, a []float64, s float64) {
	m := product(&b.I, vec{a[0], a[1], a[2]})
	r[0], r[1], r[2] = r[0]+s*m.x, r[1]+s*m.y, r[2]+s*m.z
	for k := 3; k < 6; k++ {
		r[k] += s * b.mass * a[k]
	}
}

// ResidualBack is the transpose of ResidualTo for the cotangent y of the residual of Hold. It stores in g the cotangents of the numbers of
// a direction, and in dx the cotangents of the accelerations and of the multipliers with their signs changed.
//
// Shapes: y and dx have six entries a body and one a row. Cost: O(bodies + joints), no allocation. It returns the errors of AdjointTo for
// parts without derivatives; g has no results then. It panics without Hold, or if g belongs to other Derivatives.
func (d *Derivatives) ResidualBack(g *Gradient, dx, y []float64) error {
	d.enter()
	defer d.guard.Leave()
	if n := d.plain.Pattern.Dim(); !d.held.active || g.d != d || len(y) != n || len(dx) != n {
		panic("derive: no state of Hold, or a foreign gradient")
	}
	if g.versions != d.versions {
		panic("derive: gradient from before a parameter")
	}
	g.ready = false
	g.clear()
	g.used = true
	err := d.residualBack(g, dx, y)
	g.ready = err == nil
	return err
}

// residualBack adds the cotangents of ResidualBack to g, and stores them in dx.
func (d *Derivatives) residualBack(g *Gradient, dx, y []float64) error {
	clear(dx)
	first := 6 * len(d.bodies)
	load := g.y // the part of y at the bodies
	copy(load, y[:first])
	clear(load[first:])
	d.b.want, d.b.bare = d.heldWant(), d.held.kind == HeldRates
	defer func() { d.b.want, d.b.bare = wantAll, false }()
	for part := range d.heldParts() {
		if c := d.carriedOf(part); c != nil {
			d.heldCarriedBack(g, dx, c, load, y)
			continue
		}
		if err := d.build(part); err != nil {
			return err
		}
		d.b.dropSecond()
		for _, n := range d.b.rows {
			node := n.delta
			if d.held.kind == HeldRates {
				node = n.rate
			}
			if node >= 0 && n.plain >= 0 {
				d.b.c.AddAdjoint1(node, y[n.plain])
			}
		}
		d.b.back(&g.direction, load, dx)
	}
	if d.held.kind == HeldRates {
		clear(g.forces)
	}
	clear(dx[:first]) // rows and forces do not depend on accelerations, except for the forces of armature
	d.gearsBack(g, dx, load)
	for i := range d.bodies {
		b, gravity := d.heldBody(i)
		change := &g.gravity
		if d.held.kind == HeldRates {
			change = new(spatial.Vec3)
		}
		b.addResidualAdjoint(&g.bodies[i], &d.carried.rest[i], &gravity, change, load[6*i:][:6])
		b.addInertial(dx[6*i:][:6], load[6*i:][:6], 1)
		if d.held.kind == HeldRates {
			g.bodies[i].Force, g.bodies[i].Torque = spatial.Vec3{}, spatial.Vec3{}
		}
	}
	return nil
}

// heldCarriedBack is the part of residualBack for the carried joint c.
func (d *Derivatives) heldCarriedBack(g *Gradient, dx []float64, c *carriedJoint, load, y []float64) {
	var t carriedCotangent
	spring := c.spring
	if d.held.kind == HeldRates {
		c.spring = none
	}
	t.addResidualOf(d, c, load)
	if c.plain >= 0 {
		t.addRows(d, c, y[c.plain:], d.heldLevel().order())
	}
	d.backCarried(&g.direction, dx, c, &t, orderVelocity)
	c.spring = spring
}
