package rung_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// cart is a body on two wheels with a common axle, and a ball in front that only touches; its hubs have forces.
func cart(t testing.TB, torques [2]float64) *rung.Builder {
	const radius = 0.2
	b := rung.NewBuilder("cart").Gravity(0, 0, -gravity)
	body := b.Body("body", wheelOf(t, 20, 3, 2), rung.At(0.3, 0, 0.4))
	side, up := spatial.Vec3{0, 1, 0}, spatial.Vec3{0, 0, 1}
	b.Move(body, spatial.Vec3{1, 0.3 * 0.8, 0}, up.Scale(0.8))
	for i, name := range []string{"left", "right"} {
		at := spatial.Vec3{0, 0.4 * (1 - 2*float64(i)), radius}
		wheel := b.Body(name, wheelOf(t, 2, 0.04, 0.03), rung.At(at[0], at[1], at[2]).WithZ(side))
		v := spatial.Vec3{1 - 0.8*at[1], 0, 0}
		b.Move(wheel, v, up.Scale(0.8).Add(side.Scale(v[0]/radius)))
		b.Revolute(name+" hub", body, wheel, at, side).Force = []float64{torques[i]}
		b.Rolling(name, rung.World, wheel, spatial.Vec3{}, up, build.Wheel{Center: at, Axle: side, Radius: radius})
	}
	foot := spatial.Vec3{0.8, 0, 0.1}
	b.Rolling("foot", rung.World, body, spatial.Vec3{}, up, build.Wheel{Center: foot, Axle: side, Radius: 0.1, TyreRadius: 0.1, Slip: joints.SlipBoth})
	return b
}

// The torques of both hubs that inverse dynamics finds for their second rates make these.
func TestInverseDynamicsOfACart(t *testing.T) {
	p := planOf(t, cart(t, [2]float64{}))
	hubs := []mechanism.Freedom{{Joint: 0}, {Joint: 2}}
	want := []float64{3, -2}
	v, err := p.NewInverse(hubs)
	require.NoError(t, err)
	require.NoError(t, v.SolveFreedoms(p.Initial(), want))
	require.Equal(t, 2, v.Mobility())
	q := planOf(t, cart(t, [2]float64(v.Forces())))
	s := q.NewSolver()
	require.NoError(t, s.Solve(q.Initial()))
	a := make([]float64, 6*q.Mechanism().NumBodies())
	s.AccelerationsTo(a)
	for i, x := range v.Accelerations() {
		assert.InDelta(t, x, a[i], 1e-10)
	}
	side := spatial.Vec3{0, 1, 0}
	for i, wheel := range []int{1, 2} {
		// Relative to the body, in its axes: the axle turns with the body, which adds nothing along itself.
		rate := spatial.Vec3(a[6*wheel:]).Sub(spatial.Vec3(a[:3])).Dot(side)
		assert.InDelta(t, want[i], rate, 1e-10)
	}
}

// Feedback acts on rows of velocities at their own level: a slip dies out like exp(−2t/T), whatever the pose.
func TestFeedbackOnSlip(t *testing.T) {
	b, _, _, _ := disc(t, 0.8, 2)
	p := planOf(t, b)
	st := p.Initial()
	st.Bodies[0].Velocity = st.Bodies[0].Velocity.Add(spatial.Vec3{0.01, 0.02, 0}) // along the ground
	mech := p.Mechanism()
	slip := func(st *mechanism.State) (delta, rate [6]float64) {
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, st))
		require.NoError(t, mech.ErrorsTo(&delta, &rate, 0, k, st))
		return delta, rate
	}
	_, before := slip(st)
	require.InDelta(t, math.Hypot(0.01, 0.02), math.Hypot(before[1], before[2]), 1e-12)
	const T, until = 0.05, 0.04
	s := sim.New(mech, sim.NewRungeKutta(mech, &sim.Baumgarte{Dynamics: motion.NewDynamics(p), Time: T}, sim.RungeKutta4(), sim.Tolerance{}), st,
		sim.Options{Projector: sim.NoProjector, Step: 1e-4, Start: sim.AsItIs})
	require.NoError(t, s.Run(until))
	delta, after := slip(s.State())
	assert.Equal(t, []float64{0, 0}, delta[1:3])
	// The plane is at rest, and so the rows differ from their rates by nothing but rounding and the error of the steps.
	for k := 1; k < 3; k++ {
		assert.InDelta(t, before[k]*math.Exp(-2*until/T), after[k], 1e-8)
	}
}

// Closing moves a wheel that leans off its plane by the least displacement that puts its lowest point there: down, and around the
// heading. With its rows of velocities it would have to roll to the side.
func TestClosingMovesNoWheelSideways(t *testing.T) {
	b, _, _, _ := disc(t, 0.8, 2)
	p := planOf(t, b)
	st := p.Initial()
	was := spatial.Vec3(st.Bodies[0].Position)
	lean := spatial.FromAxisAngle(spatial.Vec3{0, 1, 0}, 0.05)
	st.Bodies[0].Rotation = lean.Mul(st.Bodies[0].Rotation)
	require.NoError(t, closing.NewCloser(p, closing.Options{}).ClosePositions(st))
	now := spatial.Vec3(st.Bodies[0].Position)
	assert.InDelta(t, 0, now[0]-was[0], 1e-13)
	assert.InDelta(t, 0, now[1]-was[1], 1e-13)
	assert.NotZero(t, now[2]-was[2])
}

// A wheel that only touches has a row of positions alone, and every integrator takes it. The disc slides down a slope and wobbles.
func TestTouchingWheelInAllIntegrators(t *testing.T) {
	sliding := func() *rung.Plan {
		b := rung.NewBuilder("slides").Gravity(1, 0, -gravity)
		axle, n := tilted(1.1), spatial.Vec3{0, 0, 1}
		center := n.Scale(discRadius * math.Sin(1.1))
		body := b.Body("disc", wheelOf(t, discMass, discAxial, discAcross), rung.At(0, 0, center[2]).WithZ(axle))
		b.Move(body, spatial.Vec3{}, axle.Scale(40))
		b.Rolling("contact", rung.World, body, spatial.Vec3{}, n, build.Wheel{Center: center, Axle: axle, Radius: discRadius, Slip: joints.SlipBoth})
		return planOf(t, b)
	}
	end := func(o runs.Options) spatial.Quat {
		s, err := rung.NewSimulation(sliding(), o)
		require.NoError(t, err)
		require.NoError(t, s.Run(0.2))
		assert.InDelta(t, 0.5*0.2*0.2, s.State().Bodies[0].Position[0], 1e-8, "no friction")
		return s.State().Bodies[0].Rotation
	}
	want := end(runs.Options{Until: 0.2, Tolerance: 1e-12})
	balance, err := rung.NewSimulation(sliding(), runs.Options{Until: 0.2, Step: 1e-4, Integrator: runs.ForceBalance})
	require.NoError(t, err)
	require.NoError(t, balance.Run(0.2))
	assert.InDelta(t, 0.5*0.2*0.2, balance.State().Bodies[0].Position[0], 1e-4, "order 1")
	for _, o := range []runs.Options{
		{Until: 0.2, Step: 1e-4, Integrator: runs.Rattle}, {Until: 0.2, Step: 1e-4, Integrator: runs.GeneralizedAlpha},
	} {
		got := end(o)
		off := want.Conj().Mul(got)
		assert.InDelta(t, 0, math.Sqrt(off[1]*off[1]+off[2]*off[2]+off[3]*off[3]), 1e-4, "%v: order 2, at 40 rad/s", o.Integrator)
	}
}

// Neither a solve nor closing and projecting allocates.
func TestRollingAllocatesNothing(t *testing.T) {
	p := planOf(t, cart(t, [2]float64{1, 2}))
	st, off := p.Initial(), p.Initial()
	s, c := p.NewSolver(), closing.NewCloser(p, closing.Options{})
	run := func() {
		copy(off.Bodies, st.Bodies)
		off.Bodies[0].Position[2] += 1e-3
		off.Bodies[0].Velocity[1] += 1e-2
		if s.Solve(st) != nil || c.ClosePositions(off) != nil || c.ProjectVelocities(off) != nil {
			t.Fatal("no solution")
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(10, run))
}

// randomWheels returns wheels and edges, and balls in bowls and on domes, on the world and on a plate that flies, or wheels on hills.
func randomWheels(seed uint64) *model.Model {
	switch seed % 4 {
	case 2:
		return modeltest.Bowls(seed)
	case 3:
		return modeltest.Hills(seed)
	}
	return modeltest.Rolling(seed)
}

// On random wheels and edges, balls in bowls and on domes, and wheels on hills, on the world and on a plate that flies, the tree methods
// find what the sparse system finds: accelerations and reactions.
func TestRollingMethodsAgree(t *testing.T) {
	const agree = 1e-9 // conditioning of a few wheels, of the largest number
	for seed := range uint64(12) {
		m := randomWheels(seed)
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
			size, force := 1.0, 1.0
			for i := range want.Bodies {
				size = max(size, check.MaxAbs(want.Bodies[i].ComAcceleration[:]), check.MaxAbs(want.Bodies[i].AngularAcceleration[:]))
			}
			for j := range want.Joints {
				force = max(force, check.MaxAbs(want.Joints[j].ConstraintWrench.Force[:]))
			}
			for i := range want.Bodies {
				closeVec3(t, r.Bodies[i].ComAcceleration, want.Bodies[i].ComAcceleration, agree, size, "%s", want.Bodies[i].Name)
				closeVec3(t, r.Bodies[i].AngularAcceleration, want.Bodies[i].AngularAcceleration, agree, size, "%s", want.Bodies[i].Name)
			}
			for j := range want.Joints {
				closeVec3(t, r.Joints[j].ConstraintWrench.Force, want.Joints[j].ConstraintWrench.Force, agree, force, "%s", want.Joints[j].Name)
			}
		})
	}
}

// Random wheels, edges, balls in bowls and on domes, and wheels on hills that are off by a few hundredths are closed, and their velocities
// projected, to rounding.
func TestRollingIsClosed(t *testing.T) {
	for seed := range uint64(40) {
		m := randomWheels(seed)
		p, err := rung.NewPlan(m, rung.Options{})
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
		require.LessOrEqual(t, c.Closing().After, 1e-13)
		require.NoError(t, c.ProjectVelocities(st))
		require.LessOrEqual(t, c.Closing().After, 1e-11)
		require.NoError(t, p.Mechanism().Holds(st))
	}
}

// Armature at the hubs of a cart changes no count.
func TestReachesWithArmature(t *testing.T) {
	for _, armature := range []float64{0, 0.5} {
		b := cart(t, [2]float64{})
		m, err := b.Model()
		require.NoError(t, err)
		m.Joints[0].Armature, m.Joints[2].Armature = []float64{armature}, []float64{armature}
		p, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		r, err := s.Report()
		require.NoError(t, err)
		// 18 velocities; 10 rows of hubs, 3 + 3 + 1 of contacts, of which a side slip depends. Of positions the hubs and three heights.
		require.Equal(t, []int{17, 16, 2, 5}, []int{r.Rows, r.Rank, r.Mobility, r.Reaches})
	}
}

// A cart whose side slips are redundant runs for 10⁴ steps: it keeps its energy, its joints hold, and with its mass in front of the axle it
// turns into straight running, as Chaplygin's sleigh does.
func TestCartRunsOn(t *testing.T) {
	check.Long(t)
	p := planOf(t, cart(t, [2]float64{}))
	mech := p.Mechanism()
	const steps, step = 10_000, 1e-3
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: steps * step, Step: step, Integrator: runs.RungeKutta4})
	require.NoError(t, err)
	look := func() (energy, drift float64) {
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, s.State()))
		for j := range mech.Joints {
			position, velocity := mech.Residuals(j, k, s.State())
			drift = max(drift, position, velocity)
		}
		e := mech.EnergyAt(k, s.State())
		return e.Kinetic + e.Potential(), drift
	}
	was, _ := look()
	const kept, drifts = 1e-9, 2e-10 // h⁴ at rates of 1/s, and what projections and rounding leave; sim.DefaultDrift
	for i := range 10 {
		require.NoError(t, s.Run(steps*step*float64(i+1)/10))
		energy, drift := look()
		assert.InDelta(t, was, energy, kept*was)
		assert.LessOrEqual(t, drift, drifts)
	}
	body := s.State().Bodies[0]
	assert.Less(t, math.Abs(body.Omega[2]), 0.05)
	assert.Greater(t, spatial.Vec3(body.Velocity).Norm(), 1.0)
}
