package derive

import (
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// followBack is the transpose of take: it changes g, a gradient along directions that follow, to the gradient along given directions.
func (d *Derivatives) followBack(g *Gradient) error {
	if err := d.project(); err != nil {
		return err
	}
	r, x := d.plainRight, d.answer[:len(d.plainRight)]
	clear(r)
	for i := range g.bodies {
		set6(r[6*i:], g.bodies[i].Angular, g.bodies[i].Linear)
	}
	if err := d.rowsBack(g, x, d.velocities, ofVelocities); err != nil {
		return err
	}
	clear(r)
	for i := range g.bodies {
		b, u := &d.bodies[i], &g.bodies[i]
		set6(r[6*i:], u.Rotation.Add(b.k.Cross(u.Linear.Cross(b.omega))), u.Position)
	}
	if err := d.rowsBack(g, x, d.closers(), ofPositions); err != nil {
		return err
	}
	if d.held.projected.active {
		d.turnBack(&g.direction)
	}
	return nil
}

// closers returns the equations that close poses. Runs close them in the metric of velocities, which contains the inertia with which bodies
// without inertia are held.
func (d *Derivatives) closers() *kkt.Answers {
	if d.held.projected.active {
		return d.velocities
	}
	return d.positions
}

// rowsBack takes the cotangent d.plainRight of the correction at a level back through the rows, and adds the cotangents of the state and
// the parameters to g. x is scratch.
func (d *Derivatives) rowsBack(g *Gradient, x []float64, by *kkt.Answers, l level) error {
	if _, _, err := by.AnswerTo(x, d.plainRight); err != nil {
		return err
	}
	projects := d.held.projected.active
	if !projects || l == ofPositions { // the residual of a projection of velocities contains the rows
		if err := d.openingsBack(&g.direction, x, l); err != nil {
			return err
		}
	}
	if projects {
		return d.projectionBack(g, x, l)
	}
	return nil
}

// openingsBack adds to g the cotangents of the openings of all rows at a level. x holds the cotangents of the openings with the opposite
// sign.
func (d *Derivatives) openingsBack(g *direction, x []float64, l level) error {
	if err := d.setCarried(); err != nil {
		return err
	}
	d.b.want = wantDelta
	if l == ofVelocities {
		d.b.want = wantRate
	}
	defer func() { d.b.want = wantAll }()
	for part := range d.elementNumber(0) {
		if c := d.carriedOf(part); c != nil {
			d.rowsBackCarried(g, x, c, l)
			continue
		}
		if err := d.build(part); err != nil {
			return err
		}
		for _, n := range d.b.rows {
			node := n.delta
			if l == ofVelocities {
				node = n.rate
			}
			if node >= 0 && n.plain >= 0 {
				d.b.c.AddAdjoint1(node, -x[n.plain])
			}
		}
		d.b.back(g, nil, nil)
	}
	return nil
}

// Projected says that a run has come to the state of At by a projection: it has moved each body by moved, and then changed its velocity by
// change. FollowMotion and FollowTo then differentiate that projection by the state before it, theory.md (V6), up to the square of the
// displacements. If both are nil there was no projection, and the state follows as after At. ForwardTo and AdjointTo are not affected.
//
// Shapes: moved and change have six numbers a body: rotation and travel of the centre of mass; angular velocity and velocity of the centre
// of mass. Frame: world axes. Cost: two solves, and two sweeps more for each FollowMotion and each direction of FollowTo. It returns the
// errors of kkt.Answers.AnswerTo. It panics on a length mismatch, without At, and with rows of velocities alone
// (mechanism.Mechanism.Holonomic).
func (d *Derivatives) Projected(moved, change []float64) error {
	d.enter()
	defer d.guard.Leave()
	d.mustBeReady()
	if d.held.projected.active = false; moved == nil && change == nil {
		return nil
	}
	n := 6 * len(d.bodies)
	if len(moved) != n || len(change) != n {
		panic("derive: length mismatch")
	}
	if d.mech.Holonomic() != nil {
		panic("derive: a projection with rows of velocities alone")
	}
	p := &d.held.projected
	if p.moved == nil {
		rows := d.NumRows()
		p.moved, p.change, p.xi, p.mu = make([]float64, n), make([]float64, n), make([]float64, rows), make([]float64, rows)
		p.load, p.dx = make([]float64, n+rows), make([]float64, n+rows)
	}
	copy(p.moved, moved)
	copy(p.change, change)
	if err := d.project(); err != nil {
		return err
	}
	// The multipliers ξ and μ of (V6).
	if err := d.borne(p.xi, p.moved); err != nil {
		return err
	}
	if err := d.borne(p.mu, p.change); err != nil {
		return err
	}
	p.active = true
	return nil
}

// borne stores in lambda the multipliers whose forces cause the motion a of the bodies in the metric of velocities: Jᵀλ = M·a.
func (d *Derivatives) borne(lambda, a []float64) error {
	by, p, n := d.velocities, &d.held.projected, len(a)
	x := d.answer[:len(d.plainRight)]
	copy(p.load, a)
	clear(p.load[n:])
	by.ProductTo(d.plainRight, p.load)
	clear(d.plainRight[n:])
	err := error(nil)
	if by.Plain() { // rough, as multipliers only enter times small displacements
		err = by.RoughTo(x, d.plainRight)
	} else {
		_, _, err = by.AnswerTo(x, d.plainRight)
	}
	copy(lambda, x[n:])
	return err
}

// holdProjection sets the solution at the state to the change of the projection at a level, with its multipliers, as Hold does for
// HeldRates.
func (d *Derivatives) holdProjection(l level) error {
	p := &d.held.projected
	p.was = append(p.was[:0], d.x...)
	a, lambda := p.moved, p.xi
	if l == ofVelocities {
		a, lambda = p.change, p.mu
	}
	d.setLayout(d.plain)
	return d.holdSolution(a, lambda, HeldRates)
}

// dropProjection restores the solution that holdProjection has replaced.
func (d *Derivatives) dropProjection() {
	d.setLayout(d.dynamics.Layout())
	copy(d.x, d.held.projected.was)
	d.setBodies()
	d.carried.current = false
}

// projectionBack adds to g the cotangents of the residual of the projection at a level, M·x − Jᵀξ, or M·y − Jᵀμ with the rows J·v − σ. x
// holds the cotangents of the residual with the opposite sign.
func (d *Derivatives) projectionBack(g *Gradient, x []float64, l level) error {
	p, n := &d.held.projected, 6*len(d.bodies)
	for i, y := range x {
		p.load[i] = -y
	}
	if l == ofPositions {
		clear(p.load[n:])
	}
	err := d.holdProjection(l)
	if err == nil {
		err = d.residualBack(g, p.dx, p.load)
	}
	d.dropProjection()
	return err
}

// projectionTogether stores in the entries of the bodies in d.rough.rows the change of that residual along each direction.
func (d *Derivatives) projectionTogether(in *Directions, l level) error {
	p, n := &d.held.projected, 6*len(d.bodies)
	err := d.holdProjection(l)
	for k := range in.list {
		if err == nil {
			d.measure(&in.list[k])
			clear(p.load)
			err = d.residualTo(p.load, &in.list[k], nil)
			copy(d.rough.rows[k][:n], p.load)
		}
	}
	d.dropProjection()
	return err
}

// turnOn changes u, a change of the state before the projection, to the change of the moved state: rotations turn with the bodies. The
// origins of the frames keep their velocities, also if the centre of mass moves in the body.
func (d *Derivatives) turnOn(u *direction) {
	for i := range u.bodies {
		b, at, x := &u.bodies[i], &d.bodies[i], spatial.Vec3(d.held.projected.moved[6*i:])
		arm := x.Cross(at.k) // travel of the centre of mass about the origin
		turned := x.Cross(b.Rotation)
		longer := b.Rotation.Cross(arm).Add(turned.Cross(at.k)).Add(x.Cross(at.E.MulVec(b.Com))) // change of arm
		b.Linear = b.Linear.Add(b.Angular.Cross(arm)).Add(at.omega.Cross(longer))
		b.Rotation = b.Rotation.Add(turned)
	}
}

// turnBack is the transpose of turnOn.
func (d *Derivatives) turnBack(g *direction) {
	for i := range g.bodies {
		b, at, x := &g.bodies[i], &d.bodies[i], spatial.Vec3(d.held.projected.moved[6*i:])
		arm, s := x.Cross(at.k), b.Linear.Cross(at.omega)
		b.Angular = b.Angular.Add(arm.Cross(b.Linear))
		b.Com = b.Com.Add(at.E.TMulVec(s.Cross(x)))
		b.Rotation = b.Rotation.Add(b.Rotation.Add(at.k.Cross(s)).Cross(x)).Add(arm.Cross(s))
	}
}
