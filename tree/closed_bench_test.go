package tree_test

import (
	"fmt"
	"testing"

	"github.com/rung-mbd/rung/tree"
)

// BenchmarkClosed times a whole evaluation of forward dynamics of closed loops
// from a maximal state by each method.
func BenchmarkClosed(b *testing.B) {
	for _, c := range []struct {
		family string
		n      int
	}{{"ladder", 10}, {"ladder", 100}, {"nfourbar", 10}, {"nfourbar", 50}, {"grid", 8}, {"stewart", 1}} {
		for _, method := range methods {
			b.Run(fmt.Sprintf("model=%s/n=%d/method=%v", c.family, c.n, method), func(b *testing.B) {
				r := newRig(b, generate(b, c.family, c.n, 1), tree.Options{})
				s, st := r.plan.NewSolver(method, tree.SolverOptions{}), r.mech.Initial()
				b.ReportAllocs()
				for b.Loop() {
					if err := s.Solve(st); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(r.plan.NumLinks()), "ns/body")
			})
		}
	}
}
