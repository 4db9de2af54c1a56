package growth

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/tree"
)

// TestLossyIsMeasured: a tree method that loses digits has times, and a residual that tells; a bad state is an error as before.
func TestLossyIsMeasured(t *testing.T) {
	m, err := bench.BallNet(3, 1)
	require.NoError(t, err)
	for i := range m.Bodies {
		if b := &m.Bodies[i]; i%2 == 0 {
			b.Mass *= 1e14
			b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ = 1e14*b.Inertia.XX, 1e14*b.Inertia.YY, 1e14*b.Inertia.ZZ
			b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ = 1e14*b.Inertia.XY, 1e14*b.Inertia.XZ, 1e14*b.Inertia.YZ
		}
	}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	p, err := tree.NewPlan(mech, tree.Options{})
	require.NoError(t, err)
	rec := &Record{Method: motion.TreeLambda.String()}
	require.NoError(t, rec.evaluateClosed(t.Context(), p, mech.Initial(), 0))
	require.Greater(t, rec.Residual, 1e-4)
	require.Positive(t, rec.TotalNs)
	bad := mech.Initial()
	bad.Bodies[0].Velocity[0] = math.NaN()
	require.ErrorIs(t, rec.evaluateClosed(t.Context(), p, bad, 0), mechanism.ErrNotFinite)
}
