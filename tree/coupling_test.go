package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// TestCoupledClusters: a coupling puts the loops at its joints, and the joints between them, into one cluster.
func TestCoupledClusters(t *testing.T) {
	mech, err := mechanism.New(generate(t, "belt", 5, 1))
	require.NoError(t, err)
	list := tree.ClustersOf(mech)
	require.Len(t, list, 1)
	require.Equal(t, tree.Cluster{
		Joints: []int32{0, 1, 2, 3, 4}, Bodies: []int32{0, 1, 2, 3, 4}, Ground: true, Loops: 5, Couplings: []int32{0, 1, 2, 3, 4},
	}, list[0])
	require.Equal(t, 5, mech.Graph().Loops)
	require.Equal(t, 1, mech.Graph().Components)
	require.Equal(t, 1, mech.Graph().Grounded)
}
