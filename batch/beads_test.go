package batch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestBeads: the rows of curves are evaluated state by state, and the results are those of a Solver. Steps are taken alone, and each
// state goes on with parameters of its own.
func TestBeads(t *testing.T) {
	evaluated(t, modeltest.Beads(3), "curves")
	evaluated(t, modeltest.Cams(3), "curves")
}

// evaluated compares the results of a batch with those of a Solver, and takes some steps, which are taken alone as why says. Joints with curves
// have numbers in the state, which follow.
func evaluated(t *testing.T, m *model.Model, why string) {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	require.Empty(t, b.OneByOne())
	require.Contains(t, b.SteppedOneByOne(), why)
	const n = 11
	states, results := b.NewStates(n), b.NewResults(n)
	rng := check.Rand(7)
	var single []*mechanism.State
	for i := range n {
		st := p.Initial()
		for k := range st.Bodies { // velocities that violate the rows serve as well
			st.Bodies[k].Omega = st.Bodies[k].Omega.Add(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		}
		single = append(single, st)
		states.Set(i, st)
	}
	b.Solve(states, results)
	s := p.NewSolver()
	const same = 1e-11 // two eliminations of one system
	for i := range n {
		require.NoError(t, results.Error(i))
		require.NoError(t, s.Solve(single[i]))
		a := make([]float64, 6*p.Mechanism().NumBodies())
		s.AccelerationsTo(a)
		got := make([]float64, len(a))
		results.To(got, i)
		check.CloseVec(t, got, a, same, 1+check.MaxAbs(a), "state %d", i)
	}
	out := b.NewOutcome(n)
	for i := range n {
		states.Set(i, p.Initial())
	}
	require.NoError(t, b.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 20}, out))
	start := p.Initial()
	for i := range n {
		require.NoError(t, out.Error(i))
		st := p.Initial()
		states.To(st, i)
		require.NoError(t, p.Mechanism().Holds(st))
		if why == "curves" {
			require.NotEqual(t, start.Angles, st.Angles)
		}
	}
}
