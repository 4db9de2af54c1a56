package order_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

func TestCheckTileRule(t *testing.T) {
	// world –3– 0 –4– 1 –5– 2 –6– world
	loop := sparsetest.Chain(3, true)
	// 0 –3– 1 –4– 2 –5– 0, floating
	ring := sparsetest.New(3, []sparsetest.Joint{sparsetest.Link(5, 0, 1), sparsetest.Link(5, 1, 2), sparsetest.Link(5, 2, 0)})
	tests := []struct {
		name string
		p    *sparse.Pattern
		perm []int32
		err  string
	}{
		{"bodies first", loop, []int32{0, 1, 2, 3, 4, 5, 6}, ""},
		{"matched from both ends", loop, []int32{0, 3, 2, 6, 1, 4, 5}, ""},
		{"matched inwards", loop, []int32{2, 6, 1, 5, 0, 4, 3}, ""},
		{"joint first", loop, []int32{3, 0, 1, 2, 4, 5, 6}, "order: joint node 3 at position 0 is neither matched, pendant nor closed"},
		{"body used twice", loop, []int32{0, 3, 4, 1, 2, 5, 6}, "order: joint node 4 at position 2 is neither matched, pendant nor closed"},
		{"loop closed too early", ring, []int32{0, 3, 1, 4, 5, 2}, "order: joint node 5 at position 4 is neither matched, pendant nor closed"},
		{"loop closed in time", ring, []int32{0, 3, 1, 4, 2, 5}, ""},
		{"free part", ring, []int32{0, 1, 3, 4, 2, 5}, ""},
		{"part tied to the world", loop, []int32{0, 3, 1, 4, 5, 2, 6}, "order: joint node 5 at position 4 is neither matched, pendant nor closed"},
		{"short", ring, []int32{0, 1, 2}, "order: not a permutation: 3 nodes for a pattern of 6"},
		{"twice", ring, []int32{0, 1, 1, 3, 4, 5}, "order: not a permutation: node 1 at position 2"},
		{"outside", ring, []int32{0, 1, 6, 3, 4, 5}, "order: not a permutation: node 6 at position 2"},
		{"negative", ring, []int32{-1, 1, 2, 3, 4, 5}, "order: not a permutation: node -1 at position 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := order.CheckTileRule(tt.p, tt.perm)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tt.err)
			}
		})
	}
}

// CheckTileRule agrees with the rule spelled out on random orders.
func TestCheckTileRuleAgainstDefinition(t *testing.T) {
	good, bad := 0, 0
	for seed := range check.Few(uint64(4000), 1000) {
		rng := rand.New(rand.NewPCG(7, seed))
		n := 1 + rng.IntN(5)
		p := sparsetest.Random(n, 1+rng.IntN(6), 3, 0, rng)
		perm := make([]int32, len(p.Sign))
		for k, v := range rng.Perm(len(perm)) {
			perm[k] = int32(v)
		}
		want := tileRule(p, perm)
		require.Equal(t, want, order.CheckTileRule(p, perm) == nil, "seed %d", seed)
		if want {
			good++
		} else {
			bad++
		}
	}
	require.Greater(t, good, 200)
	require.Greater(t, bad, 200)
}

// tileRule is the tile rule, searched at every step.
func tileRule(p *sparse.Pattern, perm []int32) bool {
	n := len(perm)
	near := make([][]int32, n)
	for i := range n {
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			near[i] = append(near[i], j)
			near[j] = append(near[j], int32(i))
		}
	}
	when := make([]int, n) // 1 + position if eliminated
	// component returns the eliminated nodes connected with v.
	component := func(v int32) []int32 {
		seen := map[int32]bool{v: true}
		list := []int32{v}
		for k := 0; k < len(list); k++ {
			for _, u := range near[list[k]] {
				if when[u] > 0 && !seen[u] {
					seen[u] = true
					list = append(list, u)
				}
			}
		}
		return list
	}
	last := func(list []int32) (v int32) {
		for k, u := range list {
			if k == 0 || when[u] > when[v] {
				v = u
			}
		}
		return v
	}
	for k, v := range perm {
		if p.Sign[v] < 0 {
			matched, closed, free := false, true, true
			for _, b := range near[v] {
				matched = matched || when[b] > 0 && last(component(b)) == b
			}
			when[v] = k + 1
			open := 0
			for _, u := range component(v) {
				free = free && (p.Sign[u] > 0 || len(near[u]) > 1)
				for _, b := range near[u] {
					closed = closed && (p.Sign[u] > 0 || when[b] > 0)
					if p.Sign[u] < 0 && when[b] == 0 {
						open++
						free = free && u == v
					}
				}
			}
			if !matched && !closed && !(free && open == 1) {
				return false
			}
		}
		when[v] = k + 1
	}
	return true
}
