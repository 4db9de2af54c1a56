package batch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
)

// BenchmarkSolve compares a state in a batch of 1024 with one of kkt.Solver.
func BenchmarkSolve(b *testing.B) {
	plans := references(b)
	for _, name := range []string{"four-bar", "bricard-6r", "a03-andrews-ivp", "stewart-6ups"} {
		p := plans[name]
		const n = 1024
		list := someStates(b, p, 64, 1, 0.3)
		for _, threads := range []int{1, 2} {
			x, err := batch.New(p, batch.Options{Threads: threads})
			require.NoError(b, err)
			s, r := x.NewStates(n), x.NewResults(n)
			for i := range n {
				s.Set(i, list[i%len(list)])
			}
			b.Run("model="+name+"/threads="+string(rune('0'+threads)), func(b *testing.B) {
				for b.Loop() {
					x.Solve(s, r)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/state")
				b.ReportMetric(float64(len(r.OneByOne())), "single")
			})
		}
		solver := p.NewSolver()
		b.Run("model="+name+"/solver", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if err := solver.Solve(list[i%len(list)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
