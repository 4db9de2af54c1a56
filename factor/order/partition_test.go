package order_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// Parts of ladders and nets are as heavy as each other to 2 %, and few rows are between them.
func TestPartition(t *testing.T) {
	for name, c := range map[string]struct {
		p    *sparse.Pattern
		rows func(parts int) int // between all parts, at most
	}{
		"ladder": {sparsetest.Ladder(5000), func(parts int) int { return (parts - 1) * 10 }},
		"grid":   {sparsetest.Grid(60), func(parts int) int { return int(1.25 * 5 * 60 * []float64{0, 0, 1, 1.7, 2, 2.6, 3, 3.2, 3.6}[parts]) }},
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
