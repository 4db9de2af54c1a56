package factor

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// placedGraphs are graphs that are divided into tasks, and small ones that are not.
func placedGraphs() map[string]*sparse.Pattern {
	rng := rand.New(rand.NewPCG(1, 91))
	random := func(n, m int32) (joints [][]int32) {
		for range m {
			a, b := rng.Int32N(n), rng.Int32N(n)
			if a == b {
				joints = append(joints, []int32{a})
			} else {
				joints = append(joints, []int32{min(a, b), max(a, b)})
			}
		}
		return joints
	}
	chain := [][]int32{{0}}
	for b := range int32(2000) {
		chain = append(chain, []int32{b, b + 1})
	}
	out := map[string]*sparse.Pattern{}
	for name, p := range map[string]*sparse.Pattern{
		"empty":   sparsetest.Uniform(0, 5, nil),
		"one":     sparsetest.Uniform(1, 5, [][]int32{{0}}),
		"grid":    sparsetest.Uniform(30*30, 5, sparsetest.Lattice(30)),
		"chain":   sparsetest.Uniform(2001, 5, chain),
		"sparse":  sparsetest.Uniform(1500, 3, random(1500, 1500)),
		"islands": sparsetest.Uniform(4000, 6, random(4000, 1900)),
		"dense":   sparsetest.Uniform(60, 4, random(60, 200)),
	} {
		out[name] = sparse.NewPattern(p.Size, p.Sign, p.Ptr, p.Ind)
	}
	return out
}

// No update matrix lies on another that its parent has not read yet, nor on those of
// its children; what is handed to the top lies apart, and everything is read.
func TestUpdatePlaces(t *testing.T) {
	divided := 0
	for name, p := range placedGraphs() {
		for _, o := range order.All() {
			s := Analyze(p, order.Of(p, o))
			if len(s.tasks) > 1 && len(s.top) > 0 {
				divided++
			}
			lists := [][]int32{s.top}
			for _, r := range s.tasks {
				var list []int32
				for k := r.lo; k < r.hi; k++ {
					list = append(list, k)
				}
				lists = append(lists, list)
			}
			handed, seen := int64(0), 0
			for i, list := range lists {
				waiting := map[int32]bool{}
				for _, k := range list {
					f, at := &s.fronts[k], fmt.Sprintf("%s/%v, front %d", name, o, k)
					lo, hi := f.update, f.update+int64(f.updateSize())
					seen++
					switch {
					case f.handed:
						require.Positive(t, i, at)
						require.Contains(t, s.top, f.parent, at)
						require.LessOrEqual(t, hi, s.hand, at)
						handed += hi - lo
					default:
						require.LessOrEqual(t, hi, s.stack, at)
						for w := range waiting {
							q := &s.fronts[w]
							require.True(t, hi <= q.update || q.update+int64(q.updateSize()) <= lo, "%s on that of %d", at, w)
						}
					}
					for _, c := range s.kids[f.kidLo:f.kidHi] {
						require.True(t, waiting[c] || s.fronts[c].handed, at)
						delete(waiting, c)
					}
					if !f.handed && hi > lo {
						waiting[k] = true
					}
				}
				require.Empty(t, waiting, "%s/%v", name, o)
			}
			require.Equal(t, s.hand, handed, "%s/%v", name, o)
			require.Len(t, s.fronts, seen)
		}
	}
	require.Greater(t, divided, 3)
}
