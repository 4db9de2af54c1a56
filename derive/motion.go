package derive

import "github.com/rung-mbd/rung/spatial"

// motionNumbers is the number of entries of a body in TakeMotion.
const motionNumbers = 12

// TakeMotion moves the derivatives of g by the motion of the bodies to x: it adds them to x and sets them to zero in g. The derivatives by
// parameters that stay in g are with the rotation of each body, the position of its centre of mass and both velocities held, even if its
// centre of mass moves in the body.
//
// Shapes: x has twelve entries a body: by rotation, position of the centre of mass, angular velocity, velocity of the centre of mass.
// Frame: world axes. Cost: O(bodies), no allocation. It panics on a length mismatch, and without results.
func (g *Gradient) TakeMotion(x []float64) {
	if len(x) != motionNumbers*len(g.bodies) {
		panic("derive: length mismatch")
	}
	g.mustHave()
	for i := range g.bodies {
		u, b, y := &g.bodies[i], &g.d.bodies[i], (*[motionNumbers]float64)(x[motionNumbers*i:])
		for c := range 3 {
			y[c] += u.Rotation[c]
			y[3+c] += u.Position[c]
			y[6+c] += u.Angular[c]
			y[9+c] += u.Linear[c]
		}
		u.Com = u.Com.Sub(b.comOf(u))
		u.Rotation, u.Position, u.Angular, u.Linear = spatial.Vec3{}, spatial.Vec3{}, spatial.Vec3{}, spatial.Vec3{}
	}
}

// comOf returns the cotangents of com that belong to the cotangents u of position and velocity of the centre of mass: com moves the centre
// by E·δcom, and changes its velocity by ω×E·δcom.
func (b *bodyAt) comOf(u *BodyDirection) spatial.Vec3 {
	return b.E.TMulVec(u.Position.Add(u.Linear.Cross(b.omega)))
}

// FollowMotion stores in g the gradient of an output that has the derivatives x by the motion at the state of At (TakeMotion). The state
// follows: g has products with any direction, and total derivatives by parameters.
//
// Cost: two solves. After an error g has no results. It panics on a length mismatch, without At, or if g belongs to other Derivatives.
func (d *Derivatives) FollowMotion(g *Gradient, x []float64) error {
	d.enter()
	defer d.guard.Leave()
	d.mustBeReady()
	if g.d != d || len(x) != motionNumbers*len(g.bodies) {
		panic("derive: foreign gradient or length mismatch")
	}
	if g.versions != d.versions {
		panic("derive: gradient from before a parameter")
	}
	g.ready = false
	err := d.followMotion(g, x)
	g.ready = err == nil
	return err
}

// followMotion is FollowMotion within the guard.
func (d *Derivatives) followMotion(g *Gradient, x []float64) error {
	if err := d.setCarried(); err != nil {
		return err
	}
	g.clear()
	g.used = true
	for i := range g.bodies {
		u, y := &g.bodies[i], x[motionNumbers*i:]
		u.Rotation, u.Position = spatial.Vec3(y[:3]), spatial.Vec3(y[3:6])
		u.Angular, u.Linear = spatial.Vec3(y[6:9]), spatial.Vec3(y[9:12])
		u.Com = d.bodies[i].comOf(u)
	}
	if d.plain.Pattern.Len() == d.mech.NumBodies() {
		return nil
	}
	return d.followBack(g)
}
