package batch_test

import (
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// least returns the least time of many short runs, ns: it is that of an idle machine even where others work on it.
func least(runs int, do func()) float64 {
	best := time.Hour
	for range runs {
		t := time.Now()
		do()
		best = min(best, time.Since(t))
	}
	return float64(best.Nanoseconds())
}

// TestTimes logs the table of docs/benchmarks.md: a state in a batch of 1024 beside kkt.Solver, and a step of a rollout.
func TestTimes(t *testing.T) {
	if os.Getenv("RUNG_BATCH_TIMES") == "" {
		t.Skip("RUNG_BATCH_TIMES is not set")
	}
	plans := references(t)
	plans["walker"], plans["gripper"] = walker(t), gripper(t)
	const n = 1024
	names := []string{"four-bar", "bricard-6r", "a03-andrews-ivp", "stewart-6ups", "walker", "gripper"}
	for family, n := range map[string]int{"scissor": 10, "hoberman": 20, "miura": 3, "excavator": 4, "delta": 4, "jansen": 6} {
		plans[family] = member(t, family, n)
		names = append(names, family)
	}
	slices.Sort(names[6:])
	for k, name := range names {
		p, reach := plans[name], 0.3
		if k >= 6 { // near their singular poses
			reach = 1e-3
		}
		list := someStates(t, p, 64, 1, reach)
		solver := p.NewSolver()
		var batches [3]*batch.Batch
		var s [3]*batch.States
		var r [3]*batch.Results
		for threads := 1; threads <= 2; threads++ {
			b, err := batch.New(p, batch.Options{Threads: threads})
			require.NoError(t, err)
			batches[threads], s[threads], r[threads] = b, b.NewStates(n), b.NewResults(n)
			for i := range n {
				s[threads].Set(i, list[i%len(list)])
			}
		}
		// In turns, so that what slows the machine for a while slows all of them.
		each := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)} // the solver, one thread, two
		for range 80 {
			each[0] = min(each[0], least(8, func() {
				for _, st := range list {
					if err := solver.Solve(st); err != nil {
						t.Fatal(err)
					}
				}
			})/float64(len(list)))
			for threads := 1; threads <= 2; threads++ {
				each[threads] = min(each[threads], least(4, func() { batches[threads].Solve(s[threads], r[threads]) })/n)
			}
		}
		alone, single := each[0], len(r[2].OneByOne())
		b, err := batch.New(p, batch.Options{})
		require.NoError(t, err)
		var steps [2]float64
		for how := batch.RungeKutta4; how <= batch.SemiImplicit; how++ {
			const n = 32 // short runs
			s, out := b.NewStates(n), b.NewOutcome(n)
			steps[how] = least(400, func() { err = b.Rollout(s, &batch.Rollout{Integrator: how, Step: 1e-5, Steps: 4}, out) }) / n / 4
			require.NoError(t, err)
		}
		// Masses, centres of mass, inertias and frames of all bodies and joints in each state.
		b, err = batch.New(p, batch.Options{Vary: batch.Vary{Bodies: numbers(p.Mechanism().NumBodies()), Joints: numbers(p.Mechanism().NumJoints())}})
		require.NoError(t, err)
		own, found := b.NewStates(n), b.NewResults(n)
		for i := range n {
			own.Set(i, list[i%len(list)])
		}
		varied := least(200, func() { b.Solve(own, found) }) / n
		set := least(200, func() {
			for i := range n {
				mass, com, inertia := own.Body(i, 0)
				_ = own.SetBody(i, 0, mass, com, inertia)
			}
		}) / n
		t.Logf("%s: all masses and frames varied %.0f ns, over none %.2f, one by one %d; Body and SetBody %.0f ns", name, varied, varied/each[1], len(found.OneByOne()), set)
		t.Logf("%s, %s: solver %.0f ns, batch %.0f ns, ratio %.3f, two threads over one %.2f, one by one %d; a step %.0f ns, semi-implicit %.0f",
			name, b.Instructions(), alone, each[1], each[1]/alone, each[2]/each[1], single, steps[0], steps[1])
	}
}

// numbers returns 0 … n−1.
func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// walker returns one of Theo Jansen's legs.
func walker(t testing.TB) *kkt.Plan {
	m, err := bench.Generate("jansen", 1, 1)
	require.NoError(t, err)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p
}

// gripper returns the gripper of examples/gripper: two fingers on parallel linkages, with a soft object between them.
func gripper(t testing.TB) *kkt.Plan {
	const length, width = 0.08, 0.06 // m
	b := build.New("gripper").Gravity(0, 0, -9.81)
	z, up := spatial.Vec3{0, 0, 1}, spatial.Vec3{0, length, 0}
	var tips [2]build.Body
	var motors []*build.Joint
	for i, side := range []float64{-1, 1} {
		name := []string{"left ", "right "}[i]
		p, q := spatial.Vec3{side * 0.03, 0, 0}, spatial.Vec3{side * 0.06, 0, 0}
		crank, follower := b.Rod(name+"crank", 0.02, 0.004, p, p.Add(up)), b.Rod(name+"follower", 0.02, 0.004, q, q.Add(up))
		tips[i] = b.Rod(name+"finger", 0.05, 0.004, p.Add(up), p.Add(up.Scale(1.5)))
		motors = append(motors, b.Revolute(name+"motor", build.World, crank, p, z))
		b.Revolute(name+"base", build.World, follower, q, z)
		b.Revolute(name+"knuckle", crank, tips[i], p.Add(up), z)
		b.Revolute(name+"tail", tips[i], follower, q.Add(up), z)
	}
	for _, j := range motors {
		j.Damping = []float64{0.2}
	}
	tip := spatial.Vec3{width / 2, 1.5 * length, 0}
	b.SpringDamper("object", tips[0], tips[1], spatial.Vec3{-tip[0], tip[1], 0}, tip, build.Spring{Stiffness: 1500, RestLength: width})
	m, err := b.Model()
	require.NoError(t, err)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p
}
