package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
)

// TestTrailers: a straight train accelerates as one mass with its wheels, 2·M/r = (m + Σ I/r²)·a, and pushes sideways on nothing.
func TestTrailers(t *testing.T) {
	sizes := []int{1, 2, 3, 10, 1000}
	if !testing.Short() {
		sizes = append(sizes, 30_000)
	}
	for _, n := range sizes {
		m, err := Generate("trailers", n, 1)
		require.NoError(t, err)
		p, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		mass := float64(n) * (trailerMass + 2*trailerWheel*1.5)
		want := 2 * trailerTorque / trailerRadius / mass
		for i := range m.Bodies {
			a := s.ComAcceleration(i)
			require.InDelta(t, want, a[0], 1e-9*max(want, 1), "%d trailers, body %d", n, i)
			require.InDelta(t, 0, a[1], 1e-9)
			require.InDelta(t, 0, a[2], 1e-9)
		}
		if n > 10 {
			continue
		}
		r, err := s.Report()
		require.NoError(t, err)
		require.Equal(t, 2, r.Mobility, n)
		require.Equal(t, 3*n+2, r.Reaches, n)
		require.Zero(t, r.Redundant, n)
	}
}
