package assemble_test

import (
	"fmt"
	"testing"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/mechanism"
)

// benchModels has chains of revolutes and of all kinds, and loops.
var benchModels = []struct {
	family string
	size   func(bodies int) int
}{
	{"ladder", func(n int) int { return n }},
	{"chain", func(n int) int { return n }},
	{"nfourbar", func(n int) int { return n / 2 }},
	{"tree", func(n int) int { return n }},
	{"random", func(n int) int { return n }},
}

// BenchmarkFill times FillTo of both systems; linear cost is a flat column of
// ns/body.
func BenchmarkFill(b *testing.B) {
	for _, c := range benchModels {
		for _, n := range []int{1000, 100000} {
			name := fmt.Sprintf("model=%s/n=%d", c.family, n)
			if c.family == "random" && n > 1000 {
				continue // as ladder, but long to generate
			}
			m := generate(b, c.family, c.size(n), 1)
			l, s := assemble.NewLayout(m), m.Initial()
			y, w := l.NewSystem(), l.NewWeighted()
			fill(b, name+"/system=plain", m, func() error { return y.FillTo(s) })
			fill(b, name+"/system=weighted", m, func() error { return w.FillTo(s) })
		}
	}
}

func fill(b *testing.B, name string, m *mechanism.Mechanism, run func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := run(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NumBodies()), "ns/body")
	})
}
