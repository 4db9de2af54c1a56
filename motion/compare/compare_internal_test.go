package compare

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// TestDifferenceOf: ranks that differ are reported.
func TestDifferenceOf(t *testing.T) {
	require.Nil(t, differenceOf(17, 17, motion.TreeDirect))
	d := differenceOf(17, 18, motion.TreeDirect)
	require.Equal(t, 18, d.Sparse)
	require.Contains(t, d.Text, "tree-direct finds rank 17, the sparse method 18")
}

// TestLostByTree: bodies that only turn have linear accelerations of rounding, which is no loss; angular ones that differ are.
func TestLostByTree(t *testing.T) {
	want := []results.Body{{Name: "a", AngularAcceleration: spatial.Vec3{304, 0, 0}, ComAcceleration: spatial.Vec3{0, 0, 1e-31}}}
	got := []results.Body{{Name: "a", AngularAcceleration: spatial.Vec3{304, 0, 0}, ComAcceleration: spatial.Vec3{0, 0, 1e-14}}}
	require.Nil(t, lostByTree(want, got, motion.TreeDirect, 0))
	got[0].AngularAcceleration[0] = 303.9
	require.NotNil(t, lostByTree(want, got, motion.TreeDirect, 0))
	got[0].AngularAcceleration[0], got[0].ComAcceleration[2] = 304, 1e-3
	require.NotNil(t, lostByTree(want, got, motion.TreeDirect, 0))
	want, got = append(want, want[0]), append(got, want[0]) // a body that has lost nothing, behind one of which nothing is known
	got[0].ComAcceleration[2] = math.NaN()
	ill := lostByTree(want, got, motion.TreeDirect, 0)
	require.NotNil(t, ill)
	require.Contains(t, ill.Text, "a relative difference of NaN")
}
