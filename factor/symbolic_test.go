package factor_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// eliminated plays the elimination of whole nodes on a matrix of booleans and
// counts what factor.Counts promises.
func eliminated(p *sparse.Pattern, perm []int32) factor.Counts {
	n := len(perm)
	inv := make([]int, n)
	for i, v := range perm {
		inv[v] = i
	}
	full := make([][]bool, n)
	for i := range full {
		full[i] = make([]bool, n)
	}
	var c factor.Counts
	for i := range n {
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			a, b := inv[i], inv[j]
			full[a][b], full[b][a] = true, true
			c.Bandwidth = max(c.Bandwidth, a-b, b-a)
		}
	}
	for k := range n {
		own, below := int(p.Size[perm[k]]), 0
		earlier := false // a neighbour, so that the block is not a unit any more
		for i := range k {
			earlier = earlier || full[i][k]
		}
		for i := k + 1; i < n; i++ {
			if !full[i][k] {
				continue
			}
			below += int(p.Size[perm[i]])
			for j := k + 1; j < n; j++ {
				full[i][j] = full[i][j] || full[k][j]
			}
		}
		if p.Sign[perm[k]] > 0 && !earlier {
			c.NonZeros += int64(own * (below + 1))
			c.Flops += int64(own * below * (below + 1))
			continue
		}
		c.MaxFront = max(c.MaxFront, own+below)
		for r := own - 1; r >= 0; r-- { // scalar pivots of the node, s rows below each
			s := int64(below + r)
			c.NonZeros += s + 1
			c.Flops += s + s*(s+1)
		}
	}
	return c
}

func TestCountsEqualElimination(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 11))
	patterns := smallGraphs()
	patterns["long chain"] = resized(sparsetest.Chain(80, true), rng)
	patterns["long ladder"] = resized(sparsetest.Ladder(40), rng)
	patterns["wide grid"] = sparsetest.Grid(8)
	patterns["big star"] = resized(sparsetest.Star(60, 2, 20), rng)
	patterns["bundle"] = sparsetest.New(2, []sparsetest.Joint{sparsetest.Link(1, 0, 1), sparsetest.Link(1, 0, 1), sparsetest.Link(2, 0, 1), sparsetest.Link(1, 0), sparsetest.Link(1, 1)})
	for name, p := range patterns {
		for _, o := range orders(p, rand.New(rand.NewPCG(2, 2))) {
			want := eliminated(p, o.perm)
			require.Equal(t, want, factor.CountOrder(p, o.perm), "CountOrder: %s, %s", name, o.name)
			s := factor.Analyze(p, o.perm)
			require.Equal(t, want, s.Counts, "Analyze: %s, %s", name, o.name)
			// The postorder in use has the same fill; the bandwidth is that of
			// the order asked for.
			got := eliminated(p, s.Order())
			got.Bandwidth = want.Bandwidth
			require.Equal(t, want, got, "postorder: %s, %s", name, o.name)
		}
	}
}

// What Analyze makes of an order that is its own postorder is that order.
func TestAnalyzeKeepsPostorders(t *testing.T) {
	for name, p := range smallGraphs() {
		perm := factor.Analyze(p, order.Of(p, order.MinDegree)).Order()
		require.Equal(t, perm, factor.Analyze(p, perm).Order(), name)
	}
}

func TestAnalyzePanics(t *testing.T) {
	p := sparsetest.Chain(2, false)
	for name, f := range map[string]func(perm []int32){
		"Analyze":    func(perm []int32) { factor.Analyze(p, perm) },
		"CountOrder": func(perm []int32) { factor.CountOrder(p, perm) },
	} {
		require.PanicsWithValue(t, "factor: length mismatch", func() { f([]int32{0, 1, 2}) }, name)
		for _, perm := range [][]int32{{0, 1, 2, 2}, {0, 1, 2, 4}, {0, 1, 2, -1}} {
			require.PanicsWithValue(t, "factor: not a permutation", func() { f(perm) }, name)
		}
	}
}
