package rung_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// beadTol is rounding of accelerations and reactions of order 10 to 100.
	beadTol  = 1e-11
	beadMass = 1.5
)

// beadOn returns a body whose centre of mass is a point on a curve of the world, in a frame with its y up and its z horizontal, at the parameter u and with the
// rate ud of it.
func beadOn(t testing.TB, c *curves.Curve, u, ud float64, planar bool) *rung.Builder {
	t.Helper()
	b := rung.NewBuilder("bead").Gravity(0, 0, -gravity)
	frame := rung.At(0, 0, 0).WithZX(spatial.Vec3{0, -1}, spatial.Vec3{1})
	at := c.Prepared().At(u)
	world := func(v spatial.Vec3) spatial.Vec3 { return spatial.Vec3{v[0], -v[2], v[1]} } // x is x, y is z, z is −y
	x, v := world(at.C), world(at.D.Scale(ud))
	body := b.Body("bead", wheelOf(t, beadMass, 0.1, 0.1), rung.At(x[0], x[1], x[2]))
	b.Move(body, v, spatial.Vec3{})
	j := b.PointOnCurve("wire", rung.World, body, frame, x, c)
	j.Curve.Planar, j.Curve.Parameter = planar, &u
	if planar {
		b.PointOnPlane("plane", rung.World, body, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	}
	return b
}

// helix is the curve (R·cos u, p·u, R·sin u) about a vertical axis, whose y is up.
func helix(radius, pitch float64) *curves.Curve {
	return &curves.Curve{Kind: curves.Function, X: fmt.Sprintf("%v*cos(u)", radius), Y: fmt.Sprintf("%v*u", pitch), Z: fmt.Sprintf("%v*sin(u)", radius), Range: [2]float64{-50, 50}}
}

// A bead slides down a helix (R·cos u, R·sin u, p·u): ü = −g·p/(R² + p²). By hand, the reaction is m·(c″·u̇² + c′·ü + g), and no moment.
func TestBeadOnAHelix(t *testing.T) {
	const radius, pitch, u, ud = 0.7, 0.2, 1.1, 3.0
	methods(t, func(t *testing.T, m motion.Method) {
		r := solved(t, beadOn(t, helix(radius, pitch), u, ud, false), m)
		udd := -gravity * pitch / (radius*radius + pitch*pitch)
		s, c := math.Sincos(u) // x = R·cos u, −y = R·sin u
		a := spatial.Vec3{-radius * (c*ud*ud + s*udd), radius * (s*ud*ud - c*udd), pitch * udd}
		closeVec3(t, spatial.Vec3(r.Bodies[0].ComAcceleration), a, beadTol, 10, "acceleration")
		closeVec3(t, spatial.Vec3(r.Bodies[0].AngularAcceleration), spatial.Vec3{}, beadTol, 10, "it turns freely")
		closeVec3(t, spatial.Vec3(r.Joints[0].ConstraintWrench.Force), a.Add(spatial.Vec3{0, 0, gravity}).Scale(beadMass), beadTol, 100, "reaction")
		require.True(t, r.Joints[0].WrenchUnique)
		require.Equal(t, []int{2, 4}, []int{r.Constraints.Rank, r.Constraints.Mobility})
	})
}

// A line is a sphere in a cylinder, and a circle with a body that is as far from its centre as a rod: accelerations and reactions agree
// with theirs.
func TestCurvesThatAreOtherJoints(t *testing.T) {
	tilt := spatial.FromAxisAngle(spatial.Vec3{0.3, 1, 0.2}, 0.8)
	for _, kind := range []string{"line", "circle"} {
		var got [2]*rung.Result
		for i := range got {
			b := rung.NewBuilder("one").Gravity(0.3, 1, -gravity)
			plate := b.Body("plate", wheelOf(t, 4, 0.5, 0.3), rung.At(1, 2, 3).WithZ(spatial.Vec3{1, 0, 1}))
			b.Move(plate, spatial.Vec3{0.3, -0.5, 0.2}, spatial.Vec3{1, -2, 0.4})
			center := spatial.Vec3{1.2, 2.1, 3.3}
			axis, across := tilt.Rotate(spatial.Vec3{0, 0, 1}), tilt.Rotate(spatial.Vec3{1, 0, 0})
			frame := rung.At(center[0], center[1], center[2]).WithZX(axis, across)
			point := center.Add(axis.Scale(0.4))
			if kind == "circle" {
				point = center.Add(across.Scale(0.4))
			}
			body := b.Body("body", wheelOf(t, 1, 0.1, 0.2), rung.At(1, 1.5, 3))
			slide := map[string]spatial.Vec3{"line": axis, "circle": axis.Cross(across)}[kind].Scale(0.7)
			w := spatial.Vec3{0.2, 3, -1}
			v := spatial.Vec3{0.3, -0.5, 0.2}.Add(spatial.Vec3{1, -2, 0.4}.Cross(point.Sub(spatial.Vec3{1, 2, 3}))).Add(slide)
			b.Move(body, v.Sub(w.Cross(point.Sub(spatial.Vec3{1, 1.5, 3}))), w)
			switch {
			case i == 0 && kind == "line":
				b.PointOnCurve("j", plate, body, frame, point, &curves.Curve{Ends: [2]spatial.Vec3{{0, 0, -1}, {0, 0, 2}}})
			case i == 0:
				b.PointOnCurve("j", plate, body, frame, point, &curves.Curve{Kind: curves.Circle, Radius: 0.4})
			case kind == "line":
				b.Joint("j", joints.SphereInCylinder, plate, body, frame).SuccessorFrame.Position = point.Sub(spatial.Vec3{1, 1.5, 3})
			default:
				b.PointOnPlane("plane", plate, body, point, axis)
				b.Distance("rod", plate, body, center, point)
			}
			got[i] = solved(t, b, motion.Sparse)
		}
		for k := range got[0].Bodies {
			closeVec3(t, spatial.Vec3(got[0].Bodies[k].ComAcceleration), spatial.Vec3(got[1].Bodies[k].ComAcceleration), beadTol, 100, "%s: acceleration", kind)
			closeVec3(t, spatial.Vec3(got[0].Bodies[k].AngularAcceleration), spatial.Vec3(got[1].Bodies[k].AngularAcceleration), beadTol, 100, "%s: ω̇", kind)
		}
	}
}

// cycloid is a·(u − sin u, cos u − 1): with y up a bowl whose lowest point is u = π.
func cycloid(a float64) *curves.Curve {
	return &curves.Curve{Kind: curves.Function, X: fmt.Sprintf("%v*(u - sin(u))", a), Y: fmt.Sprintf("%v*(cos(u) - 1)", a), Range: [2]float64{0.01, 2*math.Pi - 0.01}}
}

// crossing runs to a little before a bead on a curve has the parameter u, and returns the time at which it is there, by its speed, which has
// an extremum there.
func crossing(t testing.TB, s *rung.Simulation, p *rung.Plan, u, after float64) float64 {
	t.Helper()
	mech := p.Mechanism()
	k := mech.NewKinematics()
	at := func() float64 {
		require.NoError(t, mech.KinematicsTo(k, s.State()))
		u, _ := mech.CurvePlace(0, k, s.State())
		return u
	}
	require.NoError(t, s.Run(after))
	for range 60 {
		place := mech.Joints[0].Curve.At(at())
		left := (u - at()) * place.D.Norm() / s.State().Bodies[0].Velocity.Norm()
		if left < 1e-5 { // of which the rate changes by a square
			return s.State().Time + left
		}
		require.NoError(t, s.Run(s.State().Time+left/2))
	}
	t.Fatal("it is not reached")
	return 0
}

// The period of a bead on a cycloid does not depend on the amplitude (Huygens): 4π·√(a/g). And from rest anywhere the bead is at the
// lowest point after a quarter of that; from the cusp, that is the least time there is (brachistochrone): with the speed of the fall from
// the cusp, u goes at the constant rate √(g/a).
func TestCycloid(t *testing.T) {
	check.Long(t)
	const a, ofRun = 0.4, 1e-10
	quarter := math.Pi * math.Sqrt(a/gravity)
	for _, planar := range []bool{false, true} {
		for _, u := range []float64{0.02, 0.5, 1.5, 2.5, 3} {
			p := planOf(t, beadOn(t, cycloid(a), u, 0, planar))
			s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 5, Tolerance: 1e-13})
			require.NoError(t, err)
			at := crossing(t, s, p, math.Pi, 0.5*quarter)
			assert.InDelta(t, 1, at/quarter, ofRun, "from rest at u = %v, planar %t", u, planar)
		}
	}
	rate := math.Sqrt(gravity / a)
	p := planOf(t, beadOn(t, cycloid(a), 0.2, rate, false))
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 5, Tolerance: 1e-13})
	require.NoError(t, err)
	mech := p.Mechanism()
	for _, u := range []float64{1, 2, 3, 4, 5} {
		require.NoError(t, s.Run((u-0.2)/rate))
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, s.State()))
		got, _ := mech.CurvePlace(0, k, s.State())
		assert.InDelta(t, u, got, 1e-9, "brachistochrone")
	}
}

// A bead on a vertical circle that a motion turns about the vertical at the rate Ω: θ̈ = (Ω²·cos θ − g/R)·sin θ from the lowest point, and
// the wire gives m·(R·Ω²·sin²θ + R·θ̇² + g·cos θ) inwards and 2·m·Ω·θ̇·R·cos θ across it.
func TestBeadOnARotatingCircle(t *testing.T) {
	const radius, turn, theta, rate = 0.5, 7.0, 0.9, 1.7
	sin, cos := math.Sincos(theta)
	methods(t, func(t *testing.T, method motion.Method) {
		b := rung.NewBuilder("hoop").Gravity(0, 0, -gravity)
		hoop := b.Body("hoop", wheelOf(t, 2, 0.4, 0.3), rung.At(0, 0, 0))
		up := spatial.Vec3{0, 0, 1}
		b.Move(hoop, spatial.Vec3{}, up.Scale(turn))
		b.Revolute("motor", rung.World, hoop, spatial.Vec3{}, up).Motion = []*joints.Motion{joints.NewPolynomial([]float64{0, turn})}
		at := spatial.Vec3{radius * sin, 0, -radius * cos}
		body := b.Body("bead", wheelOf(t, beadMass, 0.1, 0.1), rung.At(at[0], at[1], at[2]))
		b.Move(body, spatial.Vec3{radius * cos * rate, turn * radius * sin, radius * sin * rate}, spatial.Vec3{})
		// z of the frame is −y, x is −z: u = θ, from the lowest point towards x.
		frame := rung.At(0, 0, 0).WithZX(spatial.Vec3{0, -1}, spatial.Vec3{0, 0, -1})
		b.PointOnCurve("wire", hoop, body, frame, at, &curves.Curve{Kind: curves.Circle, Radius: radius})
		r := solved(t, b, method)
		thetadd := (turn*turn*cos - gravity/radius) * sin
		out := radius*cos*thetadd - radius*sin*(rate*rate+turn*turn)
		a := spatial.Vec3{out, 2 * turn * radius * cos * rate, radius*sin*thetadd + radius*cos*rate*rate}
		closeVec3(t, spatial.Vec3(r.Bodies[1].ComAcceleration), a, beadTol, 100, "acceleration")
		in := spatial.Vec3{-sin, 0, cos}.Scale(beadMass * (radius*turn*turn*sin*sin + radius*rate*rate + gravity*cos))
		closeVec3(t, spatial.Vec3(r.Joints[1].ConstraintWrench.Force), in.Add(spatial.Vec3{0, 2 * beadMass * turn * rate * radius * cos, 0}), beadTol, 100, "wire")
	})
}

// On random curves, of the world and of a plate that flies, the tree methods find what the sparse system finds.
func TestBeadMethodsAgree(t *testing.T) {
	check.Long(t)
	const agree = 1e-9 // conditioning of a few bodies, of the largest number
	for i := range 12 {
		m := modeltest.Beads(uint64(i / 2))
		if i%2 == 1 {
			m = modeltest.Cams(uint64(i / 2))
		}
		p, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		var want *rung.Result
		methods(t, func(t *testing.T, m motion.Method) {
			r, err := compare.Accelerate(p, m, p.Initial())
			require.NoError(t, err)
			require.Nil(t, r.Violation)
			require.Zero(t, r.Constraints.Redundant)
			if m == motion.Sparse {
				want = r
				return
			}
			for i := range want.Bodies {
				closeVec3(t, r.Bodies[i].ComAcceleration, want.Bodies[i].ComAcceleration, agree, 100, "%s", want.Bodies[i].Name)
				closeVec3(t, r.Bodies[i].AngularAcceleration, want.Bodies[i].AngularAcceleration, agree, 100, "%s", want.Bodies[i].Name)
			}
			for j := range want.Joints {
				closeVec3(t, r.Joints[j].ConstraintWrench.Force, want.Joints[j].ConstraintWrench.Force, agree, 100, "%s", want.Joints[j].Name)
			}
		})
	}
}

// Random beads that are off by a few hundredths are closed, and their velocities projected, to rounding.
func TestBeadsAreClosed(t *testing.T) {
	for seed := range uint64(20) {
		made := [2]func(uint64) *model.Model{modeltest.Beads, modeltest.Cams}[seed%2]
		p, err := rung.NewPlan(made(seed), rung.Options{})
		require.NoError(t, err)
		rng := check.Rand(seed)
		noise := func(size float64) spatial.Vec3 {
			return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Scale(size)
		}
		st := p.Initial()
		for i := range st.Bodies {
			b := &st.Bodies[i]
			b.Position, b.Rotation = b.Position.Add(noise(0.05)), spatial.Exp(noise(0.05)).Mul(b.Rotation)
			b.Velocity, b.Omega = b.Velocity.Add(noise(0.1)), b.Omega.Add(noise(0.1))
		}
		c := closing.NewCloser(p, closing.Options{})
		require.NoError(t, c.ClosePositions(st))
		require.LessOrEqual(t, c.Closing().After, 1e-12)
		require.NoError(t, c.ProjectVelocities(st))
		require.LessOrEqual(t, c.Closing().After, 1e-11)
		require.NoError(t, p.Mechanism().Holds(st))
	}
}
