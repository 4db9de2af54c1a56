package rung_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

const (
	camTol  = 1e-10 // rounding of accelerations and reactions of order 100
	camRate = 7.0   // rad/s
	camMass = 0.8   // of the follower, kg
	camBase = 0.05  // base radius, m
	camLift = 0.012 // m
)

// cam is a cam that turns about z at a constant rate from the angle theta on, and a follower that slides along y with a reference point at the height s. touch joins them.
func cam(t testing.TB, theta, s, rate float64, touch func(b *rung.Builder, cam, follower rung.Body, turned rung.Place)) *rung.Builder {
	t.Helper()
	b := rung.NewBuilder("cam").Gravity(0, -gravity, 0)
	z, y := spatial.Vec3{0, 0, 1}, spatial.Vec3{0, 1, 0}
	sin, cos := math.Sincos(theta)
	turned := rung.At(0, 0, 0).WithZX(z, spatial.Vec3{cos, sin})
	shaft := b.Body("cam", wheelOf(t, 2, 0.01, 0.01), turned)
	follower := b.Body("follower", wheelOf(t, camMass, 0.01, 0.01), rung.At(0, s, 0))
	b.Move(shaft, spatial.Vec3{}, z.Scale(camRate))
	b.Move(follower, y.Scale(rate), spatial.Vec3{})
	b.Revolute("shaft", rung.World, shaft, spatial.Vec3{}, z).Motion = []*joints.Motion{joints.NewPolynomial([]float64{0, camRate})}
	b.Prismatic("guide", rung.World, follower, spatial.Vec3{0, s, 0}, y)
	touch(b, shaft, follower, turned)
	return b
}

// checkFollower compares a follower with its law, of which slope is the first derivative by the angle: acceleration, the force along the line of which
// the angle from y is the pressure angle, and the torque that keeps the rate of the shaft, by virtual work.
func checkFollower(t *testing.T, b *rung.Builder, slope, acceleration, pressure float64, what string) {
	t.Helper()
	p := planOf(t, b)
	for _, method := range motion.Methods() {
		r, err := compare.Accelerate(p, method, p.Initial())
		require.NoError(t, err)
		require.Nil(t, r.Violation, what)
		assert.InDelta(t, acceleration, r.Bodies[1].ComAcceleration[1], camTol, "%s by %v", what, method)
		n := camMass * (acceleration + gravity)
		force := r.Joints[2].ConstraintWrench.Force
		closeVec3(t, force, spatial.Vec3{-n * math.Tan(pressure), n, 0}, camTol, 100, "%s: force by %v", what, method)
		assert.InDelta(t, n*slope, r.Joints[0].ConstraintWrench.Moment[2], camTol, "%s: torque by %v", what, method)
		require.Zero(t, r.Constraints.Redundant, what)
	}
}

// An eccentric disc with a roller, a knife edge and a flat face. With the centre of the disc at e·(cos θ, sin θ) and the radius r, that of the roller is a:
// s = e·sin θ + √((r + a)² − e²·cos²θ), for the edge with a = 0, and the force is along the line of the centres. A flat face has s = e·sin θ + r and no pressure angle.
func TestEccentric(t *testing.T) {
	const r, e, a = 0.04, 0.013, 0.011
	disc := &curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{e}, Radius: r}
	for theta := 0.3; theta < 6.5; theta += 0.7 {
		sin, cos := math.Sincos(theta)
		for _, radius := range []float64{0, a} {
			L := r + radius
			root := math.Sqrt(L*L - e*e*cos*cos)
			s := e*sin + root
			ds := e*cos + e*e*sin*cos/root
			dds := -e*sin + e*e*(cos*cos-sin*sin)/root - math.Pow(e*e*sin*cos, 2)/(root*root*root)
			b := cam(t, theta, s, ds*camRate, func(b *rung.Builder, shaft, follower rung.Body, turned rung.Place) {
				if radius == 0 {
					b.PointOnCurve("touch", shaft, follower, turned, spatial.Vec3{0, s, 0}, disc).Curve.Planar = true
					return
				}
				b.CurveOnCurve("touch", shaft, follower, turned, rung.At(0, s, 0), disc, &curves.Curve{Kind: curves.Circle, Radius: radius})
			})
			checkFollower(t, b, ds, dds*camRate*camRate, math.Atan2(e*cos, root), fmt.Sprintf("θ = %v, roller %v", theta, radius))
		}
		s := e*sin + r
		b := cam(t, theta, s, e*cos*camRate, func(b *rung.Builder, shaft, follower rung.Body, turned rung.Place) {
			b.CurveOnCurve("touch", shaft, follower, turned, rung.At(0, s, 0), disc, &curves.Curve{Ends: [2]spatial.Vec3{{-0.1}, {0.1}}})
		})
		checkFollower(t, b, e*cos, -e*sin*camRate*camRate, 0, fmt.Sprintf("θ = %v, flat", theta))
		p := planOf(t, b)
		k := p.Mechanism().NewKinematics()
		require.NoError(t, p.Mechanism().KinematicsTo(k, p.Initial()))
		at := p.Mechanism().Touch(2, k, p.Initial())
		closeVec3(t, at.Point, spatial.Vec3{e * cos}, 1e-14, 1, "where it touches the face")
		assert.InDelta(t, 0, at.Gap, 1e-15)
	}
}

// law is a rise in a turn of v from 0 to 1, with its first two derivatives, and as an expression in a clamped variable.
type law struct {
	name string
	at   func(v float64) (s, ds, dds float64)
	text func(v string) string
}

// laws of cams: cycloidal, modified sine (Neklutin) and polynomials 3-4-5 and 4-5-6-7.
func camLaws() []law {
	pi := math.Pi
	part := func(v, c0, c1, amplitude, w, phase float64) (s, ds, dds float64) { // c0 + c1·v − amplitude·sin(w·v + phase)
		sin, cos := math.Sincos(w*v + phase)
		return c0 + c1*v - amplitude*sin, c1 - amplitude*w*cos, amplitude * w * w * sin
	}
	polynomial := func(c [8]float64) func(v float64) (s, ds, dds float64) {
		return func(v float64) (s, ds, dds float64) {
			for i := 7; i >= 0; i-- {
				dds = dds*v + 2*ds
				ds = ds*v + s
				s = s*v + c[i]
			}
			return s, ds, dds
		}
	}
	k := 1 / (4 + pi)
	return []law{
		{"cycloidal", func(v float64) (s, ds, dds float64) { return part(v, 0, 1, 1/(2*pi), 2*pi, 0) },
			func(v string) string { return fmt.Sprintf("(%[1]s - sin(2*pi*%[1]s)/(2*pi))", v) }},
		{"modified sine", func(v float64) (s, ds, dds float64) {
			switch {
			case v < 1.0/8:
				return part(v, 0, pi*k, k/4, 4*pi, 0)
			case v < 7.0/8:
				return part(v, 2*k, pi*k, 9*k/4, 4*pi/3, pi/3)
			}
			return part(v, 4*k, pi*k, k/4, 4*pi, 0)
		}, func(v string) string {
			one, two := "min("+v+", 1/8)", "min(max("+v+", 1/8), 7/8)"
			three := "max(" + v + ", 7/8)"
			return fmt.Sprintf("((pi*%[1]s - sin(4*pi*%[1]s)/4 + 2 + pi*%[2]s - 9*sin(4*pi*%[2]s/3 + pi/3)/4 + 4 + pi*%[3]s - sin(4*pi*%[3]s)/4 "+
				"- (2 + pi/8 - 9/4*sin(pi/2)) - (4 + 7*pi/8 - sin(7*pi/2)/4))/(4 + pi))", one, two, three)
		}},
		{"3-4-5", polynomial([8]float64{3: 10, 4: -15, 5: 6}), func(v string) string { return fmt.Sprintf("(10*%[1]s^3 - 15*%[1]s^4 + 6*%[1]s^5)", v) }},
		{"4-5-6-7", polynomial([8]float64{4: 35, 5: -84, 6: 70, 7: -20}),
			func(v string) string { return fmt.Sprintf("(35*%[1]s^4 - 84*%[1]s^5 + 70*%[1]s^6 - 20*%[1]s^7)", v) }},
	}
}

// The cam rises from 0.2 to 2.2 rad, dwells, and returns from 3.2 to 5.7 rad.
const riseFrom, riseTo, fallFrom, fallTo = 0.2, 2.2, 3.2, 5.7

// lift is the height of the follower over the base radius, and its derivatives by the angle.
func (l *law) lift(u float64) (s, ds, dds float64) {
	up, down := riseTo-riseFrom, fallTo-fallFrom
	switch {
	case u < riseFrom || u > fallTo:
		return 0, 0, 0
	case u < riseTo:
		s, ds, dds = l.at((u - riseFrom) / up)
		return camLift * s, camLift * ds / up, camLift * dds / (up * up)
	case u < fallFrom:
		return camLift, 0, 0
	}
	s, ds, dds = l.at((u - fallFrom) / down)
	return camLift * (1 - s), -camLift * ds / down, -camLift * dds / (down * down)
}

// expression is lift with the base radius as an expression in u.
func (l *law) expression() string {
	v := func(from, to float64) string { return fmt.Sprintf("min(max((u - %v)/%v, 0), 1)", from, to-from) }
	return fmt.Sprintf("(%v + %v*(%s - %s))", camBase, camLift, l.text(v(riseFrom, riseTo)), l.text(v(fallFrom, fallTo)))
}

// Cams by laws with a knife edge, which is also the centre of a roller whose cam is the curve at its distance: at the cam angle θ the point with u = θ of
// (r·sin u, r·cos u), r = base + s(u), is under the follower. Displacement, speed, acceleration, force and pressure angle, tan α = s′/r.
func TestKnifeEdgesFollowLaws(t *testing.T) {
	check.Long(t)
	for _, l := range camLaws() {
		t.Run(l.name, func(t *testing.T) {
			r := l.expression()
			profile := &curves.Curve{Kind: curves.Function, X: r + "*sin(u)", Y: r + "*cos(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}
			for theta := 0.15; theta < 6.2; theta += 0.85 {
				s, ds, dds := l.lift(theta)
				height := camBase + s
				b := cam(t, theta, height, ds*camRate, func(b *rung.Builder, shaft, follower rung.Body, turned rung.Place) {
					b.PointOnCurve("touch", shaft, follower, turned, spatial.Vec3{0, height, 0}, profile).Curve.Planar = true
				})
				checkFollower(t, b, ds, dds*camRate*camRate, math.Atan2(ds, height), fmt.Sprintf("θ = %v", theta))
			}
		})
	}
}

// Cams by laws with a flat face: h = base + s(u) is the distance of the face along (sin u, cos u), and the cam is its envelope,
// (h·sin u + h′·cos u, h·cos u − h′·sin u), with the radius of curvature h + h″. There is no pressure angle, and the face is touched at h′ beside the middle.
func TestFlatFacesFollowLaws(t *testing.T) {
	check.Long(t)
	for _, l := range camLaws() {
		slope := map[string]string{
			"cycloidal": "(1 - cos(2*pi*V))", "3-4-5": "(30*V^2 - 60*V^3 + 30*V^4)", "4-5-6-7": "(140*V^3 - 420*V^4 + 420*V^5 - 140*V^6)",
		}[l.name]
		if slope == "" {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			v := func(from, to float64) string { return fmt.Sprintf("min(max((u - %v)/%v, 0), 1)", from, to-from) }
			h := l.expression()
			dh := fmt.Sprintf("(%v*(%s/%v - %s/%v))", camLift, strings.ReplaceAll(slope, "V", v(riseFrom, riseTo)), riseTo-riseFrom,
				strings.ReplaceAll(slope, "V", v(fallFrom, fallTo)), fallTo-fallFrom)
			profile := &curves.Curve{
				Kind: curves.Function, X: h + "*sin(u) + " + dh + "*cos(u)", Y: h + "*cos(u) - " + dh + "*sin(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true,
			}
			for theta := 0.15; theta < 6.2; theta += 0.85 {
				s, ds, dds := l.lift(theta)
				height := camBase + s
				b := cam(t, theta, height, ds*camRate, func(b *rung.Builder, shaft, follower rung.Body, turned rung.Place) {
					b.CurveOnCurve("touch", shaft, follower, turned, rung.At(0, height, 0), profile, &curves.Curve{Ends: [2]spatial.Vec3{{-0.2}, {0.2}}})
				})
				checkFollower(t, b, ds, dds*camRate*camRate, 0, fmt.Sprintf("θ = %v", theta))
			}
		})
	}
}

// A roller of radius a on the curve at its distance from the path of its centre, a harmonic law: the follower moves as its centre by the path, at each
// angle and over a turn of a run.
func TestRollerFollowsAHarmonicLaw(t *testing.T) {
	check.Long(t)
	const a, half = 0.01, camLift / 2
	r, dr := fmt.Sprintf("(%v - %v*cos(u))", camBase+half, half), fmt.Sprintf("(%v*sin(u))", half)
	length := fmt.Sprintf("sqrt(%s^2 + %s^2)", r, dr)
	profile := &curves.Curve{
		Kind: curves.Function, Range: [2]float64{0, 2 * math.Pi}, Closed: true,
		X: fmt.Sprintf("%s*sin(u) - %v*(%s*sin(u) - %s*cos(u))/%s", r, a, r, dr, length),
		Y: fmt.Sprintf("%s*cos(u) - %v*(%s*sin(u) + %s*cos(u))/%s", r, a, dr, r, length),
	}
	touch := func(height float64) func(b *rung.Builder, shaft, follower rung.Body, turned rung.Place) {
		return func(b *rung.Builder, shaft, follower rung.Body, turned rung.Place) {
			b.CurveOnCurve("touch", shaft, follower, turned, rung.At(0, height, 0), profile, &curves.Curve{Kind: curves.Circle, Radius: a})
		}
	}
	law := func(u float64) (s, ds, dds float64) {
		sin, cos := math.Sincos(u)
		return camBase + half - half*cos, half * sin, half * cos
	}
	for theta := 0.15; theta < 6.2; theta += 0.85 {
		s, ds, dds := law(theta)
		checkFollower(t, cam(t, theta, s, ds*camRate, touch(s)), ds, dds*camRate*camRate, math.Atan2(ds, s), fmt.Sprintf("θ = %v", theta))
	}
	s, ds, _ := law(0.4)
	p := planOf(t, cam(t, 0.4, s, ds*camRate, touch(s)))
	turn := 2 * math.Pi / camRate
	run, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 2 * turn, Tolerance: 1e-10})
	require.NoError(t, err)
	for i := 1; i <= 16; i++ {
		at := turn * float64(i) / 8
		require.NoError(t, run.Run(at))
		want, rate, _ := law(0.4 + camRate*at)
		assert.InDelta(t, want, run.State().Bodies[1].Position[1], 1e-9)
		assert.InDelta(t, rate*camRate, run.State().Bodies[1].Velocity[1], 1e-8)
	}
	k := p.Mechanism().NewKinematics()
	require.NoError(t, p.Mechanism().KinematicsTo(k, run.State()))
	touched := p.Mechanism().Touch(2, k, run.State())
	assert.InDelta(t, 0.4+4*math.Pi, touched.U, 1e-8, "laps")
}

// Conjugate cams: a disc between two parallel faces of one yoke, a constant diameter. The second contact is redundant, both are named, and the yoke moves
// as with either.
func TestConjugateFaces(t *testing.T) {
	const r, e, theta = 0.04, 0.013, 0.8
	disc := &curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{e}, Radius: r}
	sin, cos := math.Sincos(theta)
	s := e * sin
	b := cam(t, theta, s, e*cos*camRate, func(b *rung.Builder, shaft, yoke rung.Body, turned rung.Place) {
		for _, side := range []float64{1, -1} {
			face := &curves.Curve{Ends: [2]spatial.Vec3{{-0.1, side * r}, {0.1, side * r}}}
			b.CurveOnCurve(map[float64]string{1: "upper", -1: "lower"}[side], shaft, yoke, turned, rung.At(0, s, 0), disc, face)
		}
	})
	p := planOf(t, b)
	solver := p.NewSolver()
	require.NoError(t, solver.Solve(p.Initial()))
	report, err := solver.Report()
	require.NoError(t, err)
	require.Equal(t, 1, report.Redundant)
	result := solved(t, b, motion.Sparse)
	assert.InDelta(t, -e*sin*camRate*camRate, result.Bodies[1].ComAcceleration[1], camTol)
	for _, j := range result.Joints {
		require.Equal(t, j.Name == "upper" || j.Name == "lower", !j.WrenchUnique, j.Name)
	}
	both := result.Joints[2].ConstraintWrench.Force[1] + result.Joints[3].ConstraintWrench.Force[1]
	assert.InDelta(t, camMass*(gravity-e*sin*camRate*camRate), both, camTol)
}

// What does not touch is an error with the joint and the place: past the end of a face, and where the cam is hollow and the roller too large for it.
func TestCamsThatDoNotTouch(t *testing.T) {
	const r, e = 0.04, 0.013
	disc := &curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{e}, Radius: r}
	s := e + r
	short := cam(t, math.Pi/2, s, 0, func(b *rung.Builder, shaft, follower rung.Body, turned rung.Place) {
		b.CurveOnCurve("touch", shaft, follower, turned, rung.At(0, s, 0), disc, &curves.Curve{Ends: [2]spatial.Vec3{{-0.01}, {0.2}}})
	})
	// (r + d·cos 2u) in polar coordinates is hollow at ±π/2, where its radius of curvature is (r − d)²/(r − 5d).
	hollow := &curves.Curve{Kind: curves.Function, X: "(0.05 + 0.015*cos(2*u))*cos(u)", Y: "(0.05 + 0.015*cos(2*u))*sin(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}
	large := cam(t, math.Pi/2, 0.065+0.08, 0, func(b *rung.Builder, shaft, follower rung.Body, turned rung.Place) {
		b.CurveOnCurve("touch", shaft, follower, turned, rung.At(0, 0.065+0.08, 0), hollow, &curves.Curve{Kind: curves.Circle, Radius: 0.08})
	})
	for want, b := range map[string]*rung.Builder{"on the curve of the successor u = ": short, "radius of curvature": large} {
		run, err := rung.NewSimulation(planOf(t, b), rung.SimulationOptions{Until: 2, Step: 1e-3, Integrator: runs.RungeKutta4})
		require.NoError(t, err)
		err = run.Run(2)
		require.ErrorIs(t, err, mechanism.ErrTouch, want)
		require.ErrorContains(t, err, `joint "touch"`)
		require.ErrorContains(t, err, want)
	}
	// A small roller goes around.
	small := cam(t, math.Pi/2, 0.065+0.01, 0, func(b *rung.Builder, shaft, follower rung.Body, turned rung.Place) {
		b.CurveOnCurve("touch", shaft, follower, turned, rung.At(0, 0.065+0.01, 0), hollow, &curves.Curve{Kind: curves.Circle, Radius: 0.01})
	})
	run, err := rung.NewSimulation(planOf(t, small), rung.SimulationOptions{Until: 2 * math.Pi / camRate, Tolerance: 1e-10})
	require.NoError(t, err)
	require.NoError(t, run.Run(2*math.Pi/camRate))
	assert.InDelta(t, 0.065+0.01, run.State().Bodies[1].Position[1], 1e-8, "back after a turn")
}

// A body with an oval edge slides on an inclined line without friction, for 10 000 steps: its energy stays, and so does its momentum along the line but for gravity.
func TestOvalKeepsEnergy(t *testing.T) {
	check.Long(t)
	const steps, step = 10_000, 1e-3
	b := rung.NewBuilder("oval").Gravity(0, -gravity, 0)
	z := spatial.Vec3{0, 0, 1}
	body := b.Body("oval", wheelOf(t, 1, 0.02, 0.02), rung.At(0, 0.1, 0))
	b.Move(body, spatial.Vec3{0.3}, z.Scale(4))
	b.Planar("plane", rung.World, body, spatial.Vec3{0, 0.1, 0}, z)
	oval := &curves.Curve{Kind: curves.Function, X: "0.2*cos(u)", Y: "0.1*sin(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}
	b.CurveOnCurve("touch", rung.World, body, rung.At(0, 0, 0), rung.At(0, 0.1, 0), &curves.Curve{Ends: [2]spatial.Vec3{{-50}, {50}}}, oval)
	p := planOf(t, b)
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: steps * step, Step: step, Integrator: runs.RungeKutta4})
	require.NoError(t, err)
	energy := func() float64 {
		o := &s.State().Bodies[0]
		return o.Velocity.Dot(o.Velocity)/2 + 0.01*o.Omega.Dot(o.Omega) + gravity*o.Position[1]
	}
	was := energy()
	require.NoError(t, s.Run(steps*step))
	assert.InDelta(t, was, energy(), 1e-7*was)
	assert.InDelta(t, 0.3, s.State().Bodies[0].Velocity[0], 1e-9)
	require.NoError(t, p.Mechanism().Holds(s.State()))
}
