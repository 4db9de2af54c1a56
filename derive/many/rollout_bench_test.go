package many_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive/learn"
	"github.com/rung-mbd/rung/derive/many"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// idle sets no force; its cost is the observation at the end.
type idle struct{ acts int }

func (l *idle) Act(_, y []float64, k int) float64 {
	if k == l.acts {
		return y[0] * y[0]
	}
	return 0
}

func (l *idle) Back(x, y, _, _ []float64, k int) {
	if k == l.acts {
		x[0] += 2 * y[0]
	}
}

// BenchmarkRollouts reports the processor time of a step of a state on one thread, in lanes and by package learn, with and without
// gradient.
func BenchmarkRollouts(b *testing.B) {
	stewart, err := bench.Generate("stewart", 1, 1)
	require.NoError(b, err)
	const n, steps, h = 256, 50, 2e-3
	for what, m := range map[string]*model.Model{"four-bar": referenceOf(b, "four-bar"), "stewart": stewart} {
		p := planOf(b, m)
		x, err := many.New(p, m, batch.Options{Forces: []mechanism.Freedom{{Joint: 0}}})
		require.NoError(b, err)
		s, g, out, record := x.NewStates(n), x.NewGradients(n), x.NewOutcome(n), x.NewRecord(n, steps)
		measure := func(name string, runs int, do func(b *testing.B)) {
			b.Run("model="+what+"/"+name, func(b *testing.B) {
				begin := machine.ProcessorTime()
				for b.Loop() {
					do(b)
				}
				b.ReportMetric(float64((machine.ProcessorTime()-begin).Nanoseconds())/float64(b.N)/float64(runs*steps), "cpu-ns/step")
			})
		}
		rollBy := func(b *testing.B, how batch.Integrator, r *batch.Record) {
			for i := range n {
				s.Set(i, p.Initial())
				s.SetForce(i, 0, float64(i)/n)
			}
			require.NoError(b, x.Rollout(s, &batch.Rollout{Integrator: how, Step: h, Steps: steps, Record: r}, out))
		}
		roll := func(b *testing.B, r *batch.Record) { rollBy(b, batch.RungeKutta4, r) }
		end := make([]float64, 12*len(m.Bodies))
		end[3] = 1
		at := func(step, first, n int) {
			for i := first; i < first+n && step == steps; i++ {
				g.AddMotion(i, end)
			}
		}
		measure("way=lanes/of=rollout", n, func(b *testing.B) { roll(b, nil) })
		measure("way=lanes/of=gradient", n, func(b *testing.B) {
			roll(b, record)
			require.NoError(b, x.BackTo(g, record, at))
			require.Empty(b, g.Failed())
		})
		r, err := learn.New(p, m, learn.Options{
			Forces: []mechanism.Freedom{{Joint: 0}}, Observe: []string{m.Bodies[0].Name + ".px"}, Step: h, Hold: 5, Acts: steps / 5,
		})
		require.NoError(b, err)
		measure("way=lanes-semi-implicit/of=rollout", n, func(b *testing.B) { rollBy(b, batch.SemiImplicit, nil) })
		measure("way=lanes-semi-implicit/of=gradient", n, func(b *testing.B) {
			rollBy(b, batch.SemiImplicit, record)
			require.NoError(b, x.BackTo(g, record, at))
			require.Empty(b, g.Failed())
		})
		lanes, err := learn.New(p, m, learn.Options{
			Forces: []mechanism.Freedom{{Joint: 0}}, Observe: []string{m.Bodies[0].Name + ".px"}, Step: h, Hold: 5, Acts: steps / 5, Lanes: true,
		})
		require.NoError(b, err)
		all, laws, results := make([]*mechanism.State, n), make([]learn.Law, n), make([]learn.Result, n)
		for i := range n {
			all[i], laws[i] = p.Initial(), &idle{steps / 5}
		}
		measure("way=learn-in-lanes/of=rollout", n, func(b *testing.B) {
			require.NoError(b, lanes.Costs(b.Context(), all, laws, results))
			require.NoError(b, results[n-1].Err)
		})
		measure("way=learn-in-lanes/of=gradient", n, func(b *testing.B) {
			require.NoError(b, lanes.Gradients(b.Context(), all, laws, results))
			require.NoError(b, results[n-1].Err)
		})
		one, result := []*mechanism.State{p.Initial()}, make([]learn.Result, 1)
		measure("way=learn/of=rollout", 1, func(b *testing.B) {
			require.NoError(b, r.Costs(b.Context(), one, []learn.Law{&idle{steps / 5}}, result))
			require.NoError(b, result[0].Err)
		})
		measure("way=learn/of=gradient", 1, func(b *testing.B) {
			require.NoError(b, r.Gradients(b.Context(), one, []learn.Law{&idle{steps / 5}}, result))
			require.NoError(b, result[0].Err)
		})
	}
}
