package assemble

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVanishes: a coupling's row is left out where its parts cancel to rounding, and stays where squares overflow: it is then an error of
// the factorization with the name of the coupling, and no redundant row.
func TestVanishes(t *testing.T) {
	require.True(t, vanishes(0, 1))
	require.True(t, vanishes(0.9e-26, 1))
	require.True(t, vanishes(0, 0))
	require.False(t, vanishes(1.1e-26, 1))
	require.False(t, vanishes(math.Inf(1), math.Inf(1)))
	require.False(t, vanishes(math.NaN(), math.NaN()))
}
