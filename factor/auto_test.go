package factor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// autoLoss is how much more work than the best single order Auto may choose.
const autoLoss = 1.05

// namedPattern is a pattern with a name for messages.
type namedPattern struct {
	name string
	p    *sparse.Pattern
}

// autoPatterns are the families of package bench in several sizes and seeded
// random sparsetest.
func autoPatterns(t testing.TB) []namedPattern {
	var list []namedPattern
	for _, c := range []struct {
		family string
		sizes  []int
	}{
		{"ladder", []int{1, 2, 20, 300, 2000}},
		{"nfourbar", []int{1, 20, 1000}},
		{"chain", []int{1, 20, 300, 2000}},
		{"tree", []int{1, 20, 300, 2000}},
		{"grid", []int{1, 3, 10, 20, 40}},
		{"ball-net", []int{1, 3, 10, 20, 40}},
		{"revolute-net", []int{1, 3, 10, 20, 30}},
		{"stewart", []int{1, 5, 40, 150}},
		{"random", []int{1, 20, 300, 1000, 2000}},
	} {
		for _, n := range c.sizes {
			list = append(list, namedPattern{fmt.Sprintf("%s %d", c.family, n), layoutOf(t, c.family, n).Pattern})
		}
	}
	rng := rand.New(rand.NewPCG(1, 61))
	for _, n := range []int{10, 50, 200, 800} {
		list = append(list,
			namedPattern{fmt.Sprintf("closed chain %d", n), sparsetest.Chain(n, true)},
			namedPattern{fmt.Sprintf("shuffled ladder %d", n), sparsetest.Shuffle(sparsetest.Ladder(n), rng)},
			namedPattern{fmt.Sprintf("hub %d", n), sparsetest.Star(n, 0, 0)},
			namedPattern{fmt.Sprintf("petals %d", n), sparsetest.Star(n/2, 1, 0)},
			namedPattern{fmt.Sprintf("wheel %d", n), sparsetest.Star(n/2, 3, n/4)},
			namedPattern{fmt.Sprintf("islands %d", n), sparsetest.Islands(n)},
			namedPattern{fmt.Sprintf("local %d", n), sparsetest.Random(2*n, 13*n/5, 2, 4, rng)},
			namedPattern{fmt.Sprintf("far %d", n), sparsetest.Random(2*n, 11*n/5, 2, 0, rng)},
			namedPattern{fmt.Sprintf("gears %d", n), sparsetest.Random(n, 4*n/5, 4, 6, rng)},
		)
	}
	for n := range 10 {
		nb := 5 + rng.IntN(60)
		list = append(list,
			namedPattern{fmt.Sprintf("sparse %d", n), sparsetest.Random(nb, nb+rng.IntN(nb), 2, 0, rng)},
			namedPattern{fmt.Sprintf("near %d", n), sparsetest.Random(10*nb, 10*nb+rng.IntN(6*nb), 2, 2+rng.IntN(8), rng)},
		)
	}
	return list
}

// Auto is within autoLoss of the best of all orders.
func TestAutoIsNearBest(t *testing.T) {
	check.Long(t)
	t.Logf("%-20s %6s %18s %12s   loss | flops over best: natural, leaf-first, banded, min-degree, nested-dissection", "pattern", "nodes", "auto", "flops")
	for _, c := range autoPatterns(t) {
		flops := make([]int64, len(order.All()))
		best := int64(-1)
		for i, o := range order.All() {
			flops[i] = factor.CountOrder(c.p, order.Of(c.p, o)).Flops
			if best < 0 || flops[i] < best {
				best = flops[i]
			}
		}
		s, used, _ := factor.Choose(c.p, order.Auto, 1)
		got := s.Counts.Flops
		row := ""
		for _, f := range flops {
			row += fmt.Sprintf(" %7.2f", ratio(f, best))
		}
		t.Logf("%-20s %6d %18v %12d %6.3f |%s", c.name, c.p.Len(), used, got, ratio(got, best), row)
		assert.LessOrEqual(t, ratio(got, best), autoLoss, c.name)
	}
}

// ratio returns a/b, 1 if both are zero.
func ratio(a, b int64) float64 {
	if a == b {
		return 1
	}
	return float64(a) / float64(b)
}

// The analysis does not depend on the number of threads.
//
//rung:race
func TestChooseOnThreads(t *testing.T) {
	large, counts := 0, []int{2, 3, 8}
	if testing.Short() {
		counts = []int{3}
	}
	for _, c := range []namedPattern{
		{"ladder", layoutOf(t, "ladder", 2000).Pattern},
		{"grid", layoutOf(t, "grid", check.Few(70, 60)).Pattern},
		{"ball-net", layoutOf(t, "ball-net", check.Few(40, 20)).Pattern},
		{"random", layoutOf(t, "random", check.Few(3000, 1000)).Pattern},
		{"small", layoutOf(t, "grid", 5).Pattern},
	} {
		for _, o := range []order.Ordering{order.Auto, order.NestedDissection} {
			want, used, tried := factor.Choose(c.p, o, 1)
			if used == order.NestedDissection && c.p.Len() > 10000 {
				large++ // is dissected on several threads
			}
			for _, threads := range counts {
				got, usedOn, triedOn := factor.Choose(c.p, o, threads)
				require.Equal(t, used, usedOn, "%s on %d", c.name, threads)
				require.Equal(t, tried, triedOn, "%s on %d", c.name, threads)
				require.Equal(t, want, got, "%s on %d", c.name, threads)
			}
		}
	}
	require.Positive(t, large)
	require.PanicsWithValue(t, "factor: no threads", func() { factor.Choose(sparsetest.Chain(2, false), order.Auto, 0) })
}

// What Choose says of its candidates is what the orders cost.
func TestChooseTellsTheTruth(t *testing.T) {
	check.Long(t)
	for _, c := range autoPatterns(t) {
		if c.p.Len() > 1000 {
			continue
		}
		s, used, tried := factor.Choose(c.p, order.Auto, 1)
		require.NotEqual(t, order.Auto, used, c.name)
		require.Equal(t, factor.Analyze(c.p, order.Of(c.p, used)), s, c.name)
		found := false
		for _, k := range tried {
			require.Equal(t, factor.CountOrder(c.p, order.Of(c.p, k.Ordering)), k.Counts, "%s, %v", c.name, k.Ordering)
			found = found || k.Ordering == used
		}
		require.True(t, found, c.name)
		for _, o := range order.All() {
			s, used, tried := factor.Choose(c.p, o, 1)
			require.Equal(t, o, used)
			require.Equal(t, factor.Analyze(c.p, order.Of(c.p, o)), s)
			require.Equal(t, []factor.Candidate{{Ordering: o, Counts: factor.CountOrder(c.p, order.Of(c.p, o))}}, tried)
		}
	}
	require.PanicsWithValue(t, "order: no such ordering to compute", func() { factor.Choose(sparsetest.Chain(2, false), 99, 1) })
}
