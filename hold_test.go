package rung_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// familyPlan returns the plan of a family of models.
func familyPlan(t *testing.T, family string, n int) *kkt.Plan {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err, "%s %d", family, n)
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err, "%s %d", family, n)
	return p
}

// TestOwnStatesHold: the states that the library makes, and the states of the reference models, pass where it starts from
// them.
func TestOwnStatesHold(t *testing.T) {
	for _, f := range bench.Families() {
		for _, n := range check.Few([]int{6, 12, 60}, []int{6}) {
			p := familyPlan(t, f, n)
			require.NoError(t, p.Mechanism().Holds(p.Initial()), "%s %d", f, n)
		}
	}
	count := 0
	for _, pattern := range []string{"golden/*.json", "golden/*/*.json", "standard/*.json", "standard/*/*.json"} {
		files, err := filepath.Glob(filepath.Join("reference", pattern))
		require.NoError(t, err)
		for _, file := range files {
			m, err := model.ReadFile(file)
			if err != nil {
				continue // not a model but what belongs to one
			}
			p, err := rung.NewPlan(m, rung.Options{})
			require.NoError(t, err, file)
			require.NoError(t, p.Mechanism().Holds(p.Initial()), file)
			count++
		}
	}
	require.Greater(t, count, 20)
}

// TestStatesOfRunsHold: where a run has ended, with any integrator, another may start, and it continues from its
// checkpoint.
func TestStatesOfRunsHold(t *testing.T) {
	check.Long(t)
	type stepper func(p *kkt.Plan) (sim.Stepper, sim.Options, error)
	runge := func(method motion.Method) stepper {
		return func(p *kkt.Plan) (sim.Stepper, sim.Options, error) {
			d, err := motion.New(p, method)
			if err != nil {
				return nil, sim.Options{}, err
			}
			return sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{}), sim.Options{Projector: d}, nil
		}
	}
	steppers := map[string]stepper{
		"sparse": func(p *kkt.Plan) (sim.Stepper, sim.Options, error) {
			d := motion.NewDynamics(p)
			return sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-5}), sim.Options{Projector: d}, nil
		},
		"generalized-α": func(p *kkt.Plan) (sim.Stepper, sim.Options, error) {
			return sim.NewGeneralizedAlpha(p.Mechanism(), motion.NewNewton(p), sim.GeneralizedAlphaOptions{Fixed: true}), sim.Options{Step: 0.002}, nil
		},
		"raw generalized-α": func(p *kkt.Plan) (sim.Stepper, sim.Options, error) {
			n := motion.NewNewton(p)
			return sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{Fixed: true}), sim.Options{Step: 0.01, Projector: n}, nil
		},
		"force balance": func(p *kkt.Plan) (sim.Stepper, sim.Options, error) {
			s, err := motion.NewBalance(p, motion.BalanceOptions{})
			return s, sim.Options{Step: 0.002, Projector: motion.NewDynamics(p)}, err
		},
		"RATTLE": func(p *kkt.Plan) (sim.Stepper, sim.Options, error) {
			s, err := motion.NewRattle(p, motion.RattleOptions{})
			return s, sim.Options{Step: 0.002}, err
		},
	}
	for _, m := range motion.Methods() {
		steppers[m.String()] = runge(m)
	}
	for _, family := range []string{"ladder", "chain", "scissor", "hoberman"} {
		p := familyPlan(t, family, 6)
		m := p.Mechanism()
		for name, make := range steppers {
			t.Run(family+"/"+name, func(t *testing.T) {
				k, o, err := make(p)
				require.NoError(t, err)
				s := sim.New(m, k, p.Initial(), o)
				require.NoError(t, s.Run(0.05))
				require.NoError(t, m.Holds(s.State()))
				c, err := s.Checkpoint()
				require.NoError(t, err)
				k, o, err = make(p)
				require.NoError(t, err)
				again := sim.New(m, k, p.Initial(), o)
				require.NoError(t, again.Restore(c))
				require.NoError(t, again.Run(0.06))
				require.NoError(t, m.Holds(again.State()))
				k, o, err = make(p)
				require.NoError(t, err)
				require.NoError(t, sim.New(m, k, again.State(), o).Run(0.07))
			})
		}
	}
}

// TestRolloutWithoutLanes: states that step alone are refused and accepted like states in lanes.
func TestRolloutWithoutLanes(t *testing.T) {
	p := familyPlan(t, "gear-train", 6)
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, b.SteppedOneByOne())
	spun := p.Initial()
	spun.Bodies[1].Omega[2] += 3
	fresh := func() *batch.States {
		s := b.NewStates(3)
		s.Set(1, spun)
		return s
	}
	s, out := fresh(), b.NewOutcome(3)
	require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 2}, out))
	for i, steps := range []int{2, 0, 2} {
		require.Equal(t, steps, out.Steps(i))
	}
	var v *mechanism.ViolationError
	require.NoError(t, out.Error(0))
	require.ErrorAs(t, out.Error(1), &v)
	require.NoError(t, out.Error(2))
	require.ErrorAs(t, b.Holds(s, 1), &v)
	require.NoError(t, b.Holds(s, 2))
	st := p.Initial()
	s.To(st, 1)
	require.Equal(t, spun.Bodies, st.Bodies, "it has not moved")

	s = fresh()
	b.CloseJoints(s, out)
	require.NoError(t, b.Holds(s, 1))
	require.NoError(t, b.Rollout(s, &batch.Rollout{Step: 1e-3, Steps: 2}, out))
	require.Equal(t, 2, out.Steps(1))

	require.NoError(t, b.Rollout(fresh(), &batch.Rollout{Step: 1e-3, Steps: 2, AsItIs: true}, out))
	require.NoError(t, out.Error(1))
	require.Equal(t, 2, out.Steps(1))
}

// TestFastStatesHold: what seven digits leave of a state at thousands of radians a second is no violation, and what is
// off by a thousandth of it is one.
func TestFastStatesHold(t *testing.T) {
	p := familyPlan(t, "ladder", 6)
	m, d := p.Mechanism(), motion.NewDynamics(p)
	st := p.Initial()
	for i := range st.Bodies {
		st.Bodies[i].Velocity, st.Bodies[i].Omega = st.Bodies[i].Velocity.Scale(3000), st.Bodies[i].Omega.Scale(3000)
	}
	require.NoError(t, d.ProjectVelocities(st))
	require.NoError(t, m.Holds(st))
	short, rough := st.Clone(), st.Clone()
	for i := range st.Bodies {
		for k, x := range st.Bodies[i].Omega {
			short.Bodies[i].Omega[k] = float64(float32(x)) // 24 bits: somewhat more than seven digits
			rough.Bodies[i].Omega[k] = x * (1 + 1e-3*float64(1+i))
		}
	}
	require.NoError(t, m.Holds(short))
	var v *mechanism.ViolationError
	require.ErrorAs(t, m.Holds(rough), &v)
	require.Greater(t, v.Rate, 100.0)
}

// TestBalanceOfLoopsNeedsProjector: force-balance steps leave loops open by what their order allows, which a run has
// to be told to let be.
func TestBalanceOfLoopsNeedsProjector(t *testing.T) {
	start := func(family string, o sim.Options) {
		p := familyPlan(t, family, 6)
		b, err := motion.NewBalance(p, motion.BalanceOptions{})
		require.NoError(t, err)
		sim.New(p.Mechanism(), b, p.Initial(), o)
	}
	start("chain", sim.Options{Step: 0.01})
	start("ladder", sim.Options{Step: 0.01, Projector: sim.NoProjector})
	require.PanicsWithValue(t, "sim: joints drift without a projector; Options.Projector is sim.NoProjector for a run that lets them",
		func() { start("ladder", sim.Options{Step: 0.01}) })
}
