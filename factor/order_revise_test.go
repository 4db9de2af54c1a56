package factor_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
)

// without returns the joints of a graph that keep says, and the nodes that they have in
// the graph of all.
func without(nb int, joints []ordJoint, keep []bool) (*sparse.Pattern, []int32) {
	var rest []ordJoint
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
	return ordPattern(nb, rest), nodes
}

// Joints that go and come, on random graphs in every order: the rule holds, what is left
// keeps its order, and nothing is lost.
func TestRevise(t *testing.T) {
	kept, last := 0, 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(21, seed))
		nb := 1 + rng.IntN(12)
		var joints []ordJoint
		for range rng.IntN(2 * nb) {
			j := ordJoint{c: int8(1 + rng.IntN(6)), bodies: []int32{int32(rng.IntN(nb))}}
			if b := int32(rng.IntN(nb)); b != j.bodies[0] && rng.IntN(5) > 0 {
				j.bodies = append(j.bodies, b)
				slices.Sort(j.bodies)
			}
			joints = append(joints, j)
		}
		before, after := make([]bool, len(joints)), make([]bool, len(joints))
		for j := range joints {
			before[j], after[j] = rng.IntN(8) > 0, rng.IntN(8) > 0
		}
		p, pNodes := without(nb, joints, before)
		q, qNodes := without(nb, joints, after)
		o := factor.Ordering(1 + rng.IntN(5))
		order := factor.Order(p, o)
		was := make([]int32, nb+len(joints))
		for i := range was {
			was[i] = -1
		}
		for k, v := range order {
			was[pNodes[v]] = int32(k)
		}
		place := make([]int32, len(qNodes))
		for i, v := range qNodes {
			place[i] = was[v]
		}
		perm := factor.Revise(q, place, len(order))
		require.NoError(t, factor.CheckTileRule(q, perm), "seed %d, %v", seed, o)
		require.Equal(t, perm, factor.Revise(q, place, len(order)))
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
	p := ordPattern(2, []ordJoint{ordLink(5, 0, 1)}) // joint node 2
	require.Panics(t, func() { factor.Revise(p, []int32{0, 1}, 3) })
	require.Panics(t, func() { factor.Revise(p, []int32{0, 0, 1}, 3) })
	require.Panics(t, func() { factor.Revise(p, []int32{0, 3, 1}, 3) })
	require.Panics(t, func() { factor.Revise(p, []int32{-1, 0, 1}, 3) })
	require.Equal(t, []int32{1, 0, 2}, factor.Revise(p, []int32{2, 0, -1}, 4))
}
