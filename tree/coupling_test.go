package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// TestCouplingsAreRefused: with the name of the first one.
func TestCouplingsAreRefused(t *testing.T) {
	mech, err := mechanism.New(generate(t, "belt", 4, 1))
	require.NoError(t, err)
	_, err = tree.NewPlan(mech, tree.Options{})
	require.ErrorIs(t, err, tree.ErrCoupling)
	require.ErrorContains(t, err, `coupling "s1"`)
}

// TestCoupledClusters: couplings join the loops at their joints, and what is between them.
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
