package rung_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/model"
)

// BenchmarkGearedStops solves gear trains with a stop, whose upper end lies below all angles, and friction on every
// joint, and the same trains without.
func BenchmarkGearedStops(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		for _, stops := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/stops=%v", n, stops), func(b *testing.B) {
				m := generate(b, "gear-train", n, 1)
				for j := range m.Joints {
					if stops {
						m.Joints[j].Limits = []*model.Limit{{Lower: -10, Upper: -5, Stop: model.Stop{Normal: contact.Normal{Stiffness: 100, Exponent: 1, Dissipation: 0.1}}}}
						m.Joints[j].Friction = []model.Friction{{Force: 0.1}}
					}
				}
				p := newPlan(b, m, order.Auto)
				s, st := p.NewSolver(), p.Initial()
				require.NoError(b, s.Solve(st))
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, s.Solve(st))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/body")
			})
		}
	}
}
