package derive

import (
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// followBack is the transpose of take: g becomes the gradient by given directions.
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
	if d.held.projected.is {
		d.turnBack(&g.direction)
	}
	return nil
}

// closers returns the answers of displacements that close poses. Runs close them in the metric of velocities, where bodies without inertia
// have what they are held by.
func (d *Derivatives) closers() *kkt.Answers {
	if d.held.projected.is {
		return d.velocities
	}
	return d.positions
}

// rowsBack adds to g the cotangents of what the rows of a level correct, for that of the correction in d.plainRight.
func (d *Derivatives) rowsBack(g *Gradient, x []float64, by *kkt.Answers, l level) error {
	if _, _, err := by.AnswerTo(x, d.plainRight); err != nil {
		return err
	}
	if d.held.projected.is && l == ofVelocities {
		return d.projectionBack(g, x, l) // with its rows
	}
	if err := d.setCarried(); err != nil {
		return err
	}
	d.b.want = wantDelta
	if l == ofVelocities {
		d.b.want = wantRate
	}
	defer func() { d.b.want = wantAll }()
	for part := range d.elementNumber(0) {
		if c := d.isCarried(part); c != nil {
			d.rowsBackCarried(&g.direction, x, c, l)
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
		d.b.back(&g.direction, nil, nil)
	}
	d.b.want = wantAll
	if d.held.projected.is {
		return d.projectionBack(g, x, l)
	}
	return nil
}

// Projected says that a run has projected a state to that of At: it has moved each body by a displacement, and then changed its velocity.
// FollowMotion and FollowTo then are the derivatives of that projection, by the state before it, up to the square of the displacements,
// theory.md (V6). Where both are nil, it has not: the state is one that follows, as after At. ForwardTo and AdjointTo are as they were.
//
// Shapes: moved and change have six numbers a body: rotation and travel of the centre of mass; angular velocity and velocity of the centre
// of mass. Frame: world axes. Cost: two solves, and two sweeps more for each FollowMotion and each direction of FollowTo. It returns the
// errors of kkt.Answers.AnswerTo. It panics on a length mismatch, without At, and with rows of velocities alone
// (mechanism.Mechanism.Holonomic).
func (d *Derivatives) Projected(moved, change []float64) error {
	d.enter()
	defer d.guard.Leave()
	d.mustBeReady()
	if d.held.projected.is = false; moved == nil && change == nil {
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
	if err := d.borne(p.xi, p.moved); err != nil {
		return err
	}
	if err := d.borne(p.mu, p.change); err != nil {
		return err
	}
	p.is = true
	return nil
}

// borne stores in lambda the multipliers whose forces move the bodies by a, in the metric of velocities: Jᵀλ = M·a.
func (d *Derivatives) borne(lambda, a []float64) error {
	by, p, n := d.velocities, &d.held.projected, len(a)
	x := d.answer[:len(d.plainRight)]
	copy(p.load, a)
	clear(p.load[n:])
	by.ProductTo(d.plainRight, p.load)
	clear(d.plainRight[n:])
	err := error(nil)
	if by.Plain() { // multipliers are factors of what is small
		err = by.RoughTo(x, d.plainRight)
	} else {
		_, _, err = by.AnswerTo(x, d.plainRight)
	}
	copy(lambda, x[n:])
	return err
}

// holdProjection makes the solution at the state the change at a level, with its multipliers, as Hold does for HeldRates.
func (d *Derivatives) holdProjection(l level) error {
	p := &d.held.projected
	p.was = append(p.was[:0], d.x...)
	a, lambda := p.moved, p.xi
	if l == ofVelocities {
		a, lambda = p.change, p.mu
	}
	d.lay(d.plain)
	return d.holdSolution(a, lambda, HeldRates)
}

// dropProjection is the opposite of holdProjection.
func (d *Derivatives) dropProjection() {
	d.lay(d.dynamics.Layout())
	copy(d.x, d.held.projected.was)
	d.setBodies()
	d.carried.current = false
}

// projectionBack adds to g the cotangents of the residual M·x − Jᵀξ, or M·y − Jᵀμ, J v − σ, for those in x, with the opposite sign.
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

// projectionTogether stores in the bodies of d.rough.rows how that residual changes along each direction.
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

// turnOn makes of a change of the state before the projection that of the state moved: rotations turn with the bodies, whose origins keep
// their velocities, also where the centre of mass moves in the body.
func (d *Derivatives) turnOn(u *direction) {
	for i := range u.bodies {
		b, at, x := &u.bodies[i], &d.bodies[i], spatial.Vec3(d.held.projected.moved[6*i:])
		arm := x.Cross(at.k) // by how much the centre of mass has moved about the origin
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
