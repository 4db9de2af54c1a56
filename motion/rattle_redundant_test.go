package motion_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// TestRattleRedundant moves mechanisms with redundant rows with accelerations that are known to 1e-6: joints hold to
// the tolerance, the energy stays where it is but for dampers, no step is damped, the motion is that of accelerations
// as good as can be, and the bits are the same for any number of threads. The steps are those of rung play.
func TestRattleRedundant(t *testing.T) {
	const energyTol = 5e-5 // errors of poses of 1e-8 m, corrected in a step, are 5e-6 m/s, of speeds around 0.1 m/s
	for _, c := range []struct {
		family   string
		n, steps int
		energy   float64 // part by which it may be off; +Inf: joints have dampers
		apart    float64 // m or rad, from the motion with good accelerations and joints
	}{
		{"hoberman", 8, 240, energyTol, 1e-5},
		{"hoberman", 24, 240, energyTol, 1e-5},
		{"miura", 3, 240, math.Inf(1), 1e-5},
		{"scissor", 60, 120, energyTol, 1e-5},
	} {
		t.Run(fmt.Sprintf("%s-%d", c.family, c.n), func(t *testing.T) {
			if testing.Short() && c.n != 8 {
				t.Skip("long")
			}
			const tol = 1e-8
			run := func(threads int, o motion.RattleOptions) (*mechanism.State, motion.RattleStats) {
				p, err := rung.NewPlan(generate(t, c.family, c.n, 1), kkt.Options{Threads: threads})
				require.NoError(t, err)
				m := p.Mechanism()
				k := m.NewKinematics()
				energy := func(st *mechanism.State) (now, kinetic float64) {
					require.NoError(t, m.KinematicsTo(k, st))
					e := m.EnergyAt(k, st)
					return e.Kinetic + e.Potential(), e.Kinetic
				}
				was, _ := energy(p.Initial())
				most := 0.0
				r := newRattle(t, p, o)
				s := sim.New(m, r, p.Initial(), sim.Options{Projector: sim.NoProjector, Step: 1. / 480, OnStep: func(s *sim.Simulation) error {
					position, _ := jointErrors(t, m, s.State())
					if position > o.Tolerance {
						return fmt.Errorf("joints off by %g", position)
					}
					now, kinetic := energy(s.State())
					if most = max(most, kinetic); math.Abs(now-was) > c.energy*most {
						return fmt.Errorf("energy off by %g J of %g J at %g s", now-was, most, s.State().Time)
					}
					return nil
				}})
				require.NoError(t, s.Run(float64(c.steps)/480))
				return s.State(), r.Stats()
			}
			o := motion.RattleOptions{Tolerance: tol, Accuracy: 1e-6, Damp: true}
			st, stats := run(1, o)
			t.Logf("%+v", stats)
			require.Zero(t, stats.Damped)
			again, _ := run(3, o)
			require.Equal(t, st.Bodies, again.Bodies)
			if testing.Short() {
				return
			}
			good, _ := run(1, motion.RattleOptions{Tolerance: 1e-11, Damp: true})
			p, err := rung.NewPlan(generate(t, c.family, c.n, 1), kkt.Options{})
			require.NoError(t, err)
			d := apart(p.Mechanism(), st, good)
			t.Logf("%.2g apart", d)
			require.Less(t, d, c.apart)
		})
	}
}

// TestRattleFlat: a mast of 150 stages falls flat, through the pose at which all of its rods are in line, and hangs
// below: joints hold, and next to no energy is lost.
func TestRattleFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	p, err := rung.NewPlan(generate(t, "scissor", 150, 1), kkt.Options{})
	require.NoError(t, err)
	m, k := p.Mechanism(), p.Mechanism().NewKinematics()
	require.NoError(t, m.KinematicsTo(k, p.Initial()))
	first := m.EnergyAt(k, p.Initial())
	was := first.Kinetic + first.Potential()
	const tol = 1e-8
	r := newRattle(t, p, motion.RattleOptions{Tolerance: tol, Accuracy: 1e-6, Damp: true})
	s := sim.New(m, r, p.Initial(), sim.Options{Projector: sim.NoProjector, Step: 1. / 240, OnStep: func(s *sim.Simulation) error {
		if position, _ := jointErrors(t, m, s.State()); position > 100*tol { // of damped steps
			return fmt.Errorf("joints off by %g", position)
		}
		return nil
	}})
	require.NoError(t, s.Run(4.5))
	require.NoError(t, m.KinematicsTo(k, s.State()))
	e := m.EnergyAt(k, s.State())
	t.Logf("%+v; kinetic %.6g of %.6g J", r.Stats(), e.Kinetic, was)
	require.Less(t, e.Potential(), 0.0, "above the ground still")
	require.InEpsilon(t, was, e.Kinetic+e.Potential(), 1e-3)
	require.Less(t, r.Stats().Damped, r.Stats().Steps/10)
}

// TestRattleRedundantResumed: where velocities are closed with a factor that keeps all rows, and the next step closes its
// poses with that factor, a run that goes on from a checkpoint has the bits of one that nobody has ended.
func TestRattleRedundantResumed(t *testing.T) {
	p, err := rung.NewPlan(generate(t, "miura", 10, 1), kkt.Options{})
	require.NoError(t, err)
	const h = 1. / 240
	make := func() *sim.Simulation {
		r := newRattle(t, p, motion.RattleOptions{Tolerance: 1e-8, Accuracy: 1e-6, Damp: true})
		return sim.New(p.Mechanism(), r, p.Initial(), sim.Options{Projector: sim.NoProjector, Step: h})
	}
	whole := make()
	for i := range 24 {
		c, err := whole.Checkpoint()
		require.NoError(t, err)
		again := make()
		require.NoError(t, again.Restore(c))
		until := float64(i+1) * h
		require.NoError(t, again.Run(until))
		require.NoError(t, whole.Run(until))
		require.Equal(t, whole.State().Bodies, again.State().Bodies, "from %v s", c.Time)
	}
}
