package contact

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Jacobian is the 6×6 matrix of the derivatives of a wrench (moment, force) by six numbers, stored by rows.
type Jacobian [36]float64

// DerivativesTo stores the derivatives of the wrench of r, which EvalTo has stored for b and internal. The columns of pose are
// derivatives by a small rotation about the world's axes, rad, and by a displacement of the centre of mass, m, at constant
// velocities in world axes. The columns of velocity are derivatives by the angular velocity, rad/s, and by the velocity of the
// centre of mass, m/s. Moments are about the centre of mass. The derivatives are exact, docs/ground.md (G16).
//
// Cost: O(touching points), no allocation.
// It returns ErrNotFinite and the error of the map of the friction. It panics if internal has the wrong length.
func (c *Contact) DerivativesTo(pose, velocity *Jacobian, r *Result, b *Body, internal []float64) error {
	if len(internal) != c.NumStates() {
		panic("ground/contact: length mismatch")
	}
	*pose, *velocity = Jacobian{}, Jacobian{}
	for i := range r.Touches {
		t := tangent{contact: c, b: b, t: &r.Touches[i]}
		t.setArms()
		var f Force
		c.Law.ForceTo(&f, &t.by, &t.t.Motion, c.Shape.Radius, t.t.Share, c.states(internal, t.t.Disc))
		if err := t.mapSlope(); err != nil {
			return err
		}
		for k := range 3 {
			var e, zero spatial.Vec3
			e[k] = 1
			t.pose(pose, k, &e, &zero)
			t.pose(pose, 3+k, &zero, &e)
			t.velocity(velocity, k, &e, &zero)
			t.velocity(velocity, 3+k, &zero, &e)
		}
	}
	var sum float64
	for k := range pose {
		sum += pose[k]*0 + velocity[k]*0
	}
	if sum != 0 {
		return fmt.Errorf("%w: derivative of a force", ErrNotFinite)
	}
	return nil
}

// tangent has the parts of the derivatives at a point.
type tangent struct {
	contact *Contact
	b       *Body
	t       *Touch
	by      Derivatives
	slope   [2]float64 // slope of the map of the friction by x and y, 1/m

	pointArm, centerArm, forceArm spatial.Vec3 // from the centre of mass to the point, the disc's centre, and the point of the force
	v, rolling                    spatial.Vec3 // velocities of the point and of the centre
}

// setArms stores the arms and velocities of the point.
func (t *tangent) setArms() {
	com := t.b.Position.Add(t.b.Com)
	t.pointArm, t.centerArm, t.forceArm = t.t.P.Sub(com), t.t.center.Sub(com), t.t.At.Sub(com)
	t.v = t.b.Velocity.Add(t.b.Omega.Cross(t.pointArm))
	t.rolling = t.b.Velocity.Add(t.b.Omega.Cross(t.centerArm))
}

// mapSlope stores the slope of the map of the friction at the point.
func (t *tangent) mapSlope() error {
	if t.contact.Friction == nil || t.t.Motion.Scale == 0 {
		return nil
	}
	g, err := t.contact.Friction.At(t.t.P[0], t.t.P[1])
	if err != nil {
		return fmt.Errorf("ground/contact: map of the friction: %w", err)
	}
	t.slope = [2]float64{g.X, g.Y}
	return nil
}

// change is the change of a point with a small change of the pose: of P, N, X, Y, axis, center and Depth.
type change struct {
	p, n, x, y, axis, center spatial.Vec3
	depth                    float64
}

// changeTo stores in d the change of p as the centre of its disc moves by center and its unit axis changes by axis, docs/ground.md (G16).
func (p *Point) changeTo(d *change, center, axis *spatial.Vec3) {
	d.center, d.axis = *center, *axis
	q := *center // change of the centre of the tube
	bend := &p.bend
	if p.rim > 0 {
		spatial.AddScaledTo(&q, &q, -p.rim*spatial.Dot(axis, &p.u), &p.axis)
	}
	d.depth = -spatial.Dot(&p.N, &q)
	phi := 0.0 // change of the angle along the rim, rad
	switch across := 1 - p.axis[2]*p.axis[2]; {
	case p.rim > 0 && !p.fixed:
		// The point moves along the rim so that n stays at right angles to the rim.
		var along spatial.Vec3
		bend.MulVecTo(&along, &p.v)
		curve := p.rim*spatial.Dot(&p.v, &along) - spatial.Dot(&p.N, &p.u)
		phi = (spatial.Dot(&p.N, &p.axis)*spatial.Dot(axis, &p.v) - spatial.Dot(&along, &q)) / curve
	case p.rim > 0 && across > lying:
		// The lowest direction u of the rim, with v along it, keeps e_z·v = 0; all points turn with it.
		phi = p.axis[2] * (axis[1]*p.axis[0] - axis[0]*p.axis[1]) / across
		d.depth -= p.rim * phi * spatial.Dot(&p.N, &p.v)
	}
	spatial.AddScaledTo(&q, &q, p.rim*phi, &p.v)
	bend.MulVecTo(&d.n, &q)
	spatial.AddScaledTo(&d.p, &q, -p.tube, &d.n)
	p.axesTo(d)
}

// axesTo stores in d.x and d.y the change of the contact axes for d.n and d.axis, docs/ground.md (G17).
func (p *Point) axesTo(d *change) {
	a, da := p.forward(), d.axis
	if a != p.axis {
		da = spatial.Vec3{}
	}
	var x, y spatial.Vec3
	spatial.CrossTo(&x, &a, &p.N)
	l := 1 / math.Sqrt(spatial.Dot(&x, &x))
	spatial.CrossTo(&x, &da, &p.N)
	spatial.CrossTo(&y, &a, &d.n)
	for i := range x {
		x[i] = (x[i] + y[i]) * l
	}
	spatial.AddScaledTo(&d.x, &x, -spatial.Dot(&p.X, &x), &p.X)
	spatial.CrossTo(&x, &d.n, &p.X)
	spatial.CrossTo(&y, &p.N, &d.x)
	d.y = x.Add(y)
}

// pose adds to column k of J the derivative by a small rotation turn about the centre of mass and a displacement shift.
func (t *tangent) pose(J *Jacobian, k int, turn, shift *spatial.Vec3) {
	p, w := &t.t.Point, &t.b.Omega
	var d change
	var center, axis, dv, dr spatial.Vec3
	spatial.CrossTo(&center, turn, &t.centerArm)
	spatial.CrossTo(&axis, turn, &p.axis)
	center = center.Add(*shift)
	p.changeTo(&d, &center, &axis)
	arm := d.p.Sub(*shift)
	spatial.CrossTo(&dv, w, &arm)
	arm = d.center.Sub(*shift)
	spatial.CrossTo(&dr, w, &arm)
	by := [numBy]float64{
		ByDepth: d.depth,
		ByN:     spatial.Dot(&dv, &p.N) + spatial.Dot(&t.v, &d.n),
		ByX:     spatial.Dot(&dv, &p.X) + spatial.Dot(&t.v, &d.x),
		ByY:     spatial.Dot(&dv, &p.Y) + spatial.Dot(&t.v, &d.y),
		ByRoll:  spatial.Dot(&dr, &p.X) + spatial.Dot(&t.rolling, &d.x),
		BySpin:  spatial.Dot(w, &d.axis),
		ByTurn:  spatial.Dot(w, &d.n),
		ByScale: t.slope[0]*d.p[0] + t.slope[1]*d.p[1],
	}
	// The force and its arm change, docs/ground.md (G19).
	f := &t.t.Force
	var force, moment spatial.Vec3
	for i := range force {
		force[i] = f.N*d.n[i] + f.X*d.x[i] + f.Y*d.y[i]
		moment[i] = f.Axle*d.axis[i] + f.Turn*d.n[i]
	}
	arm = d.p.Sub(*shift)
	if f.AtCenter {
		arm = d.center.Sub(*shift)
	}
	var turned spatial.Vec3
	spatial.CrossTo(&turned, &arm, &t.t.World)
	moment = moment.Add(turned)
	t.add(J, k, &by, &force, &moment)
}

// velocity adds to column k of J the derivative by an angular velocity omega and a velocity of the centre of mass.
func (t *tangent) velocity(J *Jacobian, k int, omega, velocity *spatial.Vec3) {
	p := &t.t.Point
	var v, r, force, moment spatial.Vec3
	spatial.CrossTo(&v, omega, &t.pointArm)
	spatial.CrossTo(&r, omega, &t.centerArm)
	v, r = v.Add(*velocity), r.Add(*velocity)
	by := [numBy]float64{
		ByN: spatial.Dot(&v, &p.N), ByX: spatial.Dot(&v, &p.X), ByY: spatial.Dot(&v, &p.Y),
		ByRoll: spatial.Dot(&r, &p.X), BySpin: spatial.Dot(omega, &p.axis), ByTurn: spatial.Dot(omega, &p.N),
	}
	t.add(J, k, &by, &force, &moment)
}

// add adds to column k of J the change of the wrench: force and moment are its changes by the contact axes
// and the arm, and by are the changes of the PointMotion, of which the force in contact axes is a function.
func (t *tangent) add(J *Jacobian, k int, by *[numBy]float64, force, moment *spatial.Vec3) {
	var df [numOf]float64
	for i := range df {
		row := &t.by[i]
		df[i] = row[ByDepth]*by[ByDepth] + row[ByN]*by[ByN] + row[ByX]*by[ByX] + row[ByY]*by[ByY] +
			row[ByRoll]*by[ByRoll] + row[BySpin]*by[BySpin] + row[ByTurn]*by[ByTurn] + row[ByScale]*by[ByScale]
	}
	p := &t.t.Point
	var change, turned spatial.Vec3
	for i := range change {
		change[i] = df[OfN]*p.N[i] + df[OfX]*p.X[i] + df[OfY]*p.Y[i]
	}
	for i := range change {
		change[i] += force[i]
	}
	spatial.CrossTo(&turned, &t.forceArm, &change)
	for i := range change {
		J[6*i+k] += turned[i] + moment[i] + df[OfAxle]*p.axis[i] + df[OfTurn]*p.N[i]
		J[6*(3+i)+k] += change[i]
	}
}
