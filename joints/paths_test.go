package joints_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// specs has one joint of each type, and more where a parameter matters.
var specs = []joints.Spec{
	{Kind: joints.Fixed},
	{Kind: joints.Revolute},
	{Kind: joints.Prismatic},
	{Kind: joints.Helical, Pitch: 0.13},
	{Kind: joints.Helical, Pitch: -0.4},
	{Kind: joints.Cylindrical},
	{Kind: joints.Universal},
	{Kind: joints.Planar},
	{Kind: joints.Spherical},
	{Kind: joints.SphereInCylinder},
	{Kind: joints.PointOnPlane},
	{Kind: joints.Distance, Length: 0.8},
	{Kind: joints.Free},
	{Kind: joints.Rolling, Radius: 0.6},            // a disc
	{Kind: joints.Rolling, Radius: 0.6, Tyre: 0.2}, // a torus
	{Kind: joints.Rolling, Radius: 0.6, Tyre: 0.6}, // a sphere
	{Kind: joints.RollingKind(joints.SlipAlong), Radius: 0.5, Tyre: 0.1},
	{Kind: joints.RollingKind(joints.SlipAcross), Radius: 0.5},
	{Kind: joints.RollingKind(joints.SlipBoth), Radius: 0.5, Tyre: 0.1},
	{Kind: joints.RollingKind(joints.SlipBoth), Radius: 0.5, Tyre: 0.5},
	{Kind: joints.NoSlip},
	onCurve(false, &curves.Curve{Ends: [2]spatial.Vec3{{-1, 2, 0.5}, {3, 1, 4}}}),
	onCurve(false, &curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{0.2, 0.1, -0.3}, Axis: spatial.Vec3{1, 0, 2}, Radius: 1.2}),
	onCurve(false, &curves.Curve{Kind: curves.Function, X: "cos(u)", Y: "1.2*sin(u)", Z: "0.8*u", Range: [2]float64{-40, 40}}),
	onCurve(false, &curves.Curve{Kind: curves.Function, X: "0.3*sin(u)", Y: "0.2*u", Z: "u", Range: [2]float64{-40, 40}}), // steep
	onCurve(false, &curves.Curve{Kind: curves.Spline, Points: corners, Closed: true}),
	onCurve(true, &curves.Curve{Kind: curves.Spline, Points: corners, Closed: true}),
	onCurve(true, &curves.Curve{Kind: curves.Function, X: "2*sin(u/2)", Y: "1.5*sin(u)", Z: "cos(u)", Range: [2]float64{0, 4 * math.Pi}, Closed: true}),
	touching(&curves.Curve{Kind: curves.Circle, Radius: 2}, &curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{0.4, 0.1, 0.3}, Radius: 0.7}),
	touching(oval, &curves.Curve{Kind: curves.Function, X: "0.5*cos(u)", Y: "0.3*sin(u)", Z: "0.1*cos(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}),
	touching(oval, &curves.Curve{Ends: [2]spatial.Vec3{{-20, 0.3, 0}, {20, 0.3, 0.1}}}),
	touching(&curves.Curve{Ends: [2]spatial.Vec3{{-20, 0.3, 0}, {20, 0.3, 0}}}, oval),
	parting(touching(&curves.Curve{Kind: curves.Circle, Radius: 2}, &curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{0.4, 0.1, 0.3}, Radius: 0.7})),
	parting(touching(oval, &curves.Curve{Ends: [2]spatial.Vec3{{-20, 0.3, 0}, {20, 0.3, 0.1}}})),
	composite("R 0 0 1, P 1 0 0"),
	composite("P 0.2 1 0, R 0 0.6 0.8 at 0.3 -0.2 0.1, R 1 0 0.1 at 0 0.4 0"),
	composite("R 1 0 0, R 0 1 0, R 0 0 1"),
	composite("H 0.2 0 1 0 at 0 0.1 0.3, R 0 1 0 at 0.2 0 0, P 0 0.6 0.8"),
	composite("R 0 0 1, R 0 0 1 at 0.9 0 0, R 0 0 1 at 1.2 0.5 0"),
	composite("R 1 0 0, R 0 1 0.2 at 0 0 0.5, P 0 0 1, R 1 0.3 0 at 0.1 0.2 0"),
	composite("R 0 0 1, R 1 0 0 at 0 0.3 0.4, P 0 1 0, R 0 1 0, R 0 0 1 at 0.5 0 0.1"),
}

// corners are the points of a closed spline.
var corners = []spatial.Vec3{{2, 0, 0}, {1.5, 1.6, 0.3}, {0, 2, 0.8}, {-1.8, 1, 0.2}, {-1.6, -1.2, -0.4}, {0.3, -2, 0}}

// oval is a closed curve that is bent everywhere.
var oval = &curves.Curve{Kind: curves.Function, X: "2*cos(u) + 0.1*cos(2*u)", Y: "1.6*sin(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}

// touching returns the spec of two curves that touch.
func touching(p, s *curves.Curve) joints.Spec {
	return joints.Spec{Kind: joints.CurveOnCurve, Curve: p.Prepared(), SuccessorCurve: s.Prepared()}
}

// parting returns the spec of curves that may part.
func parting(s joints.Spec) joints.Spec {
	s.Kind = joints.CurveOnCurveKind(true)
	return s
}

// touched is relative of two curves that touch: a point w of S's curve is on the point u of P's, where the tangents agree, in an orientation whose tilt
// against the plane is free. The motion follows from these parameters and angles, by differences.
func (p *path) touched(t float64) (E spatial.Mat3, x, w, v spatial.Vec3) {
	pose := func(t float64) (E spatial.Mat3, x spatial.Vec3) {
		var q [6]float64
		for i := range q {
			q[i], _ = p.q[i].at(t)
		}
		a, b := p.spec.Curve.At(p.place(0, q[3])), p.spec.SuccessorCurve.At(p.place(1, q[4]))
		tilt := axisTurn(0, 0.2*q[0]).Mul(axisTurn(1, 0.2*q[1]))
		d := tilt.MulVec(b.D)
		E = axisTurn(2, math.Atan2(a.D[1], a.D[0])-math.Atan2(d[1], d[0])).Mul(tilt)
		x = a.C.Sub(E.MulVec(b.C))
		x[2] = q[5]
		return E, x
	}
	E, x = pose(t)
	for k := range 3 {
		v[k] = diff(func(t float64) float64 { _, x := pose(t); return x[k] }, t)
	}
	var rate spatial.Mat3
	for k := range rate {
		rate[k] = diff(func(t float64) float64 { E, _ := pose(t); return E[k] }, t)
	}
	W := rate.MulT(E) // ω×
	return E, x, spatial.Vec3{W[7] - W[5], W[2] - W[6], W[3] - W[1]}.Scale(0.5), v
}

// place is the parameter of a curve for a number of order 1.
func (p *path) place(i int, q float64) float64 {
	if c := [2]*curves.Curve{p.spec.Curve, p.spec.SuccessorCurve}[i]; c.IsClosed() {
		return 0.5 * q
	}
	return 20 + q // in the middle of a line
}

// onCurve returns the spec of a point on a curve.
func onCurve(planar bool, c *curves.Curve) joints.Spec {
	p := c.Prepared()
	p.MeasureArc(planar)
	return joints.Spec{Kind: joints.PointOnCurveKind(planar), Curve: p}
}

// composite returns the spec of a composite joint with axes as in "R 0 0 1 at 1 2 3, P 1 0 0, H pitch 0 0 1".
func composite(text string) joints.Spec {
	var list []joints.Axis
	for _, part := range strings.Split(text, ",") {
		words := strings.Fields(part)
		numbers := func(from, n int) (x spatial.Vec3) {
			for i := range n {
				v, err := strconv.ParseFloat(words[from+i], 64)
				if err != nil {
					panic(err)
				}
				x[i] = v
			}
			return x
		}
		a := joints.Axis{Kind: map[string]joints.Kind{"R": joints.Revolute, "P": joints.Prismatic, "H": joints.Helical}[words[0]]}
		at := 1
		if a.Kind == joints.Helical {
			a.Pitch = numbers(1, 1)[0]
			at = 2
		}
		a.Axis = numbers(at, 3)
		if len(words) > at+3 {
			a.Point = numbers(at+4, 3)
		}
		list = append(list, a)
	}
	axes, err := joints.NewAxes(list)
	if err != nil {
		panic(err)
	}
	return joints.Spec{Kind: axes.Kind(), Axes: axes}
}

// chain returns the pose of S in P of a composite joint, as a product of its motions.
func chain(a *joints.Axes, q *[6]float64) (E spatial.Mat3, x spatial.Vec3) {
	E = spatial.Identity3()
	for k := range a.Len() {
		m := a.At(k)
		turn, slide := spatial.Identity3(), m.Axis.Scale(q[k])
		if m.Kind != joints.Prismatic {
			turn = spatial.FromAxisAngle(m.Axis, q[k]).Mat()
			slide = m.Point.Sub(turn.MulVec(m.Point)).Add(m.Axis.Scale(m.Pitch * q[k]))
		}
		x = x.Add(E.MulVec(slide))
		E = E.Mul(turn)
	}
	return E, x
}

// poly is a smooth function of time, a cubic.
type poly [4]float64

func (p *poly) at(t float64) (x, xd float64) {
	return p[0] + t*(p[1]+t*(p[2]+t*p[3])), p[1] + t*(2*p[2]+t*3*p[3])
}

func randomPoly(r *rand.Rand, size float64) (p poly) {
	for i := range p {
		p[i] = size * (2*r.Float64() - 1)
	}
	return p
}

// axisTurn returns the rotation about axis k by a.
func axisTurn(k int, a float64) spatial.Mat3 {
	var e spatial.Vec3
	e[k] = 1
	return spatial.FromAxisAngle(e, a).Mat()
}

// ball is a rotation by three angles about z, y and x in turn, with its angular
// velocity in outer axes.
func ball(a *[3]poly, t float64) (E spatial.Mat3, w spatial.Vec3) {
	E = spatial.Identity3()
	for i, k := range []int{2, 1, 0} {
		q, qd := a[i].at(t)
		w = w.Add(E.Col(k).Scale(qd))
		E = E.Mul(axisTurn(k, q))
	}
	return E, w
}

// path is a motion of P and S in time: P anywhere, S relative to P by
// coordinates of the joint's type, or anywhere.
type path struct {
	spec joints.Spec
	turn [3]poly // of P
	q    [6]poly // the type's coordinates; three angles for a ball
	off  [6]poly // violation: rotation vector, then translation, in P
}

func randomPath(spec joints.Spec, seed uint64) *path {
	r := rand.New(rand.NewPCG(1, seed))
	p := &path{spec: spec}
	for i := range p.turn {
		p.turn[i] = randomPoly(r, 2)
	}
	for ready := false; !ready; ready = p.spec.Axes == nil && p.upright() || p.spec.Axes != nil && p.regular() {
		for i := range p.q {
			p.q[i] = randomPoly(r, 1.4)
		}
	}
	return p
}

// regular reports whether a composite joint is far from poses at which its axes depend on each other, from −0.1 to 0.3 s.
func (p *path) regular() bool {
	for t := -0.1; t < 0.35; t += 0.05 {
		for i := range p.spec.Axes.Len() {
			var w spatial.Force
			var tau [6]float64
			tau[i] = 1
			p.spec.WrenchTo(&w, &tau, p.frames(t))
			if !(w.Moment().Norm()+w.Linear().Norm() < 4) {
				return false
			}
		}
	}
	return true
}

// upright reports whether the wheel of a rolling joint is far from lying flat, from −0.1 to 0.3 s; of others it is true.
func (p *path) upright() bool {
	for t := -0.1; t < 0.35 && p.spec.Kind.Type() == joints.Rolling; t += 0.02 {
		if E, _ := ball((*[3]poly)(p.q[:3]), t); math.Abs(E[8]) > 0.85 {
			return false
		}
	}
	return true
}

// violate adds a smooth violation of the given size and rate at t = 0.
func (p *path) violate(seed uint64, size, rate float64) *path {
	r := rand.New(rand.NewPCG(2, seed))
	if p.spec.Axes != nil { // of which a pose that is off by much may have no nearest coordinates but singular ones
		size, rate = 0.03*size, 0.03*rate
	}
	for i := range p.off {
		p.off[i] = randomPoly(r, rate)
		p.off[i][0] *= size / rate
	}
	return p
}

// relative returns the pose of S in P, and its velocity in P's axes.
func (p *path) relative(t float64) (E spatial.Mat3, x, w, v spatial.Vec3) {
	var q, qd [6]float64
	for i := range q {
		q[i], qd[i] = p.q[i].at(t)
	}
	E = spatial.Identity3()
	turnZ := func() { E, w = axisTurn(2, q[0]), spatial.Vec3{0, 0, qd[0]} }
	turnBall := func() { E, w = ball((*[3]poly)(p.q[:3]), t) }
	switch p.spec.Kind.Type() {
	case joints.Fixed:
	case joints.Revolute:
		turnZ()
	case joints.Prismatic:
		x[2], v[2] = q[0], qd[0]
	case joints.Helical:
		turnZ()
		x[2], v[2] = p.spec.Pitch*q[0], p.spec.Pitch*qd[0]
	case joints.Cylindrical:
		turnZ()
		x[2], v[2] = q[1], qd[1]
	case joints.Universal:
		X := axisTurn(0, q[0])
		E = X.Mul(axisTurn(1, q[1]))
		w = spatial.Vec3{qd[0]}.Add(X.Col(1).Scale(qd[1]))
	case joints.Planar:
		turnZ()
		x, v = spatial.Vec3{q[1], q[2]}, spatial.Vec3{qd[1], qd[2]}
	case joints.Spherical:
		turnBall()
	case joints.SphereInCylinder:
		turnBall()
		x[2], v[2] = q[3], qd[3]
	case joints.PointOnPlane:
		turnBall()
		x, v = spatial.Vec3{q[3], q[4]}, spatial.Vec3{qd[3], qd[4]}
	case joints.Distance:
		turnBall()
		// Longitude and latitude on the sphere.
		s, c := math.Sincos(q[3])
		sb, cb := math.Sincos(q[4])
		l := p.spec.Length
		x = spatial.Vec3{l * c * cb, l * s * cb, l * sb}
		v = spatial.Vec3{l * (-s*cb*qd[3] - c*sb*qd[4]), l * (c*cb*qd[3] - s*sb*qd[4]), l * cb * qd[4]}
	case joints.Free:
		turnBall()
		x, v = spatial.Vec3{q[3], q[4], q[5]}, spatial.Vec3{qd[3], qd[4], qd[5]}
	case joints.Rolling, joints.NoSlip:
		return p.rolled(t)
	case joints.CurveOnCurve, joints.CurveOnCurveKind(true):
		return p.touched(t)
	case joints.PointOnCurve:
		turnBall()
		at := p.spec.Curve.At(q[3])
		if x, v = at.C, at.D.Scale(qd[3]); p.spec.Kind == joints.PointOnCurveKind(true) {
			x[2], v[2] = q[4], qd[4]
		}
	}
	if a := p.spec.Axes; a != nil {
		E, x = chain(a, &q)
		for k, S := range motionsOf(a, &q) {
			w, v = w.Add(S.Angular().Scale(qd[k])), v.Add(S.Linear().Scale(qd[k]))
		}
	}
	return E, x, w, v
}

// frames returns the frames at t.
func (p *path) frames(t float64) *joints.Frames {
	E, x, w, v := p.relative(t)
	var off, offd [6]float64
	for i := range off {
		off[i], offd[i] = p.off[i].at(t)
	}
	// The violation turns S about axes fixed in P, by z, y, x angles.
	O, ow := ball((*[3]poly)(p.off[:3]), t)
	w = ow.Add(O.MulVec(w))
	E = O.Mul(E)
	x = x.Add(spatial.Vec3{off[3], off[4], off[5]})
	v = v.Add(spatial.Vec3{offd[3], offd[4], offd[5]})

	f := &joints.Frames{}
	f.EP, f.OmegaP = ball(&p.turn, t)
	f.ES = f.EP.Mul(E)
	f.OmegaS = f.OmegaP.Add(f.EP.MulVec(w))
	f.R, f.V = f.EP.MulVec(x), f.EP.MulVec(v)
	if q, _ := p.q[3].at(t); p.spec.SuccessorCurve != nil {
		w, _ := p.q[4].at(t)
		f.Near = []float64{p.place(0, q) + 0.02, p.place(1, w) - 0.02, 0}
	} else if p.spec.Curve != nil { // which may cross itself
		f.Near = []float64{q + 0.02}
	}
	if p.spec.Axes != nil {
		for i := range p.spec.Axes.Len() { // several sets of coordinates may make the pose
			q, _ := p.q[i].at(t)
			f.Near = append(f.Near, q+0.02)
		}
	}
	return f
}

// velocity returns V̂ of f.
func velocity(f *joints.Frames) (v spatial.Motion) {
	f.RelativeVelocityTo(&v)
	return v
}

// apparent returns the derivative of V̂ as seen from P, world axes.
func (p *path) apparent(t float64) spatial.Motion {
	E := p.frames(t).EP
	var d spatial.Motion
	for i := range d {
		d[i] = diff(func(t float64) float64 {
			f := p.frames(t)
			v := velocity(f)
			a, l := f.EP.TMulVec(v.Angular()), f.EP.TMulVec(v.Linear())
			return spatial.NewMotion(a, l)[i]
		}, t)
	}
	return spatial.NewMotion(E.MulVec(d.Angular()), E.MulVec(d.Linear()))
}

// diff is the derivative of g at t by central differences of fourth order.
func diff(g func(float64) float64, t float64) float64 {
	const h = 1e-3
	return (8*(g(t+h)-g(t-h)) - (g(t+2*h) - g(t-2*h))) / (12 * h)
}

// drivenAt is the time at which motions along curves agree with the path.
const drivenAt = 0.2

// along returns the way along the curve, the way along z or the gap at t, and its rate.
func (p *path) along(i int, t float64) (q, rate float64) {
	switch flat := p.spec.Kind == joints.PointOnCurveKind(true); {
	case p.spec.SuccessorCurve != nil:
		return 0, 0 // the gap
	case i == 3:
		u, ud := p.q[3].at(t)
		d := p.spec.Curve.At(u).D
		if flat {
			d[2] = 0
		}
		return p.spec.Curve.Arc(u, 0, flat), d.Norm() * ud
	}
	_, x, _, v := p.relative(t)
	return x[2], v[2]
}

// driven returns spec with a motion on every freedom that can have one, equal to
// the path's own coordinate, along curves at drivenAt.
func (p *path) driven() *joints.Spec {
	s := p.spec
	s.Motion = new([6]*joints.Motion)
	for i := range s.Kind.Dof() {
		if s.Kind.Scalar(i) {
			s.Motion[i] = joints.NewPolynomial(p.q[i][:])
			if s.Curve != nil {
				q, rate := p.along(i, drivenAt)
				s.Motion[i] = joints.NewPolynomial([]float64{q - drivenAt*rate, rate})
			}
		}
	}
	return &s
}
