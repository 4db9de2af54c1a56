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
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

// parameterOf returns where the point of joint 0 is on its curve.
func parameterOf(t testing.TB, p *rung.Plan, st *mechanism.State) float64 {
	t.Helper()
	k := p.Mechanism().NewKinematics()
	require.NoError(t, p.Mechanism().KinematicsTo(k, st))
	u, _ := p.Mechanism().CurvePlace(0, k, st)
	return u
}

// eight is a closed curve that crosses itself in the origin.
func eight() *curves.Curve {
	return &curves.Curve{Kind: curves.Function, X: "sin(u)", Y: "0.5*sin(2*u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}
}

// eightLength is its length, by the midpoint rule, which is exact to rounding for a smooth function that repeats.
func eightLength() (sum float64) {
	const n = 2000
	for i := range n {
		u := 2 * math.Pi * (float64(i) + 0.5) / n
		sum += math.Hypot(math.Cos(u), math.Cos(2*u)) * 2 * math.Pi / n
	}
	return sum
}

// Without gravity a bead goes along a figure eight at a constant speed: where the curve crosses itself it stays on its branch, lap after lap, and
// the parameter counts the laps. In the exact middle of the crossing the model says by its parameter which branch is meant.
func TestCurveThatCrossesItself(t *testing.T) {
	check.Long(t)
	const speed, laps, ofRun = 2.0, 20.0, 1e-8
	for _, planar := range []bool{false, true} {
		for _, u := range []float64{0, math.Pi} {
			b := beadOn(t, eight(), u, speed/math.Sqrt2, planar)
			b.Gravity(0, 0, 0)
			p := planOf(t, b)
			period := eightLength() / speed
			s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: laps * period, Tolerance: 1e-11})
			require.NoError(t, err)
			require.NoError(t, s.Run(laps*period))
			assert.InDelta(t, u+laps*2*math.Pi, parameterOf(t, p, s.State()), ofRun, "planar %t", planar)
			assert.InDelta(t, speed, s.State().Bodies[0].Velocity.Norm(), 1e-9)
		}
	}
}

// A run that continues from a checkpoint at the crossing has the same bits as a run without interruption: the state carries the parameter.
func TestCurveCheckpoint(t *testing.T) {
	check.Long(t)
	run := func(pause float64) *mechanism.State {
		p := planOf(t, beadOn(t, eight(), 0.3, 3, false))
		o := rung.SimulationOptions{Until: 2, Step: 1e-3, Integrator: runs.RungeKutta4}
		s, err := rung.NewSimulation(p, o)
		require.NoError(t, err)
		if pause > 0 {
			require.NoError(t, s.Run(pause))
			c, err := s.Checkpoint()
			require.NoError(t, err)
			o.Resume = c
			s, err = rung.NewSimulation(planOf(t, beadOn(t, eight(), 0.3, 3, false)), o)
			require.NoError(t, err)
		}
		require.NoError(t, s.Run(2))
		return s.State()
	}
	want := run(0)
	for _, pause := range []float64{0.5, 1, 1.5} {
		require.Equal(t, want, run(pause))
	}
}

// Past the end of its curve a bead has no place: the run ends with an error that names the joint, the parameter and the ends. So do a solution there, and
// a pose whose point has no foot.
func TestEndOfACurve(t *testing.T) {
	line := &curves.Curve{Ends: [2]spatial.Vec3{{}, {1, -0.5, 0}}}
	p := planOf(t, beadOn(t, line, 0.2, 0, false))
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 5, Step: 1e-2, Integrator: runs.RungeKutta4})
	require.NoError(t, err)
	err = s.Run(5)
	require.ErrorIs(t, err, mechanism.ErrCurve)
	require.ErrorContains(t, err, `joint "wire"`)
	require.ErrorContains(t, err, "is not from 0 to 1.118")
	assert.InDelta(t, math.Sqrt(2*0.918/(gravity*0.5/1.118)), s.State().Time, 0.02, "where it ends")
	st := p.Initial()
	st.Bodies[0].Position = spatial.Vec3{2, 0, -1}
	err = p.NewSolver().Solve(st)
	require.ErrorIs(t, err, mechanism.ErrCurve)
	require.ErrorContains(t, err, `joint "wire"`)
	require.ErrorContains(t, err, "u = 2.236")

	p = planOf(t, beadOn(t, &curves.Curve{Kind: curves.Circle, Radius: 1}, 0.2, 0, false))
	st = p.Initial()
	st.Bodies[0].Position = spatial.Vec3{}
	err = p.NewSolver().Solve(st)
	require.ErrorContains(t, err, `joint "wire"`)
	require.ErrorContains(t, err, "centre of curvature")
}

// slot is a crank with a coupler whose end runs in a circular slot of the world, on a rod, or on a spline through points of the circle.
func slot(t testing.TB, how string) *rung.Builder {
	b := rung.NewBuilder(how).Gravity(0, 0, -gravity)
	y := spatial.Vec3{0, 1, 0}
	joint, end, center := spatial.Vec3{0.3, 0, 0.4}, spatial.Vec3{1.3, 0, 0.6}, spatial.Vec3{1.5, 0, 0}
	crank := b.Rod("crank", 1, 0.01, spatial.Vec3{}, joint)
	coupler := b.Rod("coupler", 2, 0.01, joint, end)
	arm := end.Sub(center)
	b.Revolute("motor", rung.World, crank, spatial.Vec3{}, y)
	b.Revolute("pin", crank, coupler, joint, y)
	frame := rung.At(center[0], center[1], center[2]).WithZX(y.Neg(), arm)
	circle := &curves.Curve{Kind: curves.Circle, Radius: arm.Norm()}
	switch how {
	case "rod":
		b.Distance("slot", rung.World, coupler, center, end)
	case "plane":
		b.PointOnCurve("slot", rung.World, coupler, frame, end, circle).Curve.Planar = true
	default:
		b.PointOnCurve("slot", rung.World, coupler, frame, end, circle)
	}
	return b
}

// In a plane the second row of a point on a curve is redundant, and is named; a joint with a row in the plane alone is a rod to the centre.
func TestSlotInAPlane(t *testing.T) {
	rod := solved(t, slot(t, "rod"), motion.Sparse)
	for how, redundant := range map[string]int{"plane": 0, "space": 1} {
		p := planOf(t, slot(t, how))
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		report, err := s.Report()
		require.NoError(t, err)
		require.Equal(t, redundant, report.Redundant, how)
		require.Equal(t, 1, report.Mobility)
		r := solved(t, slot(t, how), motion.Sparse)
		for i := range r.Bodies {
			closeVec3(t, r.Bodies[i].ComAcceleration, rod.Bodies[i].ComAcceleration, beadTol, 100, "%s", how)
			closeVec3(t, r.Bodies[i].AngularAcceleration, rod.Bodies[i].AngularAcceleration, beadTol, 100, "%s", how)
		}
		if redundant == 0 {
			closeVec3(t, r.Joints[2].ConstraintWrench.Force, rod.Joints[2].ConstraintWrench.Force, beadTol, 100, "reaction")
		}
		named := false
		for j := range r.Joints {
			named = named || r.Joints[j].Name == "slot" && !r.Joints[j].WrenchUnique
		}
		require.Equal(t, redundant > 0, named)
	}
}

// At the bottom of a bowl of radius of curvature R a bead that is a point swings with √(g/R), and it is found from beside. The rotations are free.
func TestBowl(t *testing.T) {
	const radius = 0.8
	for _, planar := range []bool{false, true} {
		bowl := &curves.Curve{Kind: curves.Function, X: "u", Y: fmt.Sprintf("u^2/(2*%v) + u^3/5", radius), Range: [2]float64{-1, 1}}
		p := planOf(t, beadOn(t, bowl, 0.2, 0, planar))
		st := p.Initial()
		_, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
		require.NoError(t, err)
		require.InDelta(t, 0, parameterOf(t, p, st), 1e-9)
		sys := linear.NewSystem(p)
		require.NoError(t, sys.Linearize(st))
		m, err := sys.Modes(linear.ModeOptions{})
		require.NoError(t, err)
		most := 0.0
		for i := range m.List {
			most = max(most, m.List[i].AngularFrequency())
		}
		require.InDelta(t, math.Sqrt(gravity/radius), most, 1e-8)
	}
}

// coaster is a closed track with a loop that crosses itself in the picture and not in space.
func coaster() *curves.Curve {
	return &curves.Curve{Kind: curves.Spline, Closed: true, Points: []spatial.Vec3{
		{0, 4, 0}, {3, 3.2, 0}, {6, 0.5, 0}, {8, 0.2, 0.1}, {9.6, 1.4, 0.3}, {8.8, 2.8, 0.5}, {7.4, 2.6, 0.7}, {7.2, 1, 0.9}, {9, 0.2, 1}, {12, 1, 2}, {12, 1.5, 4}, {8, 1.8, 5}, {2, 2.5, 5}, {-2, 3.4, 4}, {-2.5, 3.9, 1.5},
	}}
}

// A car on a closed track keeps its energy over 20 000 steps and goes around.
func TestCoasterKeepsEnergy(t *testing.T) {
	check.Long(t)
	const steps, step = 20_000, 2e-3
	p := planOf(t, beadOn(t, coaster(), 0.1, 3, false))
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: steps * step, Step: step, Integrator: runs.RungeKutta4})
	require.NoError(t, err)
	energy := func() float64 {
		b := &s.State().Bodies[0]
		return b.Velocity.Dot(b.Velocity)/2 + gravity*b.Position[2]
	}
	was := energy()
	require.NoError(t, s.Run(steps*step))
	const kept = 1e-6 // of the energy: steps of order 4, of order 2 where the third derivative of the spline jumps
	assert.InDelta(t, was, energy(), kept*was)
	_, to := p.Mechanism().Joints[0].Curve.Span()
	require.Greater(t, parameterOf(t, p, s.State()), 4*to, "laps")
	require.NoError(t, p.Mechanism().Holds(s.State()))
}

// All integrators take points on curves: a bead on a circle is a pendulum, and all end where the finest does.
func TestCurveIntegrators(t *testing.T) {
	end := func(o rung.SimulationOptions) spatial.Vec3 {
		o.Until = 1
		s, err := rung.NewSimulation(planOf(t, beadOn(t, &curves.Curve{Kind: curves.Circle, Radius: 1}, 0.4, 1, false)), o)
		require.NoError(t, err)
		require.NoError(t, s.Run(1))
		return s.State().Bodies[0].Position
	}
	want := end(rung.SimulationOptions{Tolerance: 1e-12})
	for _, c := range []struct {
		how   runs.Integrator
		order float64
	}{{runs.RungeKutta4, 4}, {runs.GeneralizedAlpha, 2}, {runs.Rattle, 2}} {
		coarse := end(rung.SimulationOptions{Integrator: c.how, Step: 0.02}).Sub(want).Norm()
		fine := end(rung.SimulationOptions{Integrator: c.how, Step: 0.01}).Sub(want).Norm()
		assert.InDelta(t, c.order, math.Log2(coarse/fine), 0.35, "%v: %v, %v", c.how, coarse, fine)
	}
}

// Nothing is allocated where random beads are solved, closed and projected.
func TestBeadsAllocateNothing(t *testing.T) {
	m := modeltest.Beads(3)
	for i, b := range modeltest.Cams(3).Bodies[1:] { // and of cams
		m.Bodies = append(m.Bodies, b)
		m.Bodies[len(m.Bodies)-1].Name += " cam"
		j := modeltest.Cams(3).Joints[i]
		j.Name, j.Successor = j.Name+" cam", b.Name+" cam"
		m.Joints = append(m.Joints, j)
	}
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	s, c := p.NewSolver(), closing.NewCloser(p, closing.Options{})
	st := p.Initial()
	off := st.Clone()
	run := func() {
		copy(off.Bodies, st.Bodies)
		off.Bodies[1].Position[2] += 1e-3
		off.Bodies[1].Velocity[1] += 1e-2
		if s.Solve(st) != nil || c.ClosePositions(off) != nil || c.ProjectVelocities(off) != nil {
			t.Fatal("no solution")
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(10, run))
}

// TestFollowers: three followers on equal cams, docs/followers.model.json, begin at the lowest place of their cam, where a cam of the polar
// radius r(u) has r′ = 0. The acceleration of a knife edge there is ω²·r″, of a flat face ω²·(ρ − r) with the radius of curvature ρ, and
// of a roller that of a knife edge on the path of its centre, beside the cam by its radius a.
func TestFollowers(t *testing.T) {
	m, err := model.ReadFile("docs/followers.model.json")
	require.NoError(t, err)
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	const omega, r, bend, a = 60.0, 0.018, 4 * 0.004, 0.008
	rho := r * r / (r - bend)
	wide := r + a // ρ + a = wide²/(wide − bend of the path)
	want := []float64{0, rho - r, bend, wide - wide*wide/(rho+a)}
	for i, w := range want {
		require.InDelta(t, omega*omega*w, s.ComAcceleration(i)[1], 1e-9, m.Bodies[i].Name)
	}
}
