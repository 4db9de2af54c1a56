package motion_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// lawful is a machine of two ways to move: a weight on a spring hangs on a law of the angles of two shafts, and a wheel
// follows the first shaft as by a universal joint, over any number of turns.
func lawful(t testing.TB) *model.Model {
	t.Helper()
	const k, speed = 0.6, 9.0
	b := rung.NewBuilder("laws").Gravity(0, 0, -9.81)
	z := spatial.Vec3{0, 0, 1}
	body := func(name string, x, m, I float64) rung.Body {
		d, err := bodies.New(m, spatial.Vec3{}, spatial.Sym3{I, I, I})
		require.NoError(t, err)
		return b.Body(name, d, rung.At(x, 0, 0))
	}
	one, two, wheel, weight := body("one", 0, 1, 0.5), body("two", 1, 1, 0.3), body("wheel", 2, 1, 0.2), body("weight", 3, 2, 1)
	first := b.Revolute("first", rung.World, one, spatial.Vec3{}, z)
	second := b.Revolute("second", rung.World, two, spatial.Vec3{1}, z)
	follower := b.Revolute("follower", rung.World, wheel, spatial.Vec3{2}, z)
	hang := b.Prismatic("hang", rung.World, weight, spatial.Vec3{3}, z)
	hang.Stiffness = []float64{40}
	b.Move(one, spatial.Vec3{}, z.Scale(speed))
	b.Move(two, spatial.Vec3{}, z.Scale(-4))
	b.Move(wheel, spatial.Vec3{}, z.Scale(k*speed))
	b.Move(weight, z.Scale(0.3*speed), spatial.Vec3{})
	b.Couple("cardan", rung.Term{Joint: follower, Factor: 1}).FollowLaw(couplings.Law{Kind: couplings.Function, Expression: "atan2(0.6*sin(x), cos(x))",
		Spans: []couplings.Span{{From: -math.Pi, To: math.Pi, Periodic: true, Advance: 2 * math.Pi}}}, rung.Coordinate{Joint: first})
	b.Couple("load", rung.Term{Joint: hang, Factor: 1}).FollowLaw(couplings.Law{Kind: couplings.Function, Expression: "0.3*sin(x)*cos(0.7*y)"},
		rung.Coordinate{Joint: first}, rung.Coordinate{Joint: second})
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

// TestLawOrders: each integrator keeps its order, over several turns, and without projection the couplings stay as near as
// that.
func TestLawOrders(t *testing.T) {
	check.Long(t)
	const until = 1.6
	p := newPlan(t, lawful(t), order.Auto)
	mech, d := p.Mechanism(), motion.NewDynamics(p)
	ref := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-12}), p.Initial(), sim.Options{Projector: d})
	require.NoError(t, ref.Run(until))
	require.Greater(t, ref.State().Angles[0], 4*math.Pi)
	alone := func(step float64) sim.Options {
		return sim.Options{Projector: sim.NoProjector, Step: step, Drift: sim.Drift{Position: 1, Velocity: 1}}
	}
	explicit := func(tab *sim.Tableau) func(p *kkt.Plan) sim.Stepper {
		return func(p *kkt.Plan) sim.Stepper {
			return sim.NewRungeKutta(mech, motion.NewDynamics(p), tab, sim.Tolerance{})
		}
	}
	for name, c := range map[string]struct {
		step    float64
		order   float64
		stepper func(p *kkt.Plan) sim.Stepper
	}{
		"Runge and Kutta":    {0.01, 4, explicit(sim.RungeKutta4())},
		"Dormand and Prince": {0.01, 5, explicit(sim.DormandPrince())},
		"generalized-α": {0.01, 2, func(p *kkt.Plan) sim.Stepper {
			return sim.NewGeneralizedAlpha(mech, motion.NewNewton(p), sim.GeneralizedAlphaOptions{Rho: 0.8, Fixed: true})
		}},
		"RATTLE": {0.01, 2, func(p *kkt.Plan) sim.Stepper { return newRattle(t, p, motion.RattleOptions{Tolerance: 1e-11}) }},
	} {
		var e [3]float64
		for k := range e {
			s := sim.New(mech, c.stepper(p), p.Initial(), alone(c.step/float64(int(1)<<k)))
			require.NoError(t, s.Run(until), name)
			e[k] = apart(mech, ref.State(), s.State())
			require.InDelta(t, ref.State().Angles[0], s.State().Angles[0], 0.1, "%s: turns", name)
		}
		t.Logf("%s: errors %.2g", name, e)
		for k := range 2 {
			require.InDelta(t, c.order, math.Log2(e[k]/e[k+1]), 0.5, "%s: errors %v", name, e)
		}
	}
}

// TestLawEnergy: over some hundred turns energy and couplings stay, with a projector and with RATTLE.
func TestLawEnergy(t *testing.T) {
	check.Long(t)
	p := newPlan(t, lawful(t), order.Auto)
	mech, d := p.Mechanism(), motion.NewDynamics(p)
	k := mech.NewKinematics()
	until := 100.0
	for name, c := range map[string]struct {
		stepper sim.Stepper
		o       sim.Options
		tol     float64
	}{
		"Dormand and Prince": {sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-9}), sim.Options{Projector: d}, 1e-5},
		"RATTLE":             {newRattle(t, p, motion.RattleOptions{Tolerance: 1e-10}), sim.Options{Projector: sim.NoProjector, Step: 0.005}, 2e-3},
	} {
		energy := func(s *sim.Simulation) float64 {
			require.NoError(t, mech.KinematicsTo(k, s.State()))
			e := mech.EnergyAt(k, s.State())
			return e.Kinetic + e.Potential()
		}
		s := sim.New(mech, c.stepper, p.Initial(), c.o)
		was := energy(s)
		require.NoError(t, s.Run(until), name)
		require.InEpsilon(t, was, energy(s), c.tol, name)
		require.Greater(t, math.Abs(s.State().Angles[0]), until, name)
		for i := range mech.Couplings {
			phi, _ := mech.CouplingErrors(i, k, s.State())
			require.Less(t, math.Abs(phi), 1e-8, name)
		}
	}
}

// TestLawAllocations: evaluations with laws allocate nothing.
func TestLawAllocations(t *testing.T) {
	p := newPlan(t, lawful(t), order.Auto)
	s, st := p.NewSolver(), p.Initial()
	require.NoError(t, s.Solve(st))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if s.Solve(st) != nil {
			panic("solve")
		}
	}))
	d := motion.NewDynamics(p)
	a := make([]float64, 6*len(st.Bodies))
	require.NoError(t, d.Accelerations(a, st))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if d.Accelerations(a, st) != nil {
			panic("accelerations")
		}
	}))
}
