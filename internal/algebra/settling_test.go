package algebra_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/algebra"
)

// TestSettling: an iteration rests where nothing changes, and where small changes shrink no more; it goes on while they shrink, and where they are large.
func TestSettling(t *testing.T) {
	for _, c := range []struct {
		changes []float64
		steps   int // after which it rests; 0: never
	}{
		{[]float64{1, 1e-3, 1e-6, 1e-14}, 4},
		{[]float64{1, 1e-6, 3e-13, 2e-13, 2.5e-13}, 5},
		{[]float64{3e-13, 2e-13, 1.5e-13}, 0},
		{[]float64{1, 2, 1, 2, 1}, 0},
		{[]float64{1, 2e-9, 2e-9}, 0},
	} {
		var s algebra.Settling
		s.Begin()
		at := 0
		for i, x := range c.changes {
			if s.Rests(x) {
				at = i + 1
				break
			}
		}
		require.Equal(t, c.steps, at, c.changes)
		s.Begin()
		require.False(t, s.Rests(5e-13), "the first change has none before it")
	}
}
