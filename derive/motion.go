package derive

import "github.com/rung-mbd/rung/spatial"

// Motion numbers of a body (TakeMotion).
const motionNumbers = 12

// TakeMotion adds to x the derivatives of g by the motion of the bodies, and takes them out of g. Then g has the derivatives by
// parameters with the rotation of each body, the place of its centre of mass and both velocities held, wherever in
// the body its centre of mass is.
//
// Shapes: x has twelve entries a body: by rotation, place of the centre of mass, angular velocity, velocity of the centre of mass. Frame:
// world axes. Cost: O(bodies), no allocation. It panics on a length mismatch.
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

// comOf returns the cotangents of com that come with those of the place and the velocity of the centre of mass: com
// moves it by E·δcom, and its velocity changes by ω×E·δcom.
func (b *bodyAt) comOf(u *BodyDirection) spatial.Vec3 {
	return b.E.TMulVec(u.Position.Add(u.Linear.Cross(b.omega)))
}

// FollowMotion stores in g the gradient, along directions that the state follows, of what has the derivatives x by
// the motion at the state of At (TakeMotion): its products with given directions, and totals by parameters.
//
// Cost: two solves. After an error g has no results. It panics on a length mismatch, without At, or if g is of others.
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
