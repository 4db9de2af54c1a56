package rung_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// rollTol is rounding of accelerations and reactions of order 10 to 100.
	rollTol = 1e-11
	gravity = 9.81
)

// wheelOf returns a body with inertia about its axle z, and across it.
func wheelOf(t testing.TB, mass, axial, across float64) bodies.Body {
	d, err := bodies.New(mass, spatial.Vec3{}, spatial.Diag3(across, across, axial))
	require.NoError(t, err)
	return d
}

// planOf returns the plan of a builder's model.
func planOf(t testing.TB, b *rung.Builder) *rung.Plan {
	t.Helper()
	doc, err := b.Model()
	require.NoError(t, err)
	p, err := rung.NewPlan(doc, rung.Options{})
	require.NoError(t, err)
	return p
}

// solved returns the result of a builder's model by one method.
func solved(t testing.TB, b *rung.Builder, method motion.Method) *rung.Result {
	t.Helper()
	p := planOf(t, b)
	r, err := compare.Accelerate(p, method, p.Initial())
	require.NoError(t, err)
	return r
}

// methods are from docs/theory.md and RBDA ch. 8.
func methods(t *testing.T, f func(t *testing.T, m motion.Method)) {
	for _, m := range motion.Methods() {
		t.Run(m.String(), func(t *testing.T) { f(t, m) })
	}
}

// tilted is an axis in the plane of x and z, at an angle from z.
func tilted(angle float64) spatial.Vec3 {
	s, c := math.Sincos(angle)
	return spatial.Vec3{s, 0, c}
}

// A disc of radius r rolls with its axle at an angle θ from the vertical, so that its lean is 90° − θ. It turns about the vertical at Ω
// and spins about its axle, so that its centre goes around a circle. With axle a, normal n and the heading h = a×n/sin θ, its angular
// velocity is ω = Ω·n + σ·a. Its lowest point, p = −r·u from the centre with n = cos θ·a + sin θ·u, is at rest, so that the centre moves at
// v = ω×(r·u) = r·w·h with w = Ω·cos θ + σ. By hand, with moments of inertia A across the axle and C about it:
//
//	F = m·Ω·n×v + m·g·n
//	L = A·Ω·sin θ·u + C·w·a,   dL/dt = Ω·n×L = Ω·(A·Ω·sin θ·cos θ − C·w·sin θ)·h
//	p×F = (m·r²·w·Ω·sin θ + m·g·r·cos θ)·h
//
// so that A·Ω²·sin θ·cos θ − (C + m·r²)·w·Ω·sin θ − m·g·r·cos θ = 0. precession solves that for w.
func precession(theta, turn float64) (w float64) {
	s, c := math.Sincos(theta)
	return (discAcross*turn*turn*s*c - discMass*gravity*discRadius*c) / ((discAxial + discMass*discRadius*discRadius) * turn * s)
}

const (
	discMass, discRadius  = 2.0, 0.3
	discAxial, discAcross = 0.09, 0.05
)

// disc returns a disc on a plane of the world in steady precession, and its centre's velocity.
func disc(t testing.TB, theta, turn float64) (b *rung.Builder, v, axle, up spatial.Vec3) {
	w := precession(theta, turn)
	s, c := math.Sincos(theta)
	axle, up = spatial.Vec3{s, 0, c}, spatial.Vec3{-c, 0, s}
	n := spatial.Vec3{0, 0, 1}
	heading := spatial.Vec3{0, -1, 0} // axle×n/s
	v = heading.Scale(discRadius * w)
	b = rung.NewBuilder("disc").Gravity(0, 0, -gravity)
	center := spatial.Vec3{0.7, -0.4, discRadius * s}
	body := b.Body("disc", wheelOf(t, discMass, discAxial, discAcross), rung.At(center[0], center[1], center[2]).WithZ(axle))
	omega := n.Scale(turn).Add(axle.Scale(w - turn*c))
	b.Move(body, v, omega)
	b.Rolling("contact", rung.World, body, spatial.Vec3{}, n, build.Wheel{Center: center, Axle: axle, Radius: discRadius})
	return b, v, axle, up
}

func TestDiscInSteadyPrecession(t *testing.T) {
	for _, c := range []struct{ theta, turn float64 }{{1.2, 0.9}, {0.8, 2}, {1.9, -1.3}, {0.3, 4}, {2.6, 3}} {
		t.Run(fmt.Sprintf("theta=%v/turn=%v", c.theta, c.turn), func(t *testing.T) {
			methods(t, func(t *testing.T, m motion.Method) {
				b, v, axle, _ := disc(t, c.theta, c.turn)
				r := solved(t, b, m)
				body := r.Bodies[0]
				n := spatial.Vec3{0, 0, 1}
				w := precession(c.theta, c.turn)
				spin := w - c.turn*math.Cos(c.theta)
				a := n.Cross(v).Scale(c.turn)
				alpha := n.Cross(axle).Scale(c.turn * spin)
				force := a.Scale(discMass).Add(n.Scale(discMass * gravity))
				closeVec3(t, spatial.Vec3(body.ComAcceleration), a, rollTol, 10, "acceleration")
				closeVec3(t, spatial.Vec3(body.AngularAcceleration), alpha, rollTol, 10, "angular acceleration")
				closeVec3(t, spatial.Vec3(r.Joints[0].ConstraintWrench.Force), force, rollTol, 100, "reaction")
				require.True(t, r.Joints[0].WrenchUnique)
			})
		})
	}
}

// A homogeneous ball on a slope: 5/7·g·sin β, friction 2/7·m·g·sin β. A hoop: 1/2; a disc whose axle is across the slope: 2/3.
func TestDownASlope(t *testing.T) {
	const m, radius, beta = 3.0, 0.2, 0.4
	s, c := math.Sincos(beta)
	normal, down := spatial.Vec3{s, 0, c}, spatial.Vec3{c, 0, -s}
	for _, w := range []struct {
		name          string
		axial, across float64 // per m·r²
		tyre          float64
	}{{"ball", 0.4, 0.4, radius}, {"hoop", 1, 0.5, 0}, {"disc", 0.5, 0.25, 0}, {"torus", 0.6, 0.35, 0.05}} {
		t.Run(w.name, func(t *testing.T) {
			methods(t, func(t *testing.T, method motion.Method) {
				b := rung.NewBuilder(w.name).Gravity(0, 0, -gravity)
				center := normal.Scale(radius)
				wheel := b.Body("wheel", wheelOf(t, m, w.axial*m*radius*radius, w.across*m*radius*radius), rung.At(center[0], center[1], center[2]).WithZ(spatial.Vec3{0, 1, 0}))
				b.Rolling("contact", rung.World, wheel, spatial.Vec3{}, normal, build.Wheel{Center: center, Axle: spatial.Vec3{0, 1, 0}, Radius: radius, TyreRadius: w.tyre})
				r := solved(t, b, method)
				a := gravity * s / (1 + w.axial)
				friction := m * (gravity*s - a)
				closeVec3(t, spatial.Vec3(r.Bodies[0].ComAcceleration), down.Scale(a), rollTol, 10, "acceleration")
				closeVec3(t, spatial.Vec3(r.Bodies[0].AngularAcceleration), spatial.Vec3{0, a / radius}, rollTol, 100, "angular acceleration")
				closeVec3(t, spatial.Vec3(r.Joints[0].ConstraintWrench.Force), normal.Scale(m*gravity*c).Sub(down.Scale(friction)), rollTol, 100, "reaction")
			})
		})
	}
}

// A wheel that may slip along its heading has no friction along it, and slides down as a block does. One that may slip across gives no
// side force.
func TestSlipOnASlope(t *testing.T) {
	const m, radius, beta = 3.0, 0.2, 0.4
	s, c := math.Sincos(beta)
	normal, down := spatial.Vec3{s, 0, c}, spatial.Vec3{c, 0, -s}
	side := spatial.Vec3{0, 1, 0}
	for _, w := range []struct {
		slip joints.Slip
		axle spatial.Vec3
		want float64 // acceleration down the slope
		rows int
	}{
		{joints.SlipAlong, side, gravity * s, 2}, {joints.SlipAcross, side, gravity * s / 1.5, 2}, {joints.SlipBoth, side, gravity * s, 1},
		{joints.SlipAcross, down, gravity * s, 2},
	} {
		b := rung.NewBuilder("slips").Gravity(0, 0, -gravity)
		center := normal.Scale(radius)
		wheel := b.Body("wheel", wheelOf(t, m, m*radius*radius/2, m*radius*radius/4), rung.At(center[0], center[1], center[2]).WithZ(w.axle))
		b.Rolling("contact", rung.World, wheel, spatial.Vec3{}, normal, build.Wheel{Center: center, Axle: w.axle, Radius: radius, Slip: w.slip})
		r := solved(t, b, motion.Sparse)
		closeVec3(t, spatial.Vec3(r.Bodies[0].ComAcceleration), down.Scale(w.want), rollTol, 10, "%v", w.slip)
		assert.Equal(t, w.rows, r.Constraints.Rows)
	}
}

// A homogeneous ball on a turntable. With the angular velocity Ω of the table and x from its axis, the rows say
// v = Ω×x + ω×(r·n); with m·v̇ = F, J·ω̇ = −r·n×F and J = 2/5·m·r² follows v̇ = (2/7)·Ω·n×v, circles of the rate 2/7·Ω whatever the start.
func TestBallOnATurntable(t *testing.T) {
	const m, radius, turn = 0.5, 0.1, 3.5
	n := spatial.Vec3{0, 0, 1}
	at, v := spatial.Vec3{0.8, 0.3, radius}, spatial.Vec3{0.4, -0.9, 0}
	methods(t, func(t *testing.T, method motion.Method) {
		b := turntable(t, m, radius, turn, at, v)
		r := solved(t, b, method)
		closeVec3(t, spatial.Vec3(r.Bodies[1].ComAcceleration), n.Cross(v).Scale(2*turn/7), rollTol, 10, "acceleration")
	})
	b := turntable(t, m, radius, turn, at, v)
	p := planOf(t, b)
	period := 2 * math.Pi / turn * 7 / 2
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: period, Tolerance: 1e-10})
	require.NoError(t, err)
	center := at.Add(n.Cross(v).Scale(7 / (2 * turn)))
	far := at.Sub(center).Norm()
	const ofRun = 1e-7 // global error of steps with a local one of 1e-10
	for k := 1; k <= 8; k++ {
		require.NoError(t, s.Run(period*float64(k)/8))
		x := s.State().Bodies[1].Position
		assert.InDelta(t, far, x.Sub(center).Norm(), ofRun, "on the circle")
		angle := 2 * math.Pi * float64(k) / 8
		want := center.Add(at.Sub(center).Scale(math.Cos(angle))).Add(n.Cross(at.Sub(center)).Scale(math.Sin(angle)))
		closeVec3(t, x, want, ofRun, 1, "at %v of the period", angle)
	}
}

// turntable is a table that a motion turns at a constant rate, and a ball on it. The ball does not spin about the vertical.
func turntable(t testing.TB, m, radius, turn float64, at, v spatial.Vec3) *rung.Builder {
	n := spatial.Vec3{0, 0, 1}
	b := rung.NewBuilder("turntable").Gravity(0, 0, -gravity)
	table := b.Body("table", wheelOf(t, 5, 0.4, 0.2), rung.At(0, 0, 0))
	ball := b.Body("ball", wheelOf(t, m, 0.4*m*radius*radius, 0.4*m*radius*radius), rung.At(at[0], at[1], at[2]))
	b.Move(table, spatial.Vec3{}, n.Scale(turn))
	slip := v.Sub(n.Scale(turn).Cross(at)) // r·ω×n
	b.Move(ball, v, n.Cross(slip).Scale(1/radius))
	b.Revolute("axis", rung.World, table, spatial.Vec3{}, n).Motion = []*joints.Motion{joints.NewPolynomial([]float64{0, turn})}
	b.Rolling("contact", table, ball, spatial.Vec3{}, n, build.Wheel{Center: at, Axle: n, Radius: radius, TyreRadius: radius})
	return b
}

// The same disc rolls on for six turns: its lean, its rate about the vertical and its energy stay, and its centre stays on its circle.
func TestDiscRollsOn(t *testing.T) {
	const theta, turn = 0.8, 2.0
	b, v, _, _ := disc(t, theta, turn)
	p := planOf(t, b)
	n := spatial.Vec3{0, 0, 1}
	at := spatial.Vec3(p.Initial().Bodies[0].Position)
	center := at.Add(n.Cross(v).Scale(1 / turn))
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 6 * math.Pi, Tolerance: 1e-12})
	require.NoError(t, err)
	const ofRun = 1e-8 // global error of steps with a local one of 1e-12
	for k := 1; k <= 12; k++ {
		require.NoError(t, s.Run(math.Pi/2*float64(k)))
		body := s.State().Bodies[0]
		angle := math.Pi / 2 * turn * float64(k)
		turned := spatial.FromAxisAngle(n, angle)
		closeVec3(t, body.Position, center.Add(turned.Rotate(at.Sub(center))), ofRun, 1, "centre at %v", angle)
		closeVec3(t, body.Rotation.Rotate(n), turned.Rotate(tilted(theta)), ofRun, 1, "axle at %v", angle)
	}
}

// Chaplygin's sleigh: a body on a plane with an edge at a distance a behind its centre of mass. With u the speed of the edge along itself,
// K = I + m·a²: u̇ = a·ω², K·ω̇ = −m·a·u·ω, so that u = V·tanh kt, ω = √(V·k/a)/cosh kt with k = m·a·V/K. The edge takes the force
// m·(u·ω + a·ω̇).
func TestChaplyginSleigh(t *testing.T) {
	const (
		m, inertia, a = 2.0, 0.3, 0.4
		final         = 1.7
		k             = m * a * final / (inertia + m*a*a)
	)
	speeds := func(t float64) (u, omega float64) {
		return final * math.Tanh(k*t), math.Sqrt(final*k/a) / math.Cosh(k*t)
	}
	from := -1.5 / k
	sleigh := func(at float64) *rung.Builder {
		u, omega := speeds(at)
		b := rung.NewBuilder("sleigh").Gravity(0, 0, -gravity)
		body := b.Body("sleigh", wheelOf(t, m, inertia, 0.2), rung.At(a, 0, 0))
		b.Move(body, spatial.Vec3{u, omega * a, 0}, spatial.Vec3{0, 0, omega})
		b.Planar("ice", rung.World, body, spatial.Vec3{a, 0, 0}, spatial.Vec3{0, 0, 1})
		b.NoSlip("edge", rung.World, body, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
		return b
	}
	methods(t, func(t *testing.T, method motion.Method) {
		for _, at := range []float64{from, -0.3, 0.2, 1} {
			u, omega := speeds(at)
			r := solved(t, sleigh(at), method)
			rate := -m * a * u * omega / (inertia + m*a*a)
			closeVec3(t, spatial.Vec3(r.Bodies[0].AngularAcceleration), spatial.Vec3{0, 0, rate}, rollTol, 10, "ω̇")
			closeVec3(t, spatial.Vec3(r.Joints[1].ConstraintWrench.Force), spatial.Vec3{0, m * (u*omega + a*rate), 0}, rollTol, 10, "edge")
		}
	})
	p := planOf(t, sleigh(from))
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: -2 * from, Tolerance: 1e-11})
	require.NoError(t, err)
	const ofRun = 1e-8
	for i := 1; i <= 10; i++ {
		at := -2 * from * float64(i) / 10
		require.NoError(t, s.Run(at))
		u, omega := speeds(from + at)
		body := s.State().Bodies[0]
		assert.InDelta(t, omega, body.Omega[2], ofRun, "ω")
		assert.InDelta(t, u, body.Rotation.Conj().Rotate(body.Velocity)[0], ofRun, "u")
	}
}

// Over more than ten thousand steps of a disc and of a torus that wobble on a plane, on a plate that flies and spins, nothing is lost: the
// rows do no work where the plane is at rest or free. The joints hold to the drift that runs leave, at both levels.
func TestWheelsKeepEnergy(t *testing.T) {
	check.Long(t)
	b := rung.NewBuilder("wobble")
	n := spatial.Vec3{0, 0, 1}
	plate := b.Body("plate", wheelOf(t, 50, 40, 20), rung.At(0, 0, 0))
	b.Gravity(0, 0, 0)
	b.Move(plate, spatial.Vec3{0.1, 0, 0.2}, spatial.Vec3{0.02, -0.03, 0.1})
	for _, w := range []struct {
		name string
		x    float64
		side float64 // on which the wheel is
		tyre float64
	}{{"disc", -1, 1, 0}, {"torus", 1, -1, 0.1}} {
		axle, center := tilted(1.3), spatial.Vec3{w.x, 0, w.side * ((discRadius-w.tyre)*math.Sin(1.3) + w.tyre)}
		wheel := b.Body(w.name, wheelOf(t, discMass, discAxial, discAcross), rung.At(center[0], center[1], center[2]).WithZ(axle))
		b.Move(wheel, spatial.Vec3{0, 1.5, 0}, axle.Scale(-w.side*5))
		b.Rolling(w.name, plate, wheel, spatial.Vec3{}, n.Scale(w.side), build.Wheel{Center: center, Axle: axle, Radius: discRadius, TyreRadius: w.tyre})
		b.SpringDamper(w.name+" holds", plate, wheel, spatial.Vec3{w.x, 0, w.side}, center, build.Spring{Stiffness: 40})
	}
	p := planOf(t, b)
	const steps, step = 12_000, 2e-3
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: steps * step, Step: step, Integrator: runs.RungeKutta4, Start: sim.Close})
	require.NoError(t, err)
	mech := p.Mechanism()
	energy := func() float64 {
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, s.State()))
		e := mech.EnergyAt(k, s.State())
		return e.Kinetic + e.Potential()
	}
	require.NoError(t, s.Run(step))
	was := energy()
	const kept, drift = 1e-7, 2e-10 // of the energy: steps of order 4, h⁴ times rates of 10/s; sim.DefaultDrift, and rates over lengths
	for i := 1; i <= 12; i++ {
		require.NoError(t, s.Run(steps*step*float64(i)/12))
		assert.InDelta(t, was, energy(), kept*was)
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, s.State()))
		for j := range mech.Joints {
			position, velocity := mech.Residuals(j, k, s.State())
			assert.LessOrEqual(t, max(position, velocity), drift)
		}
	}
	require.GreaterOrEqual(t, s.Stats().Steps, int64(steps-1))
}
