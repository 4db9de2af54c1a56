package order_test

import (
	"fmt"
	"testing"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

func BenchmarkOrder(b *testing.B) {
	models := []struct {
		name string
		make func(bodies int) *sparse.Pattern
	}{
		{"chain", func(n int) *sparse.Pattern { return sparsetest.Chain(n, true) }},
		{"ladder", func(n int) *sparse.Pattern { return sparsetest.Ladder(n / 2) }},
		{"grid", func(n int) *sparse.Pattern { return sparsetest.Grid(side(n)) }},
		{"star", func(n int) *sparse.Pattern { return sparsetest.Star(n/2, 0, 0) }},
	}
	for _, m := range models {
		for n := 1000; n <= 1000000; n *= 10 {
			p := m.make(n)
			joints := 0
			for _, s := range p.Sign {
				if s < 0 {
					joints++
				}
			}
			for _, o := range order.All() {
				b.Run(fmt.Sprintf("model=%s/n=%d/order=%s", m.name, n, o), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						order.Of(p, o)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(joints), "ns/joint")
				})
			}
			b.Run(fmt.Sprintf("model=%s/n=%d/check", m.name, n), func(b *testing.B) {
				perm := order.Of(p, order.Natural)
				for b.Loop() {
					if err := order.CheckTileRule(p, perm); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(joints), "ns/joint")
			})
		}
	}
}

// side returns the side of a square of about n bodies.
func side(n int) int {
	k := 1
	for (k+1)*(k+1) <= n {
		k++
	}
	return k
}
