package objective

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
)

// BenchmarkRuns times runs alone, and runs with the gradient of one term by three numbers.
func BenchmarkRuns(b *testing.B) {
	made := func(m *model.Model, err error) *model.Model {
		require.NoError(b, err)
		return m
	}
	for _, m := range []*model.Model{
		made(bench.NFourBar(1, 0.4, 1)), made(bench.NFourBar(40, 0.4, 1)), made(bench.Ladder(100, 1)),
	} {
		var text bytes.Buffer
		require.NoError(b, model.Write(&text, m))
		for _, o := range []runs.Options{
			{Until: 0.1, Step: 0.001, Integrator: runs.GeneralizedAlpha}, {Until: 0.1, Step: 0.001, Integrator: runs.RungeKutta4},
			{Until: 0.1, Step: 0.001, Integrator: runs.Rattle},
		} {
			last := m.Bodies[len(m.Bodies)-1].Name
			p := &Objective{At: AtRun, Run: o, Terms: []Term{{Name: "x", Column: last + ".px", Weight: 1, Power: 1}}}
			for _, path := range []string{"bodies[0].mass", "gravity[1]", "bodies[1].mass"} {
				p.Parameters = append(p.Parameters, Parameter{Name: path, Paths: []string{path}})
			}
			g, err := NewProblem(p, "o.json", Source{Text: text.Bytes(), Name: "m.json"})
			require.NoError(b, err)
			name := "/model=" + m.Name + "/integrator=" + o.Integrator.String()
			b.Run("what=run"+name, func(b *testing.B) {
				for b.Loop() {
					o := o
					s, err := runs.New(g.plan, o)
					require.NoError(b, err)
					require.NoError(b, s.Run(o.Until))
				}
			})
			b.Run("what=gradient"+name, func(b *testing.B) {
				for b.Loop() {
					_, err := g.Gradient(context.Background())
					require.NoError(b, err)
				}
			})
		}
	}
}
