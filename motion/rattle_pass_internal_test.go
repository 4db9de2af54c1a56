package motion

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/sim"
)

// TestRattlePassIsExact: passes next to the first singular pose of a scissor are where a run with tolerance 1e-11 is, and take
// some 25 evaluations each.
func TestRattlePassIsExact(t *testing.T) {
	const (
		step = 1. / 480 // s
		off  = 5e-8     // m, m/s, rad/s: the tolerance 1e-7 of a pass leaves up to 1e-8
		work = 32       // evaluations a pass
	)
	m, err := bench.Generate("scissor", 8, 1)
	require.NoError(t, err)
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	r, err := NewRattle(p, RattleOptions{Tolerance: 1e-8, Accuracy: 1e-6, Damp: true})
	require.NoError(t, err)
	s := sim.New(p.Mechanism(), r, p.Initial(), sim.Options{Step: step, OpenStages: true})
	require.NoError(t, s.Run(1.22))
	d, passes, spent := NewDynamics(p), int64(0), int64(0)
	for passes < 4 {
		require.Less(t, s.State().Time, 1.3)
		from, was := s.State().Clone(), r.stats
		require.NoError(t, s.Run(s.State().Time+step))
		if r.stats.Passed == was.Passed {
			continue
		}
		passes++
		spent += r.stats.Evaluations - was.Evaluations
		fine := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-11}), from, sim.Options{Projector: d})
		require.NoError(t, fine.Run(s.State().Time))
		require.Less(t, apart(s.State(), fine.State()), off, "pass %d", passes)
	}
	require.LessOrEqual(t, spent, work*passes)
}
