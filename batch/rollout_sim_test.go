package batch_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// TestRolloutAsSimulation: rollouts end where simulations by Dormand and Prince do that are much more precise, in lanes and
// alone: with springs, dampers and wrenches, springs of angles, stops and contacts, prescribed motions, couplings, helical and composite joints.
func TestRolloutAsSimulation(t *testing.T) {
	check.Long(t)
	const (
		until = 0.1  // s
		step  = 5e-4 // and a tenth of it for contacts, which are stiff
		tol   = 2e-8 // of lengths and speeds of order one: what RungeKutta4 leaves with this step
	)
	stops := clone(modelOf(t, "slider-crank-spatial"))
	for j := range stops.Joints {
		if x := &stops.Joints[j]; x.Type == model.Revolute {
			x.Stiffness, x.Damping, x.Rest = []float64{30}, []float64{0.2}, []float64{0.1}
		}
	}
	for name, c := range map[string]struct {
		m     *model.Model
		lanes bool
	}{
		"driven-crank":      {modelOf(t, "driven-crank"), true},
		"stewart-6ups":      {modelOf(t, "stewart-6ups"), true},
		"type-cylindrical":  {modelOf(t, "type-cylindrical"), true},
		"springs of angles": {stops, true},
		"dampers of balls":  {damped(modelOf(t, "ball-ladder-5"), golden(t, "ball-ladder-5").Mechanism()), true},
		"springs":           {modelOf(t, "springs"), false},
		"driven-mixed":      {modelOf(t, "driven-mixed"), false},
		"spare rows":        {generate(t, "hoberman", 2), true},
		"spare booms":       {generate(t, "excavator", 1), true},
		"spare pins":        {generate(t, "scissor", 3), true},
		"biped":             {generate(t, "biped", 1), true},
		"couplings":         {modeltest.Couple(t, load(t, "rbda-8-3"), check.Rand(2), 2), false},
		"laws":              {modeltest.Follow(t, still(load(t, "rbda-8-3")), check.Rand(2), 1), false},
		"composites":        {modeltest.Composites(1, 3, 1), false},
		"contact":           {modelOf(t, "sphere-slide"), true},
		"contact, rolling":  {modelOf(t, "disc-roll"), true},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := rung.NewPlan(c.m, kkt.Options{})
			require.NoError(t, err)
			b, err := batch.New(p, batch.Options{})
			require.NoError(t, err)
			step, tol, steps := step, tol, int(math.Round(until/step))
			if strings.HasPrefix(name, "contact") {
				step, tol, steps = step/10, 1e-6, 10*steps // their force has a kink: order two
			}
			s, out := b.NewStates(2), b.NewOutcome(2)
			asItIs := name == "couplings" // at random, which the state does not satisfy
			require.NoError(t, b.Rollout(s, &batch.Rollout{Step: step, Steps: steps, AsItIs: asItIs}, out))
			require.NoError(t, out.Error(1))
			require.Equal(t, c.lanes, b.SteppedOneByOne() == "", b.SteppedOneByOne())
			if c.lanes {
				require.Less(t, out.OneByOne(1), steps/10)
			}
			d := motion.NewDynamics(p)
			o := sim.Options{Projector: d}
			if asItIs {
				o.Start = sim.AsItIs
			}
			run := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-10}), p.Initial(), o)
			require.NoError(t, run.Run(p.Initial().Time+until))
			got, want := p.Initial(), run.State()
			s.To(got, 1)
			require.InDelta(t, want.Time, got.Time, 1e-9)
			off := 0.0
			for k := range got.Bodies {
				x, y := &got.Bodies[k], &want.Bodies[k]
				off = max(off, x.Position.Sub(y.Position).Norm(), x.Velocity.Sub(y.Velocity).Norm(), x.Omega.Sub(y.Omega).Norm())
				off = max(off, x.Rotation.Mul(y.Rotation.Conj()).Log().Norm())
			}
			t.Logf("off by %.1e, alone %d", off, out.OneByOne(1))
			require.LessOrEqual(t, off, tol)
		})
	}
}

// TestStepsOfSpareRows: a state that violates its joints by so much that spare rows do not depend on the others any more makes its step
// alone, where it is closed first. One that is off by less stays in lanes.
func TestStepsOfSpareRows(t *testing.T) {
	for family, n := range map[string]int{"hoberman": 4, "miura": 2} {
		p := member(t, family, n)
		b, err := batch.New(p, batch.Options{})
		require.NoError(t, err)
		for how := batch.RungeKutta4; how <= batch.SemiImplicit; how++ {
			for _, c := range []struct {
				off   float64 // rad
				alone int
			}{{0, 0}, {1e-7, 0}, {1e-3, 1}} {
				s, out, st := b.NewStates(1), b.NewOutcome(1), p.Initial()
				rng := check.Rand(1)
				for i := range st.Bodies {
					turn := spatial.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}
					st.Bodies[i].Rotation = st.Bodies[i].Rotation.Integrate(turn, c.off)
				}
				s.Set(0, st)
				require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-6, Steps: 1, Integrator: how, AsItIs: true}, out))
				require.NoError(t, out.Error(0))
				require.Equal(t, c.alone, out.OneByOne(0), "%s off by %g", family, c.off)
			}
		}
	}
}

// TestErrorsFallWithStep: errors of rollouts, judged by Dormand and Prince at 1e-13, fall with the power of their order from steps of
// 1e-2 to 1e-6 s, and then stay at rounding: what closes the joints after each step leaves nothing that adds up.
func TestErrorsFallWithStep(t *testing.T) {
	check.Long(t)
	const until, floor = 0.02, 2e-12
	for name, m := range map[string]*model.Model{
		"driven-crank": modelOf(t, "driven-crank"), "stewart-6ups": modelOf(t, "stewart-6ups"), "type-cylindrical": modelOf(t, "type-cylindrical"),
		"dampers of balls": damped(modelOf(t, "ball-ladder-5"), golden(t, "ball-ladder-5").Mechanism()), "springs": modelOf(t, "springs"),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := rung.NewPlan(m, kkt.Options{})
			require.NoError(t, err)
			b, err := batch.New(p, batch.Options{})
			require.NoError(t, err)
			d := motion.NewDynamics(p)
			judge := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-13}), p.Initial(), sim.Options{Projector: d})
			require.NoError(t, judge.Run(p.Initial().Time+until))
			for how, order := range map[batch.Integrator]float64{batch.RungeKutta4: 4, batch.SemiImplicit: 1} {
				var errs []float64
				for k := 2; k <= 6; k++ {
					if k > 4 && b.SteppedOneByOne() != "" {
						break
					}
					h := math.Pow(10, -float64(k))
					s, out := b.NewStates(1), b.NewOutcome(1)
					require.NoError(t, b.Rollout(s, &batch.Rollout{Step: h, Steps: int(math.Round(until / h)), Integrator: how}, out))
					require.NoError(t, out.Error(0))
					got, off := p.Initial(), 0.0
					s.To(got, 0)
					for i := range got.Bodies {
						x, y := &got.Bodies[i], &judge.State().Bodies[i]
						off = max(off, x.Position.Sub(y.Position).Norm(), x.Velocity.Sub(y.Velocity).Norm(), x.Omega.Sub(y.Omega).Norm())
						off = max(off, x.Rotation.Mul(y.Rotation.Conj()).Log().Norm())
					}
					if n := len(errs); n > 0 {
						require.LessOrEqual(t, off, max(floor, errs[n-1]/math.Pow(10, 0.8*order)), "%v, step %v", how, h)
					}
					errs = append(errs, off)
				}
				t.Logf("%v: %.1e", how, errs)
			}
		})
	}
}

// still returns m at rest, which couplings without motions allow.
func still(m *model.Model) *model.Model {
	for i := range m.Bodies {
		m.Bodies[i].Velocity = model.Velocity{}
	}
	return m
}
