package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/tree"
)

// unequal is a net of balls in which every other body is heavier by a factor.
func unequal(t *testing.T, factor float64) *model.Model {
	m := plantest.Generate(t, "ball-net", 3, 1)
	for i := range m.Bodies {
		if b := &m.Bodies[i]; i%2 == 0 {
			b.Mass *= factor
			b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ = factor*b.Inertia.XX, factor*b.Inertia.YY, factor*b.Inertia.ZZ
			b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ = factor*b.Inertia.XY, factor*b.Inertia.XZ, factor*b.Inertia.YZ
		}
	}
	return m
}

// TestLostError: a solve that loses digits has no result until the loss is accepted. Then all results are there, and the report has the
// numbers of the error. The next solve is not affected.
func TestLostError(t *testing.T) {
	r := newRig(t, unequal(t, 1e14), tree.Options{})
	s := r.plan.NewSolver(tree.Lambda, tree.SolverOptions{})
	require.PanicsWithValue(t, "tree: no solution", func() { s.AcceptLoss() })
	err := s.Solve(r.mech.Initial())
	var lost *tree.LostError
	require.ErrorAs(t, err, &lost)
	require.ErrorIs(t, err, tree.ErrInconsistent)
	require.ErrorContains(t, err, "tree: joint ")
	require.Greater(t, lost.Residual, 1e-4)
	require.PanicsWithValue(t, "tree: no solution", func() { s.Report() })
	require.PanicsWithValue(t, "tree: no solution", func() { s.JointAccelerations() })
	require.True(t, s.AcceptLoss())
	require.Equal(t, [2]float64{lost.Correction, lost.Residual}, [2]float64{s.Report().Correction, s.Report().Residual})
	was := bodyAccelerations(s)
	require.Less(t, check.MaxAbs(s.JointAccelerations()), 1e6)
	_ = s.TotalWrench(0)

	require.NoError(t, s.Assemble(r.mech.Initial()))
	require.PanicsWithValue(t, "tree: no solution", func() { s.AcceptLoss() })
	require.NoError(t, s.Factorize())
	require.False(t, s.AcceptLoss(), "there is a factor and no solution")
	require.ErrorAs(t, s.Refine(), &lost)
	require.True(t, s.AcceptLoss())
	require.Equal(t, was, bodyAccelerations(s))
	require.ErrorAs(t, s.Solve(r.mech.Initial()), &lost)
	bad := r.mech.Initial()
	bad.Bodies[0].Velocity[0] = math.NaN()
	require.Error(t, s.Solve(bad))
	require.PanicsWithValue(t, "tree: no solution", func() { s.AcceptLoss() })
}

// TestAcceptLossOfNone: AcceptLoss keeps an existing result, and makes no result of numbers that are not finite.
func TestAcceptLossOfNone(t *testing.T) {
	r := newRig(t, unequal(t, 1), tree.Options{})
	for _, method := range methods {
		s := solveClosed(t, r, method, tree.SolverOptions{})
		was := s.Report()
		require.True(t, s.AcceptLoss())
		require.Equal(t, was, s.Report())
	}
	m := unequal(t, 1)
	m.Gravity = [3]float64{0, 0, -math.MaxFloat64}
	r = newRig(t, m, tree.Options{})
	for _, method := range methods {
		s := r.plan.NewSolver(method, tree.SolverOptions{})
		var lost *tree.LostError
		if err := s.Solve(r.mech.Initial()); err != nil {
			require.ErrorAs(t, err, &lost, "%v", method)
			require.False(t, s.AcceptLoss(), "%v", method)
		}
	}
}
