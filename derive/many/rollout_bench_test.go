package many_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive/learn"
	"github.com/rung-mbd/rung/derive/many"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// idle sets no force, and costs what it sees of the end.
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

// BenchmarkRollouts tells what a step of a state takes on one thread: in lanes and by package learn, with and without gradient.
func BenchmarkRollouts(b *testing.B) {
	stewart, err := bench.Generate("stewart", 1, 1)
	require.NoError(b, err)
	const n, steps, h = 256, 50, 2e-3
	for name, m := range map[string]*model.Model{"four-bar": referenceOf(b, "four-bar"), "stewart": stewart} {
		p := planOf(b, m)
		x, err := many.New(p, m, batch.Options{Forces: []mechanism.Freedom{{Joint: 0}}})
		require.NoError(b, err)
		s, g, out, record := x.NewStates(n), x.NewGradients(n), x.NewOutcome(n), x.NewRecord(n, steps)
		report := func(b *testing.B, runs int) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(runs*steps), "ns/step")
		}
		roll := func(b *testing.B, r *batch.Record) {
			for i := range n {
				s.Set(i, p.Initial())
				s.SetForce(i, 0, float64(i)/n)
			}
			require.NoError(b, x.Rollout(s, &batch.Rollout{Step: h, Steps: steps, Record: r}, out))
		}
		end := make([]float64, 12*len(m.Bodies))
		end[3] = 1
		b.Run("model="+name+"/way=lanes/of=rollout", func(b *testing.B) {
			for b.Loop() {
				roll(b, nil)
			}
			report(b, n)
		})
		b.Run("model="+name+"/way=lanes/of=gradient", func(b *testing.B) {
			for b.Loop() {
				roll(b, record)
				require.NoError(b, x.BackTo(g, record, func(step, first, n int) {
					for i := first; i < first+n && step == steps; i++ {
						g.AddMotion(i, end)
					}
				}))
			}
			require.Empty(b, g.Failed())
			report(b, n)
		})
		r, err := learn.New(p, m, learn.Options{
			Forces: []mechanism.Freedom{{Joint: 0}}, Observe: []string{m.Bodies[0].Name + ".px"}, Step: h, Hold: 1, Acts: steps,
		})
		require.NoError(b, err)
		for what, f := range map[string]func(context.Context, []*mechanism.State, []learn.Law, []learn.Result) error{
			"rollout": r.Costs, "gradient": r.Gradients,
		} {
			b.Run("model="+name+"/way=learn/of="+what, func(b *testing.B) {
				result := make([]learn.Result, 1)
				for b.Loop() {
					require.NoError(b, f(context.Background(), []*mechanism.State{p.Initial()}, []learn.Law{&idle{steps}}, result))
					require.NoError(b, result[0].Err)
				}
				report(b, 1)
			})
		}
	}
}
