package motion_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

func newRattle(t testing.TB, p *kkt.Plan, o motion.RattleOptions) *motion.Rattle {
	t.Helper()
	r, err := motion.NewRattle(p, o)
	require.NoError(t, err)
	return r
}

// rattled returns where a run in fixed steps ends.
func rattled(t testing.TB, p *kkt.Plan, o motion.RattleOptions, step, until float64) *mechanism.State {
	t.Helper()
	s := sim.New(p.Mechanism(), newRattle(t, p, o), p.Initial(), sim.Options{Projector: sim.NoProjector, Step: step})
	require.NoError(t, s.Run(until))
	return s.State()
}

// apart is the largest distance between the centres of bodies of two states, m, or angle between their axes, rad.
func apart(m *mechanism.Mechanism, a, b *mechanism.State) (d float64) {
	for i := range a.Bodies {
		travel, turn := m.Displacement(i, a, b)
		d = max(d, travel.Norm(), turn.Norm())
	}
	return d
}

// TestRattleOrder: halving the step divides the errors by four, of mechanisms with redundant rows, with dampers and
// springs, with a prescribed crank and with couplings too.
func TestRattleOrder(t *testing.T) {
	check.Long(t)
	for _, c := range []struct {
		family        string
		golden, exact bool // exact: accelerations are constant, or poses given
		step          float64
	}{{"ladder", false, false, 0.002}, {"scissor", false, false, 0.004}, {"stewart", false, false, 0.002}, {"gear-train", false, true, 0.002}, {"driven-crank", true, true, 0.004}} {
		t.Run(c.family, func(t *testing.T) {
			var p *kkt.Plan
			if c.golden {
				p = newPlan(t, golden(t, c.family), order.Auto)
			} else {
				p = newPlan(t, generate(t, c.family, 4, 1), order.Auto)
			}
			const until = 0.24
			d := motion.NewDynamics(p)
			ref := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-11}), p.Initial(), sim.Options{Projector: d})
			require.NoError(t, ref.Run(until))
			var e [3]float64
			for k := range e {
				got := rattled(t, p, motion.RattleOptions{Tolerance: 1e-11}, c.step/float64(int(1)<<k), until)
				e[k] = apart(p.Mechanism(), ref.State(), got)
			}
			t.Logf("errors %.2g", e)
			if c.exact {
				require.Less(t, e[0], 1e-10)
				return
			}
			for k := range 2 {
				order := math.Log2(e[k] / e[k+1])
				assert.InDelta(t, 2, order, 0.25, "errors %v", e)
			}
		})
	}
}

// TestRattleEnergy: of a ladder that swings, the energy is off by no more in the last of 40 s than it is in the first
// of them, while the joints hold to the tolerance.
func TestRattleEnergy(t *testing.T) {
	p := newPlan(t, generate(t, "ladder", 2, 1), order.Auto)
	m := p.Mechanism()
	st := p.Initial()
	for i := range st.Bodies { // so that it swings and does not turn over
		st.Bodies[i].Velocity, st.Bodies[i].Omega = st.Bodies[i].Velocity.Scale(0.2), st.Bodies[i].Omega.Scale(0.2)
	}
	const tol = 1e-8
	k := m.NewKinematics()
	energy := func(st *mechanism.State) float64 {
		require.NoError(t, m.KinematicsTo(k, st))
		e := m.EnergyAt(k, st)
		return e.Kinetic + e.Potential()
	}
	was := energy(st)
	var worst [2]float64
	s := sim.New(m, newRattle(t, p, motion.RattleOptions{Tolerance: tol}), st, sim.Options{Projector: sim.NoProjector, Step: 0.005, OnStep: func(s *sim.Simulation) error {
		if s.State().Time < 10 {
			worst[0] = max(worst[0], math.Abs(energy(s.State())-was))
		} else if s.State().Time > 30 {
			worst[1] = max(worst[1], math.Abs(energy(s.State())-was))
		}
		position, velocity := jointErrors(t, m, s.State())
		if position > tol || velocity > tol*20 { // relative to 1 + the largest velocity
			return fmt.Errorf("joints off by %g, %g at %g s", position, velocity, s.State().Time)
		}
		return nil
	}})
	require.NoError(t, s.Run(40))
	require.Less(t, worst[1], 1.2*worst[0]+1e-9)
	require.Less(t, worst[0], 1e-2*math.Abs(was))
}

// TestRattleDamped: bodies that turn too fast for the step lose energy and never gain any, with the joints held, until
// the steps are those of RATTLE again. Without damping the run says which body turns too far.
func TestRattleDamped(t *testing.T) {
	p := newPlan(t, generate(t, "ladder", 12, 1), order.Auto)
	m, st := p.Mechanism(), p.Initial()
	// As one body about a vertical axis through a hang point.
	for i := range st.Bodies {
		st.Bodies[i].Velocity, st.Bodies[i].Omega = st.Bodies[i].Velocity.Scale(40), st.Bodies[i].Omega.Scale(40)
	}
	const tol = 1e-6
	in := m.NewInputs()
	require.NoError(t, in.SetGravity(spatial.Vec3{}))
	p = p.With(in)
	m = p.Mechanism()
	r := newRattle(t, p, motion.RattleOptions{Tolerance: tol, Damp: true})
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	last := m.EnergyAt(k, st).Kinetic
	first, damped, lost, open := last, int64(0), 0.0, 0.0
	s := sim.New(m, r, st, sim.Options{Projector: sim.NoProjector, Step: 1. / 60, OnStep: func(s *sim.Simulation) error {
		require.NoError(t, m.KinematicsTo(k, s.State()))
		e := m.EnergyAt(k, s.State()).Kinetic
		if e > 1.1*last {
			return fmt.Errorf("energy %g after %g J", e, last)
		}
		position, _ := jointErrors(t, m, s.State())
		if open = max(open, position); position > 100*tol {
			return fmt.Errorf("joints off by %g", position)
		}
		if now := r.Stats().Damped; now > damped {
			damped, lost = now, lost+last-e
		}
		last = e
		return nil
	}})
	require.NoError(t, s.Run(20))
	stats := r.Stats()
	require.InEpsilon(t, lost, stats.Lost, 1e-9)
	require.Greater(t, open, 10*tol, "damped steps may leave more than others, and need fewer corrections")
	t.Logf("%+v, %d steps, %d failed; %.3g of %.3g J", stats, s.Stats().Steps, s.Stats().Rejected, last, first)
	require.Positive(t, stats.Damped)
	require.Less(t, stats.Damped, stats.Steps)
	require.Less(t, last, 0.5*first)

	s = sim.New(m, newRattle(t, p, motion.RattleOptions{Turn: 1e-4}), st, sim.Options{Projector: sim.NoProjector, Step: 1. / 60})
	err := s.Run(1)
	require.ErrorIs(t, err, motion.ErrStep)
	require.ErrorContains(t, err, "turns too far")
	require.ErrorContains(t, err, `body "`)
}

// TestRattleSingular runs through singular poses, where rows become redundant and factors fail: the runs go on, and
// damped steps keep the energy from growing.
func TestRattleSingular(t *testing.T) {
	check.Long(t)
	for _, c := range []struct {
		family string
		n      int
	}{{"scissor", 20}, {"scissor", 3}, {"nfourbar", 40}, {"revolute-net", 5}} {
		t.Run(c.family, func(t *testing.T) {
			p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
			m := p.Mechanism()
			k := m.NewKinematics()
			energy := func(st *mechanism.State) float64 {
				require.NoError(t, m.KinematicsTo(k, st))
				e := m.EnergyAt(k, st)
				return e.Kinetic + e.Potential()
			}
			was, most := energy(p.Initial()), 0.0
			r := newRattle(t, p, motion.RattleOptions{Damp: true})
			s := sim.New(m, r, p.Initial(), sim.Options{Projector: sim.NoProjector, Step: 1. / 240, OnStep: func(s *sim.Simulation) error {
				e := m.EnergyAt(k, s.State())
				require.NoError(t, m.KinematicsTo(k, s.State()))
				if e = m.EnergyAt(k, s.State()); e.Kinetic > most {
					most = e.Kinetic
				}
				if now := e.Kinetic + e.Potential(); now > was+0.05*most {
					return fmt.Errorf("energy has grown by %g J of %g J at %g s", now-was, most, s.State().Time)
				}
				return nil
			}})
			require.NoError(t, s.Run(6))
			t.Logf("%+v, %d failed", r.Stats(), s.Stats().Rejected)
		})
	}
}

// TestRattleResumed: a run that goes on from a checkpoint, between
// damped steps too, has the bits of one that nobody has ended.
func TestRattleResumed(t *testing.T) {
	p := newPlan(t, generate(t, "revolute-net", 4, 1), order.Auto)
	o := motion.RattleOptions{Damp: true, Turn: 0.05}
	make := func() (*sim.Simulation, *motion.Rattle) {
		r := newRattle(t, p, o)
		return sim.New(p.Mechanism(), r, p.Initial(), sim.Options{Projector: sim.NoProjector, Step: 0.005, Dynamics: "sparse"}), r
	}
	whole, r := make()
	for i := range 8 {
		require.NoError(t, whole.Run(0.1*float64(i+1)))
		c, err := whole.Checkpoint()
		require.NoError(t, err)
		again, _ := make()
		require.NoError(t, again.Restore(c))
		until := 0.1*float64(i+1) + 0.05
		require.NoError(t, again.Run(until))
		require.NoError(t, whole.Run(until))
		require.Equal(t, whole.State().Bodies, again.State().Bodies, "from %v s", c.Time)
	}
	require.Positive(t, r.Stats().Damped)
	require.Less(t, r.Stats().Damped, r.Stats().Steps)
}

// TestRattleAllocates nothing in a step, damped or not.
func TestRattleAllocates(t *testing.T) {
	for _, turn := range []float64{0.6, 1e-9} {
		p := newPlan(t, generate(t, "ladder", 20, 1), order.Auto)
		r := newRattle(t, p, motion.RattleOptions{Damp: true, Turn: turn})
		st := p.Initial()
		h := 1. / 240
		step := func() {
			if _, err := r.Try(st, st.Time+h); err != nil {
				t.Fatal(err)
			}
			r.AtTo(st, 1)
			r.Accept()
		}
		step()
		step()
		allocs := testing.AllocsPerRun(20, step)
		if turn < 0.1 {
			require.Positive(t, r.Stats().Damped)
			require.LessOrEqual(t, allocs, 8.0, "the error of a step that fails, once in some steps")
			continue
		}
		require.Zero(t, allocs)
	}
}

// TestRattleRefuses internal states, and options out of range.
func TestRattleRefuses(t *testing.T) {
	p := newPlan(t, generate(t, "ladder", 4, 1), order.Auto)
	for _, o := range []motion.RattleOptions{{Tolerance: -1}, {Turn: -1}, {Turn: 2}, {Turn: math.NaN()}, {Accuracy: -1}, {Accuracy: 1e-3}, {Accuracy: math.NaN()}} {
		require.PanicsWithValue(t, "motion: option out of range", func() { _, _ = motion.NewRattle(p, o) })
	}
	r := newRattle(t, p, motion.RattleOptions{})
	require.PanicsWithValue(t, "motion: no step", r.Accept)
	require.PanicsWithValue(t, "motion: no step", func() { r.AtTo(p.Initial(), 1) })
	require.PanicsWithValue(t, "motion: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _, _ = r.Try(newPlan(t, generate(t, "ladder", 5, 1), order.Auto).Initial(), 1) })
}

// TestRattleMeasures: a step in which one correction closes poses looks at the errors of all rows three times: at the pose that velocities
// lead to, at that of the correction, and for the velocities there. What their correction leaves is known without another look.
func TestRattleMeasures(t *testing.T) {
	const steps = 20
	p := newPlan(t, generate(t, "cam-train", 3, 1), order.Auto)
	r := newRattle(t, p, motion.RattleOptions{Tolerance: 1e-5})
	s := sim.New(p.Mechanism(), r, p.Initial(), sim.Options{Projector: sim.NoProjector, Step: 1. / 480})
	require.NoError(t, s.Run(steps/480.))
	got := r.Stats()
	require.Equal(t, motion.RattleStats{Steps: steps, Evaluations: steps + 1, Corrections: steps, Measures: 3 * steps}, got)
	require.Less(t, s.Stats().Worst.Velocity, 1e-7)
}
