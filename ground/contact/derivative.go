package contact

import (
	"fmt"

	"github.com/rung-mbd/rung/spatial"
)

// Jacobian has the derivatives of a wrench, six rows of moment and force, by six numbers: row by row.
type Jacobian [36]float64

// DerivativesTo stores the derivatives of the wrench of r, which EvalTo has stored for b and internal. Columns of pose are a small rotation about the
// world's axes, rad, and a displacement of the centre of mass, m, with the velocities in world axes held; those of velocity are the
// angular velocity, rad/s, and the velocity of the centre of mass, m/s. They are exact, docs/ground.md (G16).
//
// Cost: O(touching points), no allocation.
// It returns ErrNotFinite. It panics if internal has the wrong length.
func (c *Contact) DerivativesTo(pose, velocity *Jacobian, r *Result, b *Body, internal []float64) error {
	if len(internal) != c.NumStates() {
		panic("ground/contact: length mismatch")
	}
	*pose, *velocity = Jacobian{}, Jacobian{}
	for i := range r.Touches {
		t := tangent{contact: c, b: b, t: &r.Touches[i], com: b.Position.Add(b.Com)}
		var f Force
		c.Law.ForceTo(&f, &t.by, &t.t.Motion, c.Shape.Radius, t.t.Share, c.states(internal, t.t.Disc))
		if err := t.mapSlope(); err != nil {
			return err
		}
		for k := range 3 {
			var e spatial.Vec3
			e[k] = 1
			t.pose(pose, k, e, spatial.Vec3{})
			t.pose(pose, 3+k, spatial.Vec3{}, e)
			t.velocity(velocity, k, e, spatial.Vec3{})
			t.velocity(velocity, 3+k, spatial.Vec3{}, e)
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

// tangent has what the derivatives at a point are made of.
type tangent struct {
	contact *Contact
	b       *Body
	t       *Touch
	com     spatial.Vec3
	by      Derivatives
	slope   [2]float64 // of the map of the friction
}

// mapSlope has the slope of the map of the friction.
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

// change is how a point changes with a pose.
type change struct {
	p, n, x, y, axis, center spatial.Vec3
	depth                    float64
}

// changeTo stores the change of a point whose centre and axis change, docs/ground.md (G16).
func (p *Point) changeTo(d *change, center, axis spatial.Vec3) {
	d.center, d.axis = center, axis
	q := center // of the centre of the tube
	if p.rim > 0 {
		q = q.Sub(p.axis.Scale(p.rim * axis.Dot(p.u)))
	}
	d.depth = -p.N.Dot(q)
	switch {
	case p.rim > 0 && p.fixed && 1-p.axis[2]*p.axis[2] > lying:
		// The lowest direction u of the rim, with v along it, keeps e_z·v = 0; all points turn with it.
		across := 1 - p.axis[2]*p.axis[2]
		toLowest := spatial.Vec3{0, 0, 1}.Cross(p.axis) // v of the lowest point, times √across
		phi := p.axis[2] * axis.Dot(toLowest) / across
		d.depth -= p.rim * phi * p.N.Dot(p.v)
		q = q.Add(p.v.Scale(p.rim * phi))
	case p.rim > 0 && !p.fixed:
		// The point goes along the rim so that n stays across it.
		curve := p.rim*p.v.Dot(p.bend.MulVec(p.v)) - p.N.Dot(p.u)
		phi := (p.N.Dot(p.axis)*axis.Dot(p.v) - p.v.Dot(p.bend.MulVec(q))) / curve
		q = q.Add(p.v.Scale(p.rim * phi))
	}
	d.n = p.bend.MulVec(q)
	d.p = q.Sub(d.n.Scale(p.tube))
	// Contact axes.
	a, da := p.forward(), axis
	if a != p.axis {
		da = spatial.Vec3{}
	}
	l := 1 / a.Cross(p.N).Norm()
	d.x = da.Cross(p.N).Add(a.Cross(d.n)).Scale(l)
	d.x = d.x.Sub(p.X.Scale(p.X.Dot(d.x)))
	d.y = d.n.Cross(p.X).Add(p.N.Cross(d.x))
}

// pose adds column k: a small rotation about the centre of mass and a displacement.
func (t *tangent) pose(J *Jacobian, k int, turn, shift spatial.Vec3) {
	p, b := &t.t.Point, t.b
	var d change
	p.changeTo(&d, shift.Add(turn.Cross(p.center.Sub(t.com))), turn.Cross(p.axis))
	w := b.Omega
	v, dv := b.Velocity.Add(w.Cross(p.P.Sub(t.com))), w.Cross(d.p.Sub(shift))
	r, dr := b.Velocity.Add(w.Cross(p.center.Sub(t.com))), w.Cross(d.center.Sub(shift))
	by := [numBy]float64{
		ByDepth: d.depth,
		ByN:     dv.Dot(p.N) + v.Dot(d.n),
		ByX:     dv.Dot(p.X) + v.Dot(d.x),
		ByY:     dv.Dot(p.Y) + v.Dot(d.y),
		ByRoll:  dr.Dot(p.X) + r.Dot(d.x),
		BySpin:  w.Dot(d.axis),
		ByTurn:  w.Dot(d.n),
		ByScale: t.slope[0]*d.p[0] + t.slope[1]*d.p[1],
	}
	t.add(J, k, &by, &d, shift)
}

// velocity adds column k: an angular velocity and a velocity of the centre of mass.
func (t *tangent) velocity(J *Jacobian, k int, omega, velocity spatial.Vec3) {
	p := &t.t.Point
	v := velocity.Add(omega.Cross(p.P.Sub(t.com)))
	r := velocity.Add(omega.Cross(p.center.Sub(t.com)))
	by := [numBy]float64{
		ByN: v.Dot(p.N), ByX: v.Dot(p.X), ByY: v.Dot(p.Y),
		ByRoll: r.Dot(p.X), BySpin: omega.Dot(p.axis), ByTurn: omega.Dot(p.N),
	}
	t.add(J, k, &by, &change{}, spatial.Vec3{})
}

// add adds the change of the wrench to column k, docs/ground.md (G19).
func (t *tangent) add(J *Jacobian, k int, by *[numBy]float64, d *change, shift spatial.Vec3) {
	var df [numOf]float64
	for i := range df {
		for j, x := range by {
			df[i] += t.by[i][j] * x
		}
	}
	p, f := &t.t.Point, &t.t.Force
	force := p.N.Scale(df[OfN]).Add(p.X.Scale(df[OfX])).Add(p.Y.Scale(df[OfY]))
	force = force.Add(d.n.Scale(f.N)).Add(d.x.Scale(f.X)).Add(d.y.Scale(f.Y))
	at := d.p
	if f.AtCenter {
		at = d.center
	}
	moment := t.t.At.Sub(t.com).Cross(force).Add(at.Sub(shift).Cross(t.t.World))
	moment = moment.Add(p.axis.Scale(df[OfAxle])).Add(d.axis.Scale(f.Axle))
	moment = moment.Add(p.N.Scale(df[OfTurn])).Add(d.n.Scale(f.Turn))
	for i := range 3 {
		J[6*i+k] += moment[i]
		J[6*(3+i)+k] += force[i]
	}
}
