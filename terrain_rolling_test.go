package rung_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

// formulaGround is the terrain of an expression.
func formulaGround(expression string) model.Terrain {
	return model.Terrain{Name: "ground", Type: model.FunctionTerrain, Expression: expression}
}

// sameMotion asserts that two results have the same accelerations of the first body and the same reaction of the first joint.
func sameMotion(t *testing.T, want, got *rung.Result, tol float64) {
	t.Helper()
	closeVec3(t, got.Bodies[0].ComAcceleration, want.Bodies[0].ComAcceleration, tol, 1, "acceleration")
	closeVec3(t, got.Bodies[0].AngularAcceleration, want.Bodies[0].AngularAcceleration, tol, 1, "angular acceleration")
	closeVec3(t, got.Joints[0].ConstraintWrench.Force, want.Joints[0].ConstraintWrench.Force, tol, 1, "force")
}

// TestTerrainIsASlope: discs, tyres and balls on a plane as a terrain move as on the same plane of the world, by all methods.
func TestTerrainIsASlope(t *testing.T) {
	point, normal := spatial.Vec3{0.3, -0.2, 0.5}, spatial.Vec3{-0.4, 0.3, 1}
	n := normal.Scale(1 / normal.Norm())
	for _, w := range []build.Wheel{{}, {TyreRadius: 0.08}, {TyreRadius: 0.3}, {TyreRadius: 0.05, Slip: joints.SlipAlong}, {Slip: joints.SlipBoth}} {
		w.Radius, w.Axle = 0.3, spatial.Vec3{0.2, 1, 0.4}
		axle := w.Axle.Scale(1 / w.Axle.Norm())
		heading := axle.Cross(n)
		u := heading.Scale(1 / heading.Norm()).Cross(axle)
		p := u.Scale(w.TyreRadius - w.Radius).Sub(n.Scale(w.TyreRadius))
		w.Center = point.Add(spatial.Vec3{0.3, 0, 0.12}).Sub(p)
		spin := axle.Scale(3).Add(n.Scale(0.7))
		make := func(on func(b *rung.Builder, body rung.Body)) *rung.Builder {
			b := rung.NewBuilder("slope").Gravity(0, 0, -gravity)
			body := b.Body("wheel", wheelOf(t, 2, 0.09, 0.05), rung.At(w.Center[0], w.Center[1], w.Center[2]).WithZ(axle))
			b.Move(body, spin.Cross(p).Neg(), spin)
			on(b, body)
			return b
		}
		plane := make(func(b *rung.Builder, body rung.Body) { b.Rolling("contact", rung.World, body, point, normal, w) })
		terrain := make(func(b *rung.Builder, body rung.Body) {
			g := b.Terrain(model.Terrain{Name: "slope", Type: model.PlaneTerrain, Point: point, Normal: normal})
			b.RollingOn("contact", body, g, w)
		})
		methods(t, func(t *testing.T, m motion.Method) {
			got := solved(t, terrain, m)
			require.Nil(t, got.Violation)
			sameMotion(t, solved(t, plane, m), got, rollTol)
		})
	}
}

// sphereGround is the terrain of a bowl of 0.7 m about the origin.
var sphereGround = formulaGround("-sqrt(0.49 - x^2 - y^2)")

// TestTerrainIsABowl: in a bowl that is a formula a ball moves as in one of bowl_radius, by all methods; where it is, and how fast, is at
// random.
func TestTerrainIsABowl(t *testing.T) {
	rng := check.Rand(3)
	for range 6 {
		alpha, v := 1.2*rng.Float64(), 2*rng.NormFloat64()
		s, c := math.Sincos(alpha)
		n := spatial.Vec3{-s, 0, c}
		velocity := spatial.Vec3{0, v, 0}.Add(spatial.Vec3{c, 0, s}.Scale(rng.NormFloat64()))
		spin := n.Scale(3 * rng.NormFloat64()).Add(n.Cross(velocity).Scale(1 / bowlBall))
		of := func(on func(b *rung.Builder, ball rung.Body, at spatial.Vec3)) *rung.Builder {
			b := rung.NewBuilder("bowl").Gravity(0.2, -0.3, -gravity)
			at := n.Scale(-bowlFar)
			ball := b.Body("ball", wheelOf(t, bowlMass, bowlInertia, 1.3*bowlInertia), rung.At(at[0], at[1], at[2]))
			b.Move(ball, velocity, spin)
			on(b, ball, at)
			return b
		}
		w := build.Wheel{Axle: spatial.Vec3{0, 0, 1}, Radius: bowlBall, TyreRadius: bowlBall}
		bowl := of(func(b *rung.Builder, ball rung.Body, at spatial.Vec3) {
			w := w
			w.Center, w.BowlRadius = at, bowlRadius
			b.Rolling("contact", rung.World, ball, spatial.Vec3{}, spatial.Vec3{0, 0, 1}, w)
		})
		terrain := of(func(b *rung.Builder, ball rung.Body, at spatial.Vec3) {
			w := w
			w.Center = at
			b.RollingOn("contact", ball, b.Terrain(sphereGround), w)
		})
		methods(t, func(t *testing.T, m motion.Method) {
			got := solved(t, terrain, m)
			require.Nil(t, got.Violation)
			sameMotion(t, solved(t, bowl, m), got, 1e-9) // of second derivatives of a root, and up to 100 N
		})
	}
}

// TestDiscInATrough: a disc of radius r rolls in a round trough of radius R across it, from the angle α at the rate of its middle. By hand,
// with k² = I/(m·r²), s the way of its middle on the circle of radius l = R − r,
//
//	s¨ = −g·sin α/(1 + k²),   N = m·g·cos α + m·ṡ²/l.
func TestDiscInATrough(t *testing.T) {
	const mass, axial, radius, trough = 2.0, 0.06, 0.2, 0.7
	const l = trough - radius
	for _, c := range []struct{ alpha, rate float64 }{{0, 1}, {0.3, -2}, {1.1, 0.7}} {
		sin, cos := math.Sincos(c.alpha)
		n, along := spatial.Vec3{-sin, 0, cos}, spatial.Vec3{cos, 0, sin}
		b := rung.NewBuilder("trough").Gravity(0, 0, -gravity)
		at := n.Scale(-l)
		// its axle is y, and v = ω×(r·n)
		disc := b.Body("disc", wheelOf(t, mass, axial, 0.03), rung.At(at[0], at[1], at[2]).WithZ(spatial.Vec3{0, 1, 0}))
		b.Move(disc, along.Scale(c.rate), spatial.Vec3{0, c.rate / radius, 0})
		b.RollingOn("contact", disc, b.Terrain(formulaGround("-sqrt(0.49 - x^2)")),
			build.Wheel{Center: at, Axle: spatial.Vec3{0, 1, 0}, Radius: radius})
		methods(t, func(t *testing.T, m motion.Method) {
			r := solved(t, b, m)
			require.Nil(t, r.Violation)
			want := -gravity * sin / (1 + axial/(mass*radius*radius))
			a, f := spatial.Vec3(r.Bodies[0].ComAcceleration), spatial.Vec3(r.Joints[0].ConstraintWrench.Force)
			assert.InDelta(t, want, a.Dot(along), rollTol)
			assert.InDelta(t, want/radius, r.Bodies[0].AngularAcceleration[1], 10*rollTol)
			assert.InDelta(t, c.rate*c.rate/l, a.Dot(n), rollTol)
			assert.InDelta(t, mass*(gravity*cos+c.rate*c.rate/l), f.Dot(n), 10*rollTol)
		})
	}
}

// TestBallAtTheBottomOfAParaboloid: in z = x²/(2R₁) + y²/(2R₂) a ball swings with the frequencies √(g/(7/5·(R − ρ))).
func TestBallAtTheBottomOfAParaboloid(t *testing.T) {
	b := rung.NewBuilder("paraboloid").Gravity(0, 0, -gravity)
	ball := b.Body("ball", wheelOf(t, bowlMass, bowlInertia, bowlInertia), rung.At(0.05, -0.02, bowlBall+0.002))
	b.RollingOn("contact", ball, b.Terrain(formulaGround("x^2/1.4 + y^2/3")),
		build.Wheel{Center: spatial.Vec3{0.05, -0.02, bowlBall + 0.002}, Axle: spatial.Vec3{0, 0, 1}, Radius: bowlBall, TyreRadius: bowlBall})
	p := planOf(t, b)
	st := p.Initial()
	e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	require.NoError(t, err)
	require.Equal(t, linear.Neutral, e.Stability)
	require.InDelta(t, bowlBall, st.Bodies[0].Position[2], 1e-12)
	s := linear.NewSystem(p)
	require.NoError(t, s.Linearize(st))
	found, err := s.Modes(linear.ModeOptions{})
	require.NoError(t, err)
	require.Len(t, found.List, 5)
	for i, far := range []float64{1.5 - bowlBall, 0.7 - bowlBall} { // the slower one first
		m := &found.List[3+i]
		assert.InEpsilon(t, math.Sqrt(gravity/(1.4*far)), imag(m.Lambda), 1e-9)
		assert.InDelta(t, 0, real(m.Lambda), 1e-9)
	}
}

// hillBall is a ball that rolls over hills and hollows, thrown.
func hillBall(t testing.TB, w build.Wheel) *rung.Plan {
	b := rung.NewBuilder("hills").Gravity(0, 0, -gravity)
	d, err := bodies.New(2, spatial.Vec3{0, 0, 0.01}, spatial.Diag3(0.05, 0.06, 0.09))
	require.NoError(t, err)
	place := rung.At(0.3, 0.2, 0.5).WithZ(w.Axle)
	ball := b.Body("ball", d, place)
	b.Move(ball, spatial.Vec3{0.5, 0.4, 0}, w.Axle.Scale(3).Add(spatial.Vec3{0.3, 0.1, 0.4}))
	w.Center = place.Origin
	// a basin, so that what rolls comes back
	b.RollingOn("contact", ball, b.Terrain(formulaGround("0.1*sin(2*x)*cos(1.5*y) + 0.05*(x^2 + y^2)")), w)
	p := planOf(t, b)
	return p
}

// TestBallOnHillsKeepsEnergy: a ball on hills, and a heavy disc that leans there, have their energy after 20 s to 1e-10 J of some ten.
func TestBallOnHillsKeepsEnergy(t *testing.T) {
	check.Long(t)
	for name, w := range map[string]build.Wheel{
		"ball": {Axle: spatial.Vec3{0, 0, 1}, Radius: 0.3, TyreRadius: 0.3},
		"tyre": {Axle: tilted(1.3), Radius: 0.3, TyreRadius: 0.29},
		"both": {Axle: spatial.Vec3{0, 0, 1}, Radius: 0.3, TyreRadius: 0.3, Slip: joints.SlipBoth},
	} {
		t.Run(name, func(t *testing.T) {
			p := hillBall(t, w)
			mech, st := p.Mechanism(), p.Initial()
			c := closing.NewCloser(p, closing.Options{})
			require.NoError(t, c.ClosePositions(st))
			require.NoError(t, c.ProjectVelocities(st))
			energy := func(st *mechanism.State) float64 {
				k := mech.NewKinematics()
				require.NoError(t, mech.KinematicsTo(k, st))
				e := mech.EnergyAt(k, st)
				return e.Kinetic + e.Potential()
			}
			was := energy(st)
			s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 20, Tolerance: 1e-12, From: st})
			require.NoError(t, err)
			require.NoError(t, s.Run(20))
			require.InDelta(t, was, energy(s.State()), 1e-10)
			position, velocity := mech.Residuals(0, mustKinematics(t, mech, s.State()), s.State())
			require.LessOrEqual(t, max(position, velocity), 2e-10)
		})
	}
}

// mustKinematics returns those at a state.
func mustKinematics(t testing.TB, m *mechanism.Mechanism, st *mechanism.State) *mechanism.Kinematics {
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	return k
}

// TestTerrainIntegrators: a ball that slips freely on hills is holonomic, and generalized-α and RATTLE run it to where dopri5 does.
func TestTerrainIntegrators(t *testing.T) {
	check.Long(t)
	const until = 1.0
	w := build.Wheel{Axle: spatial.Vec3{0, 0, 1}, Radius: 0.3, TyreRadius: 0.3, Slip: joints.SlipBoth}
	p := hillBall(t, w)
	st := p.Initial()
	c := closing.NewCloser(p, closing.Options{})
	require.NoError(t, c.ClosePositions(st))
	require.NoError(t, c.ProjectVelocities(st))
	end := func(o rung.SimulationOptions) spatial.Vec3 {
		o.Until, o.From = until, st.Clone()
		s, err := rung.NewSimulation(p, o)
		require.NoError(t, err)
		require.NoError(t, s.Run(until))
		return s.State().Bodies[0].Position
	}
	want := end(rung.SimulationOptions{Tolerance: 1e-11})
	for _, i := range []runs.Integrator{runs.GeneralizedAlpha, runs.Rattle} {
		off := func(step float64) float64 {
			d := end(rung.SimulationOptions{Integrator: i, Step: step}).Sub(want)
			return d.Norm()
		}
		coarse, fine := off(4e-3), off(2e-3)
		require.Less(t, fine, 1e-3)
		require.InDelta(t, 2, math.Log2(coarse/fine), 0.2, "order of %v", i)
	}
}

// TestWheelLeavesItsTerrain: past the border of a grid, in a hollow that is too narrow and where it lies flat, a wheel ends a computation
// with the joint and the place.
func TestWheelLeavesItsTerrain(t *testing.T) {
	heights := make([][]float64, 5)
	for i := range heights {
		heights[i] = make([]float64, 5)
	}
	for text, c := range map[string]struct {
		ground model.Terrain
		w      build.Wheel
		at     spatial.Vec3
	}{
		`joint "contact": the wheel does not stand on its terrain: off the terrain at (`: {
			model.Terrain{Name: "ground", Type: model.GridTerrain, Spacing: [2]float64{1, 1}, Heights: heights},
			build.Wheel{Axle: spatial.Vec3{0, 1, 0}, Radius: 0.3}, spatial.Vec3{4.2, 1, 0.3}},
		`joint "contact": the wheel does not stand on its terrain: it lies flat at (`: {
			model.Terrain{Name: "ground", Type: model.PlaneTerrain}, build.Wheel{Axle: spatial.Vec3{0, 0, 1}, Radius: 0.3}, spatial.Vec3{0, 0, 0.1}},
		`joint "contact": the wheel does not stand on its terrain in one place: it touches at (`: {
			formulaGround("0.5*exp(-40*(x-0.5)^2)"), build.Wheel{Axle: spatial.Vec3{0, 1, 0}, Radius: 0.4}, spatial.Vec3{0.05, 0, 0.4001582286969512}},
	} {
		b := rung.NewBuilder("edge").Gravity(0, 0, -gravity)
		wheel := b.Body("wheel", wheelOf(t, 1, 0.1, 0.1), rung.At(c.at[0], c.at[1], c.at[2]).WithZ(c.w.Axle))
		c.w.Center = c.at
		b.RollingOn("contact", wheel, b.Terrain(c.ground), c.w)
		p := planOf(t, b)
		st := p.Initial()
		if c.w.Radius == 0.4 { // the foot that it has come with
			st.Angles = []float64{0.052, 0}
		}
		err := p.NewSolver().Solve(st)
		require.ErrorIs(t, err, mechanism.ErrStand)
		require.ErrorContains(t, err, text)
	}
}
