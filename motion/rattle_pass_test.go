package motion_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// passKept is the part of the energy, relative to its size at the start, that a run through singular poses may gain or lose.
const passKept = 0.01

// TestRattlePassesSingularPoses: scissors and frames that snap through poses in which all of their rods lie in line, many
// times, keep their energy, with and without damping, and no step is damped.
func TestRattlePassesSingularPoses(t *testing.T) {
	check.Long(t)
	live := motion.RattleOptions{Tolerance: 1e-8, Accuracy: 1e-6, Damp: true}
	firm := motion.RattleOptions{Tolerance: 1e-9}
	for _, c := range []struct {
		family string
		n      int
		o      motion.RattleOptions
		rate   float64
	}{{"scissor", 20, live, 480}, {"scissor", 20, firm, 480}, {"scissor", 8, live, 480}, {"scissor", 8, firm, 480}, {"scissor", 3, live, 480}, {"nfourbar", 40, live, 480}, {"revolute-net", 5, live, 480}} {
		t.Run(fmt.Sprintf("%s/%d/%v", c.family, c.n, c.o.Damp), func(t *testing.T) {
			p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
			m, k, was, worst := p.Mechanism(), p.Mechanism().NewKinematics(), 0.0, 0.0
			r := newRattle(t, p, c.o)
			s := sim.New(m, r, p.Initial(), sim.Options{Step: 1 / c.rate, OpenStages: true, OnStep: func(s *sim.Simulation) error {
				if err := m.KinematicsTo(k, s.State()); err != nil {
					return err
				}
				e := m.EnergyAt(k, s.State())
				now := e.Kinetic + e.Potential()
				if was == 0 {
					was = now
				}
				worst = max(worst, math.Abs(now-was)/math.Abs(was))
				return nil
			}})
			require.NoError(t, s.Run(6))
			t.Logf("%+v; energy off by %.2g", r.Stats(), worst)
			require.Positive(t, r.Stats().Passed)
			require.Zero(t, r.Stats().Damped)
			require.Less(t, worst, passKept)
		})
	}
}

// TestRattlePassResumed: a run that goes on from a checkpoint between passes has the bits of one that nobody has ended.
func TestRattlePassResumed(t *testing.T) {
	const step, from, until = 1. / 480, 1.22, 1.3 // around the first singular pose
	p := newPlan(t, generate(t, "scissor", 8, 1), order.Auto)
	start := func() (*sim.Simulation, *motion.Rattle) {
		r := newRattle(t, p, motion.RattleOptions{Tolerance: 1e-8, Accuracy: 1e-6, Damp: true})
		return sim.New(p.Mechanism(), r, p.Initial(), sim.Options{Step: step, Dynamics: "sparse", OpenStages: true}), r
	}
	whole, r := start()
	require.NoError(t, whole.Run(from))
	var between []*sim.Checkpoint
	for whole.State().Time < until {
		passed := r.Stats().Passed
		require.NoError(t, whole.Run(whole.State().Time+step))
		if r.Stats().Passed > passed && len(between) < 4 {
			c, err := whole.Checkpoint()
			require.NoError(t, err)
			between = append(between, c)
		}
	}
	require.Len(t, between, 4)
	for _, c := range between {
		again, _ := start()
		require.NoError(t, again.Restore(c))
		for again.State().Time < whole.State().Time {
			require.NoError(t, again.Run(again.State().Time+step))
		}
		require.Equal(t, whole.State(), again.State(), "from %v s", c.Time)
	}
}
