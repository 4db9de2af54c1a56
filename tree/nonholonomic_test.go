package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// TestNonholonomicClosure: a closure refuses nonholonomic rows, which have no loop function for poses.
func TestNonholonomicClosure(t *testing.T) {
	mech, err := mechanism.New(modeltest.Rolling(0))
	require.NoError(t, err)
	p, err := tree.NewPlan(mech, tree.Options{})
	require.NoError(t, err)
	const text = "tree: closure with rows of velocities alone"
	require.PanicsWithValue(t, text, func() { p.NewNumericLoops(nil, make([]float64, p.NumQ())) })
	require.PanicsWithValue(t, text, func() { p.NewClosure(nil, 1) })
	for j := range mech.Joints { // nor are they in the tree
		_, err := tree.NewPlan(mech, tree.Options{TreeJoints: []int{j}})
		require.ErrorIs(t, err, tree.ErrTreeJoint)
	}
}
