package order_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// without returns the joints of a graph that keep says, and the nodes that they have in
// the graph of all.
func without(nb int, joints []sparsetest.Joint, keep []bool) (*sparse.Pattern, []int32) {
	var rest []sparsetest.Joint
	nodes := make([]int32, nb)
	for b := range nb {
		nodes[b] = int32(b)
	}
	for j, k := range keep {
		if k {
			rest = append(rest, joints[j])
			nodes = append(nodes, int32(nb+j))
		}
	}
	return sparsetest.New(nb, rest), nodes
}

// Joints that go and come, on random graphs in every order: the rule holds, what is left
// keeps its order, and nothing is lost.
func TestRevise(t *testing.T) {
	kept, last := 0, 0
	for seed := range check.Few(uint64(1500), 500) {
		rng := rand.New(rand.NewPCG(21, seed))
		nb := 1 + rng.IntN(12)
		var joints []sparsetest.Joint
		for range rng.IntN(2 * nb) {
			j := sparsetest.Joint{Rows: int8(1 + rng.IntN(6)), Bodies: []int32{int32(rng.IntN(nb))}}
			if b := int32(rng.IntN(nb)); b != j.Bodies[0] && rng.IntN(5) > 0 {
				j.Bodies = append(j.Bodies, b)
				slices.Sort(j.Bodies)
			}
			joints = append(joints, j)
		}
		before, after := make([]bool, len(joints)), make([]bool, len(joints))
		for j := range joints {
			before[j], after[j] = rng.IntN(8) > 0, rng.IntN(8) > 0
		}
		p, pNodes := without(nb, joints, before)
		q, qNodes := without(nb, joints, after)
		o := order.Ordering(1 + rng.IntN(5))
		sequence := order.Of(p, o)
		was := make([]int32, nb+len(joints))
		for i := range was {
			was[i] = -1
		}
		for k, v := range sequence {
			was[pNodes[v]] = int32(k)
		}
		place := make([]int32, len(qNodes))
		for i, v := range qNodes {
			place[i] = was[v]
		}
		perm := order.Revise(q, place, len(sequence))
		require.NoError(t, order.CheckTileRule(q, perm), "seed %d, %v", seed, o)
		require.Equal(t, perm, order.Revise(q, place, len(sequence)))
		var old []int32
		for _, v := range perm {
			if place[v] >= 0 {
				old = append(old, place[v])
			}
		}
		require.True(t, slices.IsSorted(old), "seed %d", seed)
		if len(perm) > 0 && place[perm[len(perm)-1]] < 0 {
			last++
		} else {
			kept++
		}
	}
	require.Greater(t, kept, 100) // both ways have been gone
	require.Greater(t, last, 100)
}

func TestRevisePanics(t *testing.T) {
	p := sparsetest.New(2, []sparsetest.Joint{sparsetest.Link(5, 0, 1)}) // joint node 2
	require.Panics(t, func() { order.Revise(p, []int32{0, 1}, 3) })
	require.Panics(t, func() { order.Revise(p, []int32{0, 0, 1}, 3) })
	require.Panics(t, func() { order.Revise(p, []int32{0, 3, 1}, 3) })
	require.Panics(t, func() { order.Revise(p, []int32{-1, 0, 1}, 3) })
	require.Equal(t, []int32{1, 0, 2}, order.Revise(p, []int32{2, 0, -1}, 4))
}
