package order_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// listed draws some of the bodies of p in a random order.
func listed(p *sparse.Pattern, rng *rand.Rand) []int32 {
	var list []int32
	for _, b := range rng.Perm(p.Positive()) {
		list = append(list, int32(b))
	}
	return append([]int32{}, list[:rng.IntN(len(list)+1)]...)
}

// TestOfBodies: whatever bodies are listed, the order is a permutation, obeys the tile rule and takes the listed ones as
// they are listed, each joint right after the last of its bodies.
func TestOfBodies(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for name, p := range cases() {
		list := listed(p, rng)
		perm := order.OfBodies(p, list)
		require.NoError(t, order.CheckTileRule(p, perm), name)
		is := make([]bool, p.Len())
		for _, b := range list {
			is[b] = true
		}
		require.Equal(t, list, slices.DeleteFunc(append([]int32{}, perm...), func(v int32) bool { return !is[v] }), name)
		require.Equal(t, order.Of(p, order.Natural), order.OfBodies(p, nil), "%s: no body is listed", name)
	}
	// world –3– 0 –4– 1 –5– 2 –6– world
	loop := sparsetest.Chain(3, true)
	require.Equal(t, []int32{2, 6, 0, 3, 1, 4, 5}, order.OfBodies(loop, []int32{2, 0, 1}))
	require.Equal(t, []int32{1, 0, 3, 4, 2, 6, 5}, order.OfBodies(loop, []int32{1}), "neighbours that are not listed come when their joint does")
	assert.PanicsWithValue(t, "order: body out of range", func() { order.OfBodies(loop, []int32{3}) })
	assert.PanicsWithValue(t, "order: body out of range", func() { order.OfBodies(loop, []int32{-1}) })
	assert.PanicsWithValue(t, "order: body listed twice", func() { order.OfBodies(loop, []int32{1, 0, 1}) })
}

// TestNodeError: what is wrong with an order is told by type.
func TestNodeError(t *testing.T) {
	loop := sparsetest.Chain(3, true)
	var at *order.NodeError
	err := order.CheckTileRule(loop, []int32{0, 3, 4, 1, 2, 5, 6})
	require.ErrorAs(t, err, &at)
	require.ErrorIs(t, err, order.ErrTileRule)
	require.Equal(t, [2]int{4, 2}, [2]int{at.Node, at.Position})
	err = order.CheckTileRule(loop, []int32{0, 3, 0, 1, 2, 5, 6})
	require.ErrorAs(t, err, &at)
	require.ErrorIs(t, err, order.ErrNoPermutation)
	require.Equal(t, [2]int{0, 2}, [2]int{at.Node, at.Position})
	require.ErrorIs(t, order.CheckTileRule(loop, []int32{0}), order.ErrNoPermutation)
}

// TestOwnHasNoMethod: the name of the user's order is printed, and not read.
func TestOwnHasNoMethod(t *testing.T) {
	require.Equal(t, "own", order.Own.String())
	_, err := order.Parse("own")
	require.EqualError(t, err, `order: unknown ordering "own"`)
	require.NotContains(t, order.All(), order.Own)
	require.Panics(t, func() { order.Of(sparsetest.Chain(3, true), order.Own) })
}
