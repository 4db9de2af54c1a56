package derive_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// BenchmarkDerivatives compares a direction and a gradient with an evaluation (kkt.Solver.Solve).
func BenchmarkDerivatives(b *testing.B) {
	for _, x := range []struct {
		family string
		n      int
	}{{"nfourbar", 1}, {"stewart", 1}, {"ladder", 1000}, {"chain", 1000}} {
		m, err := bench.Generate(x.family, x.n, 1)
		require.NoError(b, err)
		mech, err := mechanism.New(m)
		require.NoError(b, err)
		plan := kkt.NewPlan(mech, kkt.Options{})
		st, s, d := plan.Initial(), plan.NewSolver(), derive.New(plan, m)
		require.NoError(b, d.At(st))
		in, out, g, w := d.NewDirections(1), d.NewChanges(1), d.NewGradient(), d.NewWeights()
		in.Body(0, 0).Force = spatial.Vec3{1, 2, 3}
		w.Body(0).ComAcceleration = spatial.Vec3{1, 2, 3}
		list := make([]derive.BodyDirection, mech.NumBodies())
		o := derive.Options{NoReactions: true}
		all := d.NewDirections(1) // of poses and velocities of all bodies
		all.SetFollow(0, true)
		for i := range mech.NumBodies() {
			x := float64(i%7) - 3
			*all.Body(0, i) = derive.BodyDirection{Rotation: spatial.Vec3{x, 1, 2}, Position: spatial.Vec3{1, x, 0}, Angular: spatial.Vec3{x, x, 1}}
		}
		for _, y := range []struct {
			name string
			run  func() error
		}{
			{"solve", func() error { return s.Solve(st) }}, {"at", func() error { return d.At(st) }},
			{"forward", func() error { return d.ForwardTo(out, in, o) }},
			{"following", func() error { return d.ForwardTo(out, all, derive.Options{BodiesOnly: true}) }},
			{"accelerations", func() error { return d.ForwardTo(out, in, derive.Options{BodiesOnly: true}) }}, {"adjoint", func() error { return d.AdjointTo(g, w, false) }},
			{"bodies", func() error { return d.BodiesTo(list, w) }},
		} {
			b.Run(fmt.Sprintf("model=%s/n=%d/what=%s", x.family, x.n, y.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := y.run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
