package kkt_test

import (
	"fmt"
	"math"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// benchCases are the problems of the benchmarks, with the size n of package
// bench for about the given number of bodies.
var benchCases = []struct {
	family string
	size   func(bodies int) int
}{
	{"ladder", func(n int) int { return n }},
	{"nfourbar", func(n int) int { return n / 2 }},
	{"chain", func(n int) int { return n }},
	{"tree", func(n int) int { return n }},
	{"grid", func(n int) int { return int(math.Sqrt(float64(n))) }},
}

var benchSizes = []int{100, 1000, 10000, 100000}

// problem is one mechanism with a solved state.
type problem struct {
	s      *kkt.Solver
	st     *mechanism.State
	p      *kkt.Plan
	bodies float64
}

func newProblem(b *testing.B, family string, n int) *problem {
	p := newPlan(b, generate(b, family, n, 1), order.Auto)
	x := &problem{s: p.NewSolver(), st: p.Initial(), p: p, bodies: float64(p.Mechanism().NumBodies())}
	require.NoError(b, x.s.Solve(x.st))
	return x
}

// BenchmarkSolve times a forward-dynamics evaluation and its parts; linear cost
// is a flat column of ns/body.
func BenchmarkSolve(b *testing.B) {
	for _, c := range benchCases {
		for _, bodies := range benchSizes {
			b.Run(fmt.Sprintf("model=%s/n=%d", c.family, bodies), func(b *testing.B) {
				x := newProblem(b, c.family, c.size(bodies))
				x.part(b, "all", func() error { return x.s.Solve(x.st) })
				x.part(b, "assemble", func() error { return x.s.Stages().Assemble(x.st) })
				x.part(b, "factor", x.s.Stages().Factorize)
				x.part(b, "refine", x.s.Stages().Refine)
			})
		}
	}
}

func (x *problem) part(b *testing.B, name string, run func() error) {
	b.Run("part="+name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := run(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/x.bodies, "ns/body")
		b.ReportMetric(float64(x.p.Counts().NonZeros)/x.bodies, "nnzL/body")
		b.ReportMetric(float64(x.p.Counts().Flops)/x.bodies, "flops/body")
	})
}

// BenchmarkSmall times evaluations of small mechanisms, where what is not
// arithmetic counts; rung bench MODEL... --method all compares them with other
// methods.
func BenchmarkSmall(b *testing.B) {
	for _, name := range []string{
		"pendulum", "type-helical-chain", "four-bar", "slider-crank-spatial", "bricard-6r", "floating-tree", "stewart-6ups",
		"../standard/a02-n-four-bar-40", "../standard/a03-andrews-ivp",
	} {
		b.Run("model="+path.Base(name), func(b *testing.B) {
			p := newPlan(b, golden(b, name), order.Auto)
			x := &problem{s: p.NewSolver(), st: p.Initial(), p: p, bodies: float64(p.Mechanism().NumBodies())}
			require.NoError(b, x.s.Solve(x.st))
			x.part(b, "all", func() error { return x.s.Solve(x.st) })
		})
	}
}

// BenchmarkReport times the explanation of the constraints.
func BenchmarkReport(b *testing.B) {
	for _, c := range benchCases {
		b.Run(fmt.Sprintf("model=%s/n=1000", c.family), func(b *testing.B) {
			x := newProblem(b, c.family, c.size(1000))
			for b.Loop() {
				if _, err := x.s.Report(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/x.bodies, "ns/body")
		})
	}
}

// BenchmarkAnalyze times order and symbolic analysis.
func BenchmarkAnalyze(b *testing.B) {
	for _, c := range []struct {
		family string
		n      int
	}{{"ladder", 1000}, {"ladder", 100000}, {"chain", 1000}, {"chain", 100000}, {"grid", 32}, {"grid", 100}} {
		b.Run(fmt.Sprintf("model=%s/n=%d", c.family, c.n), func(b *testing.B) {
			mech, err := mechanism.New(generate(b, c.family, c.n, 1))
			require.NoError(b, err)
			p := assemble.NewLayout(mech).Pattern
			for b.Loop() {
				factor.Choose(p, order.Auto, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(mech.NumBodies()), "ns/body")
		})
	}
}
