package order_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// straight is the rows between parts of a grid of 60 × 60, cut across, and 4 % more.
func straight(parts int) int {
	return int(1.04 * 5 * 60 * []float64{0, 0, 1, 5. / 3, 2, 2.6, 3, 3.5, 4}[parts])
}

// mixed is a grid of k × k whose bodies have random numbers.
func mixed(k int) *sparse.Pattern {
	to := rand.New(rand.NewPCG(1, 2)).Perm(k * k)
	list := sparsetest.Lattice(int32(k))
	for _, j := range list {
		for i, b := range j {
			j[i] = int32(to[b])
		}
	}
	return sparsetest.Uniform(k*k, 5, list)
}

// Parts of a net are as near to squares as their number allows: the largest boundary of 16 blocks of 25 × 25 bodies is
// that of a square.
func TestPartitionSquares(t *testing.T) {
	check.Long(t)
	for name, p := range map[string]*sparse.Pattern{"grid": sparsetest.Grid(100), "mixed": mixed(100)} {
		part := order.Partition(p, 16, nil)
		held := make([]int, 16)
		for v := p.Positive(); v < p.Len(); v++ {
			if l := p.Ind[p.Ptr[v]:p.Ptr[v+1]]; len(l) == 2 && part[l[0]] != part[l[1]] {
				held[part[l[0]]] += int(p.Size[v])
				held[part[l[1]]] += int(p.Size[v])
			}
		}
		assert.LessOrEqual(t, slices.Max(held), 4*25*5*21/20, "%s: %v", name, held)
	}
}

// An order toward some joints ends with them, and a ladder with these at one end takes no more work than without.
func TestToward(t *testing.T) {
	p := sparsetest.Ladder(200)
	last := int32(p.Len() - 1)
	perm := order.Toward(p, []int32{last})
	place := slices.Index(perm, last)
	assert.Greater(t, place, p.Len()-10)
	seen := slices.Sorted(slices.Values(perm))
	for v := range seen {
		require.EqualValues(t, v, seen[v])
	}
	assert.Equal(t, perm, order.Toward(p, []int32{last}))
	whole := factor.Analyze(p, order.Of(p, order.Banded)).Counts
	assert.LessOrEqual(t, factor.Analyze(p, perm).Counts.Flops, whole.Flops*101/100)
	assert.Panics(t, func() { order.Toward(p, []int32{0}) })
	apart := sparsetest.Uniform(4, 5, [][]int32{{0, 1}, {2, 3}})
	assert.Len(t, order.Toward(apart, []int32{5}), 6)
}

// Parts of ladders and nets are as heavy as each other to 2 %, and few rows are between them.
func TestPartition(t *testing.T) {
	check.Long(t)
	for name, c := range map[string]struct {
		p    *sparse.Pattern
		rows func(parts int) int // between all parts, at most
	}{
		"ladder": {sparsetest.Ladder(5000), func(parts int) int { return (parts - 1) * 10 }},
		"grid":   {sparsetest.Grid(60), straight},
		"mixed":  {mixed(60), straight},
	} {
		for parts := 1; parts <= 8; parts++ {
			part := order.Partition(c.p, parts, nil)
			assert.Equal(t, part, order.Partition(c.p, parts, nil), "the same each time")
			size := make([]int, parts)
			for _, k := range part {
				size[k]++
			}
			between := 0
			for v := c.p.Positive(); v < c.p.Len(); v++ {
				if l := c.p.Ind[c.p.Ptr[v]:c.p.Ptr[v+1]]; len(l) == 2 && part[l[0]] != part[l[1]] {
					between += int(c.p.Size[v])
				}
			}
			t.Logf("%s in %d: %v bodies, %d rows", name, parts, size, between)
			assert.LessOrEqual(t, between, c.rows(parts), "%s in %d", name, parts)
			for _, n := range size {
				assert.InEpsilon(t, float64(c.p.Positive())/float64(parts), float64(n), 0.02, "%s in %d", name, parts)
			}
		}
	}
}

// Bodies of a group stay together, however far apart; more parts than bodies leave some empty.
func TestPartitionGroups(t *testing.T) {
	p := sparsetest.Grid(10)
	group := make([]int32, p.Positive())
	for i := range group {
		group[i] = int32(i % 7)
	}
	part := order.Partition(p, 3, group)
	for i := range part {
		assert.Equal(t, part[i%7], part[i])
	}
	for _, k := range order.Partition(sparsetest.Chain(3, false), 9, nil) {
		assert.Less(t, k, int32(9))
	}
	assert.Panics(t, func() { order.Partition(p, 0, nil) })
	assert.Panics(t, func() { order.Partition(p, 2, group[:3]) })
}
