package derive_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// benchmarked is a mechanism with the directions of BenchmarkDerivatives.
type benchmarked struct {
	d       *derive.Derivatives
	solver  *kkt.Solver
	st      *mechanism.State
	moving  *derive.Directions // all bodies move as the joints allow
	pushed  *derive.Directions // loads alone
	eight   *derive.Directions
	out     *derive.Changes
	outs    *derive.Changes
	weights *derive.Weights
	g       *derive.Gradient
	list    []derive.BodyDirection
}

// newBenchmarked makes the directions of a mechanism. Poses change along the velocities that a random load causes.
func newBenchmarked(b *testing.B, family string, n int) *benchmarked {
	b.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(b, err)
	mech, err := mechanism.New(m)
	require.NoError(b, err)
	plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
	x := &benchmarked{d: derive.New(plan, m), solver: plan.NewSolver(), st: plan.Initial()}
	d := x.d
	require.NoError(b, d.At(x.st))
	x.moving, x.pushed, x.eight = d.NewDirections(1), d.NewDirections(1), d.NewDirections(8)
	x.out, x.outs, x.weights, x.g = d.NewChanges(1), d.NewChanges(8), d.NewWeights(), d.NewGradient()
	x.list = make([]derive.BodyDirection, mech.NumBodies())
	x.pushed.Body(0, 0).Force = spatial.Vec3{1, 2, 3}
	x.weights.Body(0).ComAcceleration = spatial.Vec3{1, 2, 3}
	// A direction after following is one that the joints allow.
	given := d.NewDirections(1)
	given.SetFollow(0, true)
	for i := range mech.NumBodies() {
		y := float64(i%7) - 3
		*given.Body(0, i) = derive.BodyDirection{Rotation: spatial.Vec3{y, 1, 2}, Position: spatial.Vec3{1, y, 0}, Angular: spatial.Vec3{y, y, 1}}
	}
	require.NoError(b, d.ForwardTo(x.out, given, derive.Options{BodiesOnly: true, Untried: true}))
	for i := range mech.NumBodies() {
		c := x.out.Body(0, i)
		u := derive.BodyDirection{Rotation: c.Rotation, Position: c.Position, Angular: c.Angular, Linear: c.Linear}
		*x.moving.Body(0, i) = u
		for k := range 8 {
			*x.eight.Body(k, i) = u
		}
	}
	return x
}

// BenchmarkDerivatives reports the cost of derivatives as multiples (x/solve) of an evaluation (kkt.Solver.Solve), which is timed beside
// them on one thread: of a direction that moves all bodies, of the same with reactions, of each of eight directions, and of the gradient of
// one acceleration, by states, loads, numbers of bodies and frames or by numbers of bodies only. RUNG_MORE=1 includes a million bodies.
func BenchmarkDerivatives(b *testing.B) {
	type family struct {
		name string
		n    int
	}
	cases := []family{{"nfourbar", 1}, {"nfourbar", 1000}, {"stewart", 1}, {"chain", 1000}, {"grid", 30}, {"ladder", 1000}, {"ladder", 10000}}
	if check.More() > 1 {
		cases = append(cases, family{"grid", 100}, family{"ladder", 1000000})
	}
	for _, c := range cases {
		x := newBenchmarked(b, c.name, c.n)
		d, bodies := x.d, derive.Options{BodiesOnly: true, Untried: true}
		for _, y := range []struct {
			name  string
			parts float64
			run   func() error
		}{
			{"at", 1, func() error { return d.At(x.st) }},
			{"load", 1, func() error { return d.ForwardTo(x.out, x.pushed, bodies) }},
			{"direction", 1, func() error { return d.ForwardTo(x.out, x.moving, bodies) }},
			{"reactions", 1, func() error { return d.ForwardTo(x.out, x.moving, derive.Options{Untried: true, NoReactions: true}) }},
			{"eight", 8, func() error { return d.ForwardTo(x.outs, x.eight, bodies) }},
			{"adjoint", 1, func() error { return d.AdjointTo(x.g, x.weights, derive.Options{}) }},
			{"bodies", 1, func() error { return d.BodiesTo(x.list, x.weights) }},
		} {
			b.Run(fmt.Sprintf("model=%s/n=%d/what=%s", c.name, c.n, y.name), func(b *testing.B) {
				b.ReportAllocs()
				alternate(b, func() error { return x.solver.Solve(x.st) }, y.run, y.parts)
			})
		}
	}
}

// alternate times an evaluation and a derivative of n parts by turns, and reports the ratio of their least times.
func alternate(b *testing.B, solve, run func() error, parts float64) {
	b.Helper()
	least := [2]float64{}
	for b.Loop() {
		for k, f := range [2]func() error{solve, run} {
			start := b.Elapsed()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			if t := float64(b.Elapsed() - start); least[k] == 0 || t < least[k] {
				least[k] = t
			}
		}
	}
	b.ReportMetric(least[1]/least[0]/parts, "x/solve")
	b.ReportMetric(least[0], "ns/solve")
}

// BenchmarkStateSpace computes all of A in given coordinates, with the evaluation, as multiples (x/solve) of an evaluation that is timed
// beside it.
func BenchmarkStateSpace(b *testing.B) {
	for _, c := range []struct {
		family string
		n      int
		all    bool // all freedoms of the first joints are coordinates, else only the freedom of the first one
	}{{"chain", 5, true}, {"chain", 20, true}, {"chain", 100, true}, {"nfourbar", 1, false}, {"nfourbar", 40, false}, {"stewart", 1, false}} {
		b.Run(fmt.Sprintf("model=%s/n=%d", c.family, c.n), func(b *testing.B) {
			m, err := bench.Generate(c.family, c.n, 1)
			require.NoError(b, err)
			mech, err := mechanism.New(m)
			require.NoError(b, err)
			plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
			d, solver, st := derive.New(plan, m), plan.NewSolver(), plan.Initial()
			o := derive.StateSpaceOptions{Coordinates: []mechanism.Freedom{{}}}
			if c.family == "stewart" {
				o.Coordinates = nil
			}
			for j := 1; c.all && j < c.n; j++ {
				o.Coordinates = append(o.Coordinates, mechanism.Freedom{Joint: j})
			}
			b.ReportAllocs()
			alternate(b, func() error { return solver.Solve(st) }, func() error {
				if err := d.At(st); err != nil {
					return err
				}
				_, err := d.StateSpace(o)
				return err
			}, 1)
		})
	}
}
