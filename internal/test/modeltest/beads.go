package modeltest

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Beads returns a random mechanism of bodies on curves of all kinds, in space and in a plane. Half of the curves are on a free plate, the
// others on the world. Every second body has a force, a spring and a damper along its curve. Poses and velocities satisfy all joints.
func Beads(seed uint64) *model.Model {
	g := rolling{rng: check.Rand(seed), m: model.New(fmt.Sprintf("beads-%d", seed))}
	g.m.Gravity = [3]float64{0.3, -1, -9.81}
	plate := g.body("plate", g.vector(2), g.turn())
	plate.Velocity = model.Velocity{Linear: g.vector(1), Angular: g.vector(1)}
	g.m.Bodies = append(g.m.Bodies, plate)
	corners := make([]spatial.Vec3, 6)
	for i := range corners {
		sin, cos := math.Sincos(float64(i) * math.Pi / 3)
		corners[i] = spatial.Vec3{2 * cos, 1.5 * sin, 0}.Add(g.vector(0.2))
	}
	for i, c := range []model.PointCurve{
		{Curve: curves.Curve{Ends: [2]spatial.Vec3{g.vector(1), g.vector(2)}}},
		{Curve: curves.Curve{Kind: curves.Circle, Center: g.vector(1), Axis: g.vector(1), Start: g.vector(1), Radius: 1.3}},
		{Curve: curves.Curve{Kind: curves.Circle, Radius: 0.8, Range: [2]float64{0.3, 4}}, Planar: true},
		{Curve: curves.Curve{Kind: curves.Spline, Points: corners, Closed: true}},
		{Curve: curves.Curve{Kind: curves.Spline, Points: corners}, Planar: true},
		{Curve: curves.Curve{Kind: curves.Function, X: "cos(u)", Y: "sin(u)", Z: "0.3*u", Range: [2]float64{-9, 9}}},
		{Curve: curves.Curve{
			Kind: curves.Function, X: "sin(u)", Y: "sin(2*u)", Z: "cos(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true,
		}},
	} {
		g.bead(i, []string{"plate", model.World}[(i+int(seed))%2], &c)
		if j := &g.m.Joints[i]; i%2 == 1 { // loads along the curve
			n := j.Kind().Freedoms()
			j.Force, j.Stiffness, j.Damping = make([]float64, n), make([]float64, n), make([]float64, n)
			j.Force[3], j.Stiffness[3], j.Damping[3] = g.rng.NormFloat64(), 3*g.rng.Float64(), g.rng.Float64()
		}
	}
	return g.m
}

// Cams returns a random mechanism of bodies whose curves touch curves of a free plate or of the world. The curves are ovals, circles and
// lines, which touch from outside or from inside and are slightly tilted. Two pairs may lift off. Poses and velocities satisfy all
// joints.
func Cams(seed uint64) *model.Model {
	g := rolling{rng: check.Rand(seed), m: model.New(fmt.Sprintf("cams-%d", seed))}
	g.m.Gravity = [3]float64{0.3, -1, -9.81}
	plate := g.body("plate", g.vector(2), g.turn())
	plate.Velocity = model.Velocity{Linear: g.vector(1), Angular: g.vector(1)}
	g.m.Bodies = append(g.m.Bodies, plate)
	oval := curves.Curve{
		Kind: curves.Function, X: "2*cos(u) + 0.1*cos(2*u)", Y: "1.6*sin(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true,
	}
	line := curves.Curve{Ends: [2]spatial.Vec3{{-4, 0.3, 0}, {5, 0.5, 0.2}}}
	small := curves.Curve{Kind: curves.Circle, Center: g.vector(0.2), Radius: 0.4}
	turned := curves.Curve{Kind: curves.Circle, Center: g.vector(0.2), Axis: spatial.Vec3{0.1, 0, -1}, Radius: 0.5} // the other way round
	points := make([]spatial.Vec3, 7)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 7)
		points[i] = spatial.Vec3{0.9*cos + 0.02*g.rng.NormFloat64(), 0.8*sin + 0.02*g.rng.NormFloat64(), 0}
	}
	spline := curves.Curve{Kind: curves.Spline, Points: points, Closed: true}
	for i, c := range [][2]curves.Curve{
		{oval, small}, {oval, turned}, {oval, line}, {line, oval}, {spline, turned}, {small, spline}, {line, small},
		{oval, turned}, {oval, line},
	} {
		on := []string{"plate", model.World}[(i+int(seed))%2]
		g.cam(i, on, &model.PointCurve{Curve: *c[0].Clone()}, &model.PointCurve{Curve: *c[1].Clone()})
		if j := &g.m.Joints[i]; i >= 7 { // a pair that may lift off, with a spring
			j.LiftsOff, j.Force = true, []float64{g.rng.NormFloat64()}
			j.Stiffness, j.Damping = []float64{5 * g.rng.Float64()}, []float64{g.rng.Float64()}
		}
	}
	return g.m
}

// cam adds a body whose curve other touches the curve c of the body on.
func (g *rolling) cam(i int, on string, c, other *model.PointCurve) {
	j := model.Joint{
		Name: fmt.Sprintf("j%d", i), Type: model.CurveOnCurve, Predecessor: on, Successor: fmt.Sprintf("b%d", i),
		Curve: c, SuccessorCurve: other,
	}
	j.PredecessorFrame = model.Pose{Position: g.vector(0.3), Orientation: g.turn()}
	j.SuccessorFrame = model.Pose{Position: g.vector(0.2), Orientation: g.turn()}
	var place [2]curves.Place
	for k, c := range [2]*model.PointCurve{c, other} {
		p := c.Prepared()
		from, to := p.Span()
		u := from + (to-from)*(0.2+0.6*g.rng.Float64())
		c.Parameter, place[k] = &u, p.At(u)
	}
	tilt := spatial.Exp(spatial.Vec3{0.1 * g.rng.NormFloat64(), 0.1 * g.rng.NormFloat64()}).Mat()
	a, d := place[0].D, tilt.MulVec(place[1].D)
	E := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, math.Atan2(a[1], a[0])-math.Atan2(d[1], d[0])).Mat().Mul(tilt)
	p := E.MulVec(place[1].C)
	x := place[0].C.Sub(p)
	x[2] = g.rng.NormFloat64()
	n := spatial.Vec3{-a[1], a[0]}.Scale(1 / math.Hypot(a[0], a[1]))
	omega, v := g.vector(1), g.vector(1) // of S relative to P, in the axes of P
	v = v.Sub(n.Scale(n.Dot(v.Add(omega.Cross(p)))))

	axes, origin, under := g.under(&j)
	at := origin.Add(axes.MulVec(x))
	v = axes.MulVec(v).Add(under.Velocity.Linear).Add(spatial.Vec3(under.Velocity.Angular).Cross(at.Sub(under.Pose.Position)))
	b := g.body(j.Successor, spatial.Vec3{}, spatial.IdentityQuat())
	turn := axes.Mul(E).MulT(spatial.Quat(j.SuccessorFrame.Orientation).Mat())
	b.Pose.Orientation = spatial.FromMat(turn).Normalize()
	arm := turn.MulVec(j.SuccessorFrame.Position)
	b.Pose.Position = at.Sub(arm)
	omega = axes.MulVec(omega).Add(under.Velocity.Angular)
	b.Velocity = model.Velocity{Linear: v.Sub(omega.Cross(arm)), Angular: omega}
	g.m.Bodies, g.m.Joints = append(g.m.Bodies, b), append(g.m.Joints, j)
}

// under returns the axes and the origin of the predecessor's frame of a joint in the world, and the predecessor.
func (g *rolling) under(j *model.Joint) (axes spatial.Mat3, origin spatial.Vec3, under model.Body) {
	under = model.Body{Pose: model.Pose{Orientation: [4]float64{1}}}
	if j.Predecessor != model.World {
		under = g.m.Bodies[0]
	}
	up := spatial.Quat(under.Pose.Orientation).Mat()
	axes = up.Mul(spatial.Quat(j.PredecessorFrame.Orientation).Mat())
	return axes, spatial.Vec3(under.Pose.Position).Add(up.MulVec(j.PredecessorFrame.Position)), under
}

// bead adds a body on the curve c of the body on.
func (g *rolling) bead(i int, on string, c *model.PointCurve) {
	j := model.Joint{Name: fmt.Sprintf("j%d", i), Type: model.PointOnCurve, Predecessor: on, Successor: fmt.Sprintf("b%d", i), Curve: c}
	j.PredecessorFrame = model.Pose{Position: g.vector(0.3), Orientation: g.turn()}
	j.SuccessorFrame = model.Pose{Position: g.vector(0.2), Orientation: g.turn()}
	axes, origin, under := g.under(&j)
	p := c.Prepared()
	from, to := p.Span()
	u := from + (to-from)*(0.1+0.8*g.rng.Float64())
	c.Parameter = &u // at the crossing of a figure eight, the pose does not determine the branch
	at := p.At(u)
	x, v := at.C, at.D.Scale(0.5*g.rng.NormFloat64())
	if c.Planar {
		x[2], v[2] = g.rng.NormFloat64(), g.rng.NormFloat64()
	}
	x, v = origin.Add(axes.MulVec(x)), axes.MulVec(v)
	v = v.Add(under.Velocity.Linear).Add(spatial.Vec3(under.Velocity.Angular).Cross(x.Sub(under.Pose.Position)))
	b := g.body(j.Successor, spatial.Vec3{}, g.turn())
	omega := g.vector(2)
	arm := spatial.Quat(b.Pose.Orientation).Rotate(j.SuccessorFrame.Position)
	b.Pose.Position = x.Sub(arm)
	b.Velocity = model.Velocity{Linear: v.Sub(omega.Cross(arm)), Angular: omega}
	g.m.Bodies, g.m.Joints = append(g.m.Bodies, b), append(g.m.Joints, j)
}
