package rung_test

import (
	"fmt"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/mechanism"
)

var benchSizes = []int{100, 1000, 10000, 100000}

func benchPlan(b *testing.B, family string, n int, o factor.Ordering) *rung.Plan {
	m, err := bench.Generate(family, n, 1)
	if err != nil {
		b.Fatal(err)
	}
	p, err := rung.NewPlan(m, rung.Options{Ordering: o})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkEvaluate times the parts of one forward-dynamics evaluation.
func BenchmarkEvaluate(b *testing.B) {
	for _, family := range []string{"ladder", "nfourbar", "chain", "tree"} {
		for _, n := range benchSizes {
			var s *rung.Solver
			var st *mechanism.State
			nb := 0.0
			setup := func(b *testing.B) {
				if s != nil {
					return
				}
				p := benchPlan(b, family, n, factor.Auto)
				s, st = p.NewSolver(), p.Initial()
				nb = float64(p.Mechanism().NumBodies())
				if err := s.Solve(st); err != nil {
					b.Fatal(err)
				}
			}
			part := func(name string, f func() error) {
				b.Run(fmt.Sprintf("part=%s/model=%s/n=%d", name, family, n), func(b *testing.B) {
					setup(b)
					b.ReportAllocs()
					for b.Loop() {
						if err := f(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nb, "ns/body")
				})
			}
			part("assemble", func() error { return s.Assemble(st) })
			part("factor", func() error { return s.Factorize() })
			part("solve", func() error { return s.Refine() })
			part("all", func() error { return s.Solve(st) })
		}
	}
}

// BenchmarkAnalyze times order and symbolic analysis.
func BenchmarkAnalyze(b *testing.B) {
	for _, family := range []string{"ladder", "chain", "grid"} {
		for _, n := range []int{1000, 100000} {
			if family == "grid" {
				n = map[int]int{1000: 32, 100000: 100}[n]
			}
			b.Run(fmt.Sprintf("model=%s/n=%d", family, n), func(b *testing.B) {
				m, err := bench.Generate(family, n, 1)
				if err != nil {
					b.Fatal(err)
				}
				mech, err := mechanism.New(m)
				if err != nil {
					b.Fatal(err)
				}
				p := assemble.NewLayout(mech).Pattern
				for b.Loop() {
					perm, _, _ := factor.Choose(p, factor.Auto)
					factor.Analyze(p, perm)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(mech.Bodies)), "ns/body")
			})
		}
	}
}
