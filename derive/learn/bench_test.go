package learn_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive/learn"
	"github.com/rung-mbd/rung/mechanism"
)

// BenchmarkRollouts is a run of a four-bar of a hundred steps with fifty acts, with and without its gradient.
func BenchmarkRollouts(b *testing.B) {
	m, err := bench.NFourBar(1, 0.4, 1)
	require.NoError(b, err)
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(b, err)
	const acts = 50
	r, err := learn.New(plan, m, learn.Options{
		Forces: []mechanism.Freedom{{Joint: 0}}, Observe: []string{"joint.g0.q", "joint.g0.qd"}, Step: 2e-3, Hold: 2, Acts: acts,
	})
	require.NoError(b, err)
	starts, out := []*mechanism.State{plan.Initial()}, make([]learn.Result, 1)
	for name, roll := range map[string]func(context.Context, []*mechanism.State, []learn.Law, []learn.Result) error{
		"of=costs": r.Costs, "of=gradients": r.Gradients,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l := &linear{A: []float64{0.1, 0.2}, slope: make([]float64, 2), acts: acts}
				if err := roll(context.Background(), starts, []learn.Law{l}, out); err != nil || out[0].Err != nil {
					b.Fatal(err, out[0].Err)
				}
			}
		})
	}
}
