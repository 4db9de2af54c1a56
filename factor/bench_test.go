package factor_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
)

const (
	// benchTop is the largest number of bodies; sizes go down from it by tens.
	benchTop = 1000000
	// benchAllTop is the largest at which orders other than auto run.
	benchAllTop = 10000
	// benchFlops leaves out the orders that would run for minutes.
	benchFlops = 2e9
)

// benchFamilies are the mechanisms of the benchmarks and the power of their
// size that counts bodies.
var benchFamilies = []struct {
	name   string
	square bool
}{
	{"ladder", false}, {"chain", false}, {"tree", false}, {"nfourbar", false}, {"stewart", false}, {"random", false},
	{"grid", true}, {"revolute-net", true},
}

// benchSize returns the size of a family that has about as many bodies.
func benchSize(b *testing.B, name string, square bool, bodies int) int {
	b.Helper()
	one, err := bench.Bodies(name, 1000)
	if err != nil {
		b.Fatal(err)
	}
	if square {
		return int(math.Round(1000 * math.Sqrt(float64(bodies)/float64(one))))
	}
	return int(math.Round(1000 * float64(bodies) / float64(one)))
}

// eachSystem runs f once for every mechanism and size, inside a benchmark whose
// name has both.
func eachSystem(b *testing.B, f func(b *testing.B, y *assemble.Weighted, bodies int)) {
	for _, c := range benchFamilies {
		for n := 1000; n <= benchTop; n *= 10 {
			b.Run(fmt.Sprintf("model=%s/n=%d", c.name, n), func(b *testing.B) {
				f(b, weightedOf(b, c.name, benchSize(b, c.name, c.square, n)), n)
			})
		}
	}
}

// eachOrder runs f for auto and, up to benchAllTop bodies, for every order that
// is not far too slow. The order's name ends that of the benchmark.
func eachOrder(b *testing.B, y *assemble.Weighted, bodies int, f func(b *testing.B, s *factor.Symbolic)) {
	for _, o := range append([]order.Ordering{order.Auto}, order.All()...) {
		if o != order.Auto && bodies > benchAllTop {
			break
		}
		b.Run("order="+o.String(), func(b *testing.B) {
			s, _, _ := factor.Choose(y.Matrix.Pattern, o, 1)
			if s.Counts.Flops > benchFlops && bodies <= benchAllTop {
				b.Skipf("%.2g flops", float64(s.Counts.Flops))
			}
			f(b, s)
			report(b, s, y.Layout.Mech.NumBodies())
		})
	}
}

// report adds what stays constant from size to size if the cost is linear.
func report(b *testing.B, s *factor.Symbolic, bodies int) {
	per := 1 / float64(bodies)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)*per, "ns/body")
	b.ReportMetric(float64(s.Counts.NonZeros)*per, "nnzL/body")
	b.ReportMetric(float64(s.Counts.Flops)*per, "flops/body")
}

func BenchmarkFactor(b *testing.B) {
	eachSystem(b, func(b *testing.B, y *assemble.Weighted, bodies int) {
		eachOrder(b, y, bodies, func(b *testing.B, s *factor.Symbolic) {
			f := s.NewFactor()
			// The first time the system hands out the pages of f.
			if err := f.Factorize(y.Matrix, y.Scale, epsilon, factor.WhereWeak); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Factorize(y.Matrix, y.Scale, epsilon, factor.WhereWeak); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(s.Counts.Flops)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Gflop/s")
		})
	})
}

func BenchmarkSolve(b *testing.B) {
	eachSystem(b, func(b *testing.B, y *assemble.Weighted, bodies int) {
		eachOrder(b, y, bodies, func(b *testing.B, s *factor.Symbolic) {
			f := s.NewFactor()
			if err := f.Factorize(y.Matrix, y.Scale, epsilon, factor.WhereWeak); err != nil {
				b.Fatal(err)
			}
			x := make([]float64, len(y.Right))
			b.ReportAllocs()
			for b.Loop() {
				f.SolveTo(x, y.Right)
			}
		})
	})
}

// BenchmarkAnalyze is everything between a pattern and a factor: choosing the
// order, analysis, memory.
func BenchmarkAnalyze(b *testing.B) {
	eachSystem(b, func(b *testing.B, y *assemble.Weighted, bodies int) {
		b.Run("order=auto", func(b *testing.B) {
			var f *factor.Factor
			b.ReportAllocs()
			for b.Loop() {
				s, _, _ := factor.Choose(y.Matrix.Pattern, order.Auto, 1)
				f = s.NewFactor()
			}
			report(b, f.Symbolic, y.Layout.Mech.NumBodies())
		})
	})
}

// BenchmarkFactorSolve is a factorization and one plain solution, the forward half
// of which comes with the factor.
func BenchmarkFactorSolve(b *testing.B) {
	eachSystem(b, func(b *testing.B, y *assemble.Weighted, bodies int) {
		b.Run("order=auto", func(b *testing.B) {
			s, _, _ := factor.Choose(y.Matrix.Pattern, order.Auto, 1)
			f := s.NewFactor()
			x := make([]float64, len(y.Right))
			run := func() {
				if err := f.FactorizeFor(y.Right, y.Matrix, y.Scale, epsilon, factor.WhereWeak); err != nil {
					b.Fatal(err)
				}
				f.SolveTo(x, y.Right)
			}
			run()
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
			report(b, f.Symbolic, y.Layout.Mech.NumBodies())
		})
	})
}

// weightedOf is systemOf in mass-weighted coordinates, which solvers use.
func weightedOf(b *testing.B, family string, n int) *assemble.Weighted {
	l := layoutOf(b, family, n)
	y := l.NewWeighted()
	if err := y.FillTo(l.Mech.Initial()); err != nil {
		b.Fatal(err)
	}
	return y
}
