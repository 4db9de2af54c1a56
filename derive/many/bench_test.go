package many_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/many"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// BenchmarkGradients reports the processor time of the gradient of a state on one thread, of 1024 states in lanes and of one by package
// derive.
func BenchmarkGradients(b *testing.B) {
	models := map[string]*model.Model{"four-bar": referenceOf(b, "four-bar")}
	for name, n := range map[string]int{"chain": 6, "ladder": 4, "stewart": 1} {
		m, err := bench.Generate(name, n, 1)
		require.NoError(b, err)
		models[name] = m
	}
	for _, name := range []string{"four-bar", "chain", "ladder", "stewart"} {
		m := models[name]
		p := planOf(b, m)
		const n = 1024
		list := states(b, p, 64, 1, 0.02)
		x, err := many.New(p, m, batch.Options{})
		require.NoError(b, err)
		s, g, r := x.NewStates(n), x.NewGradients(n), x.NewResults(n)
		for i := range n {
			s.Set(i, list[i%len(list)])
			g.SetWeights(i, 0, spatial.Vec3{1, 2, 3}, spatial.Vec3{3, 1, 2})
		}
		measure := func(way string, n int, do func(b *testing.B)) {
			b.Run("model="+name+"/way="+way, func(b *testing.B) {
				begin := machine.ProcessorTime()
				for b.Loop() {
					do(b)
				}
				b.ReportMetric(float64((machine.ProcessorTime()-begin).Nanoseconds())/float64(b.N)/float64(n), "cpu-ns/state")
			})
		}
		measure("lanes", n, func(b *testing.B) { x.AdjointTo(g, s) })
		require.Empty(b, g.OneByOne())
		measure("accelerations", n, func(b *testing.B) { x.Solve(s, r) })
		d, i := derive.New(p, m), 0
		w, out := d.NewWeights(), d.NewGradient()
		*w.Body(0) = derive.BodyWeight{AngularAcceleration: spatial.Vec3{1, 2, 3}, ComAcceleration: spatial.Vec3{3, 1, 2}}
		measure("derive", 1, func(b *testing.B) {
			require.NoError(b, d.At(list[i%len(list)]))
			require.NoError(b, d.AdjointTo(out, w, derive.Options{}))
			i++
		})
	}
}
