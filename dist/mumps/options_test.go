package mumps

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Options out of range are refused with their value, with MUMPS and without.
func TestOptionsOutOfRange(t *testing.T) {
	for _, x := range []float64{-1e-9, 1, math.Inf(1), math.NaN()} {
		_, err := Options{LowRank: x}.NewRoot(nil, nil)
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, "LowRank")
	}
}
