package compare_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/tree"
)

// TestLossIsShown: a tree method that loses digits has a result, which says how much by itself and beside the sparse method; a plan whose
// constraints contradict each other has none by either.
func TestLossIsShown(t *testing.T) {
	m, err := bench.BallNet(3, 1)
	require.NoError(t, err)
	for i := range m.Bodies {
		if b := &m.Bodies[i]; i%2 == 0 {
			b.Mass *= 1e14
			b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ = 1e14*b.Inertia.XX, 1e14*b.Inertia.YY, 1e14*b.Inertia.ZZ
			b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ = 1e14*b.Inertia.XY, 1e14*b.Inertia.XZ, 1e14*b.Inertia.YZ
		}
	}
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	s, err := motion.NewTreeSolver(p.Mechanism(), motion.TreeLambda)
	require.NoError(t, err)
	var lost *tree.LostError
	require.ErrorAs(t, s.Solve(p.Initial()), &lost)
	r, err := compare.Accelerate(p, motion.TreeLambda, p.Initial())
	require.NoError(t, err)
	require.NotNil(t, r.IllScaled)
	require.Regexp(t, `^tree-lambda loses its acceleration: a relative difference of .* from the sparse method; last relative correction .*, residual of the loops .*$`, r.IllScaled.Text)
	require.NotEmpty(t, r.IllScaled.Body)
	require.Equal(t, lost.Residual, r.Solve.Residual)
	require.Equal(t, "tree-lambda", r.Method)

	m = plantest.Golden(t, "four-bar")
	for _, j := range []int{0, len(m.Joints) - 1} {
		m.Joints[j].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, 5 + float64(j)}}}
	}
	p, err = rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	for _, method := range motion.Methods()[1:] {
		_, err = compare.Accelerate(p, method, p.Initial())
		require.ErrorIs(t, err, tree.ErrInconsistent, "%v", method)
	}
}
