package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"

	"github.com/rung-mbd/rung/bench"
)

// TestRespond: by all methods, the response to forces is the difference of accelerations with and without them.
func TestRespond(t *testing.T) {
	for _, family := range []string{"rocker-bogie", "nfourbar", "tree", "stewart"} {
		m, err := bench.Generate(family, 1, 3)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		p, err := tree.NewPlan(mech, tree.Options{})
		require.NoError(t, err)
		for _, method := range []tree.Method{tree.Direct, tree.Lambda, tree.Projection} {
			s := p.NewSolver(method, tree.SolverOptions{})
			rng := check.Rand(4)
			f, got := make([]float64, p.NumDof()), make([]float64, p.NumDof())
			for d := range f {
				f[d] = 10 * rng.NormFloat64()
			}
			require.NoError(t, s.SolveForced(mech.Initial(), f))
			with := append([]float64(nil), s.JointAccelerations()...)
			require.NoError(t, s.Solve(mech.Initial()))
			for d, a := range s.JointAccelerations() {
				with[d] -= a
			}
			s.RespondTo(got, f)
			check.CloseVec(t, got, with, 1e-8, max(1, check.MaxAbs(with)), "%s", family)
			require.Zero(t, testing.AllocsPerRun(5, func() { s.RespondTo(got, f) }))
		}
	}
}
