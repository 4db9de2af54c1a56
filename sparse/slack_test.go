package sparse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/sparse"
)

// TestWithSlacks ties slacks to two nodes, to one and to none, and leaves the pattern without slacks as it is.
func TestWithSlacks(t *testing.T) {
	p := sparse.NewPattern([]int8{6, 6, 6, 5, 3}, []int8{1, 1, 1, -1, -1}, []int32{0, 0, 0, 0, 2, 3}, []int32{0, 1, 2})
	q := p.WithSlacks([]sparse.Slack{
		{Nodes: [2]int32{2, 0}, Size: 1, Rows: 1},
		{Nodes: [2]int32{-1, 1}, Size: 6, Rows: 4},
		{Nodes: [2]int32{-1, -1}, Size: 2, Rows: 2},
	})
	want := sparse.NewPattern(
		[]int8{6, 6, 6, 1, 6, 2, 5, 3, 1, 4, 2}, []int8{1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1},
		[]int32{0, 0, 0, 0, 0, 0, 0, 2, 3, 6, 8, 9}, []int32{0, 1, 2, 0, 2, 3, 1, 4, 5})
	require.Equal(t, want, q)
	require.Equal(t, p, p.WithSlacks(nil))
	require.Panics(t, func() { p.WithSlacks([]sparse.Slack{{Nodes: [2]int32{1, 1}, Size: 1, Rows: 1}}) })
}
