package contact

import (
	"fmt"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

// Contact is a shape of a body on a surface with a law. It is immutable while it is used.
type Contact struct {
	Shape    Shape
	Law      Law
	Ground   *ground.Surface
	Friction *ground.Surface // factor of the friction by place, negative values count as 0; nil: 1 everywhere
}

// Body is the pose and velocity of a body, world axes. Its fields are the
// fields of mechanism.BodyMotion, which can be converted to it.
type Body struct {
	E        spatial.Mat3 // columns are the body's axes
	Position spatial.Vec3 // of the body frame's origin, m
	Com      spatial.Vec3 // from that origin to the centre of mass, m
	Omega    spatial.Vec3 // rad/s
	Velocity spatial.Vec3 // of the centre of mass, m/s
}

// Touch is a point with its motion and its force.
type Touch struct {
	Point
	Motion PointMotion
	Force  Force
	World  spatial.Vec3 // the force in world axes, N
	At     spatial.Vec3 // where the force acts, m

	velocity spatial.Vec3 // of the centre of the disc, m/s
}

// Result is what Contact.EvalTo stores. It belongs to one goroutine.
type Result struct {
	Touches []Touch       // the points that touch; empty after an error of EvalTo
	Depth   float64       // depth of the deepest point, m; negative for a gap
	Nearest Point         // the deepest point, whether it touches or not
	Wrench  spatial.Force // on the body: moment about its centre of mass, N m, and force, N; world axes
	Energy  float64       // stored, J
	// Power is the power that is taken from the motion and not stored in Energy, W. It includes the power that bends bristles,
	// which may return. With distributed points it may be negative, docs/ground.md (G47).
	Power float64

	touches []Touch
	points  []Point
}

// NewResult returns a result with memory for c, which has passed Check. It panics if c is nil.
func NewResult(c *Contact) *Result {
	if c == nil {
		panic("contact: no contact")
	}
	n := c.Shape.MaxPoints()
	return &Result{touches: make([]Touch, n), points: make([]Point, n)}
}

// Check reports all faults of the contact, with paths relative to the contact, such as ".shape.radius".
func (c *Contact) Check(report Report) {
	c.Shape.Check(func(path, value, rule string) {
		if path != ".contacts" && path != ".samples" { // in documents these are fields of the contact
			path = ".shape" + path
		}
		report(path, value, rule)
	})
	c.Law.Check(report)
	if c.Law.Rolling.Coefficient != 0 && c.Shape.Axis == (spatial.Vec3{}) {
		report(".rolling.coefficient", number(c.Law.Rolling.Coefficient), "needs an axis")
	}
	if c.Law.NumStates() > 0 && c.Shape.Where != Deepest {
		report(".contacts", c.Shape.Where.String(), "laws with internal states need deepest points")
	}
	if c.Law.Friction.Type == Soil && (c.Shape.Where != Deepest || c.Shape.Type != Disc && c.Shape.Type != Cylinder) {
		report(".friction.type", Soil.String(), "needs a disc or a cylinder that touches at its deepest points")
	}
	if c.Ground == nil {
		report(".terrain", "none", "must be given")
	}
}

// NumStates returns the number of internal states of the contact: for each disc the states of a point.
func (c *Contact) NumStates() int { return c.Law.NumStates() * c.Shape.discs() }

// Lossless reports whether the contact neither takes energy from the motion nor adds energy. Distributed points may do both, as
// they do not turn with the wheel.
func (c *Contact) Lossless() bool {
	l := &c.Law
	return c.Shape.Where != Distributed && l.Friction.Type == None && l.Rolling.Coefficient == 0 && l.Drilling.Coefficient == 0 && l.Normal.Dissipation == 0 && l.Normal.Damping == 0
}

// EvalTo stores in r the points, the forces and the wrench of the
// contact for a body and NumStates internal states.
//
// Cost: O(points), no allocation; safe for distinct r at the same time.
// It returns the errors of Shape.PointsTo and of the map of the friction, and ErrNotFinite. It panics if internal has
// the wrong length.
func (c *Contact) EvalTo(r *Result, b *Body, internal []float64) error {
	if len(internal) != c.NumStates() {
		panic("ground/contact: length mismatch")
	}
	r.Touches = r.touches[:0]
	center, axis := c.place(b)
	n, err := c.Shape.PointsTo(r.points, c.Ground, center, axis)
	if err != nil {
		return err
	}
	r.Wrench, r.Energy, r.Power = spatial.Force{}, 0, 0
	r.Nearest = r.points[0]
	for i := range n {
		if r.points[i].Depth > r.Nearest.Depth {
			r.Nearest = r.points[i]
		}
		t := &r.touches[i]
		t.Point = r.points[i]
		if err := c.motionTo(&t.Motion, &t.Point, b); err != nil {
			return err
		}
		t.velocity = b.velocityAt(&t.center)
		c.Law.ForceTo(&t.Force, nil, &t.Motion, c.Shape.Radius, t.Share, c.states(internal, t.Disc))
		c.add(r, t, b)
	}
	r.Touches, r.Depth = r.touches[:n], r.Nearest.Depth
	if w := &r.Wrench; !w.Moment().IsFinite() || !w.Linear().IsFinite() {
		return fmt.Errorf("%w: force", ErrNotFinite)
	}
	return nil
}

// RateTo stores in rate the rates of the internal states after EvalTo has stored r for b and internal.
//
// Cost: O(discs), no allocation. It panics if rate or internal has the wrong length.
func (c *Contact) RateTo(rate []float64, r *Result, internal []float64) {
	if len(rate) != c.NumStates() || len(internal) != c.NumStates() {
		panic("ground/contact: length mismatch")
	}
	if len(rate) == 0 {
		return
	}
	// First the rates of all discs as off the ground, where the depth is 0.
	var air PointMotion
	for i := range c.Shape.discs() {
		c.Law.RateTo(c.states(rate, i), nil, &air, c.states(internal, i))
	}
	for i := range r.Touches {
		t := &r.Touches[i]
		c.Law.RateTo(c.states(rate, t.Disc), nil, &t.Motion, c.states(internal, t.Disc))
	}
}

// states returns the internal states of a disc.
func (c *Contact) states(internal []float64, disc int) []float64 {
	n := c.Law.NumStates()
	return internal[n*disc : n*disc+n]
}

// place returns the centre of the shape, m, and the unit vector along its axis, zero if it has none, world axes.
func (c *Contact) place(b *Body) (center, axis spatial.Vec3) {
	center = b.Position.Add(b.E.MulVec(c.Shape.Center))
	if c.Shape.Axis != (spatial.Vec3{}) {
		axis = b.E.MulVec(c.Shape.Axis)
		axis = axis.Scale(1 / axis.Norm())
	}
	return center, axis
}

// velocityAt returns the velocity of the body's material point at p, m/s.
func (b *Body) velocityAt(p *spatial.Vec3) spatial.Vec3 {
	return b.Velocity.Add(b.Omega.Cross(p.Sub(b.Position.Add(b.Com))))
}

// motionTo stores in m the motion of the point p of the body b, docs/ground.md (G18).
func (c *Contact) motionTo(m *PointMotion, p *Point, b *Body) error {
	v, rolling := b.velocityAt(&p.P), b.velocityAt(&p.center)
	*m = PointMotion{
		Depth: p.Depth, N: v.Dot(p.N), X: v.Dot(p.X), Y: v.Dot(p.Y),
		Roll: rolling.Dot(p.X), Spin: b.Omega.Dot(p.axis), Turn: b.Omega.Dot(p.N), Scale: 1,
	}
	if c.Friction != nil {
		g, err := c.Friction.At(p.P[0], p.P[1])
		if err != nil {
			return fmt.Errorf("ground/contact: map of the friction: %w", err)
		}
		m.Scale = max(g.Z, 0)
	}
	return nil
}

// add stores the force of a point in world axes, and adds it with its energy and power to r, docs/ground.md (G19).
func (c *Contact) add(r *Result, t *Touch, b *Body) {
	f := &t.Force
	t.At = t.P
	if f.AtCenter {
		t.At = t.center
	}
	t.World = t.N.Scale(f.N).Add(t.X.Scale(f.X)).Add(t.Y.Scale(f.Y))
	arm := t.At.Sub(b.Position).Sub(b.Com)
	moment := arm.Cross(t.World).Add(t.axis.Scale(f.Axle)).Add(t.N.Scale(f.Turn))
	r.Wrench = r.Wrench.Add(spatial.NewForce(moment, t.World))
	r.Energy += f.Energy
	// Power is the power taken from the motion less the rate of Energy, which is Elastic times the rate of the depth. That rate
	// is −v_n, but for points that do not turn with the wheel.
	sinking := -t.Motion.N // rate of the depth, m/s
	if t.fixed {
		var d change
		center, axis := b.Velocity.Add(b.Omega.Cross(t.center.Sub(b.Position).Sub(b.Com))), b.Omega.Cross(t.axis)
		t.changeTo(&d, &center, &axis)
		sinking = d.depth
	}
	v := b.Velocity.Add(b.Omega.Cross(arm))
	r.Power -= f.Elastic*sinking + t.World.Dot(v) + f.Axle*t.Motion.Spin + f.Turn*t.Motion.Turn
}
