package compare

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion"
)

// TestDifferenceOf tells of ranks that differ.
func TestDifferenceOf(t *testing.T) {
	require.Nil(t, differenceOf(17, 17, motion.TreeDirect))
	d := differenceOf(17, 18, motion.TreeDirect)
	require.Equal(t, 18, d.Sparse)
	require.Contains(t, d.Text, "tree-direct finds rank 17, the sparse method 18")
}
