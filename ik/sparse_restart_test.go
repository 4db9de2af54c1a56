package ik

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// TestSparseRestarts: of poses that a chain has within its limits, which one start may miss, restarts find nearly all;
// the same seed has the same answer, and limits and joints hold.
func TestSparseRestarts(t *testing.T) {
	const n, tasks, restarts = 6, 60, 40
	rng := rand.New(rand.NewPCG(3, 3))
	once, missed := 0, 0
	for k := range tasks {
		a, x, y := 0.0, 0.0, 0.0
		for range n {
			a += 1.4 * (2*rng.Float64() - 1)
			x, y = x+math.Cos(a)/n, y+math.Sin(a)/n
		}
		g := tipAt(n, x, y)
		g.Type, g.Orientation, g.Weight = PoseTarget, [4]float64{math.Cos(a / 2), 0, 0, math.Sin(a / 2)}, []float64{0, 0, 1, 1, 1, 0}
		task := limited(n, -1.4, 1.4, g)
		r, _ := sparsely(t, chainModel(n, 0.1), task)
		if r.Status == Reached {
			continue
		}
		once++
		task.Solver.Restarts, task.Solver.Seed = restarts, 5
		s, st := sparseOf(t, chainModel(n, 0.1), task)
		from := st.Clone()
		r, _ = s.Reach(st)
		requireInside(t, s.p, r, fmt.Sprint("task ", k))
		require.Positive(t, r.Restarts)
		if r.Status != Reached {
			missed++
		}
		restarts, steps := r.Restarts, r.Steps
		r, _ = s.Reach(from)
		require.Equal(t, st, from)
		require.Equal(t, restarts, r.Restarts)
		require.Equal(t, steps, r.Steps)
	}
	t.Logf("%d of %d are missed by one start, %d with restarts", once, tasks, missed)
	require.Positive(t, once)
	require.Zero(t, missed)
}

// TestSparseRestartsKeepBest: out of reach the best of all starts is
// the nearest pose, whatever the start; nothing is allocated.
func TestSparseRestartsKeepBest(t *testing.T) {
	task := limited(4, -0.5, 0.5, tipAt(4, -0.3, 0.2))
	one, _ := sparsely(t, chainModel(4, 0.1), task)
	first := one.Targets[0].Linear
	task.Solver.Restarts = 10
	s, st := sparseOf(t, chainModel(4, 0.1), task)
	from := st.Clone()
	r, err := s.Reach(st)
	require.ErrorIs(t, err, ErrUnreached)
	require.Equal(t, 10, r.Restarts)
	require.LessOrEqual(t, r.Targets[0].Linear, first)
	require.Equal(t, AgainstLimit, r.Status)
	require.Zero(t, testing.AllocsPerRun(2, func() {
		copy(st.Bodies, from.Bodies)
		_, _ = s.Reach(st)
	}))
}

// TestSparseRestartsLoops: starts at random have their loops closed.
func TestSparseRestartsLoops(t *testing.T) {
	m, err := bench.Generate("scissor", 5, 1)
	require.NoError(t, err)
	body := len(m.Bodies) - 1
	at := spatial.Vec3(m.Bodies[body].Pose.Position).Add(spatial.Vec3{50, 50})
	r, _ := sparsely(t, m, Task{
		Targets: []Target{{Name: "far", Type: Point, Body: m.Bodies[body].Name, Position: at}}, Solver: Options{Restarts: 4},
	})
	require.Equal(t, 4, r.Restarts)
	require.LessOrEqual(t, r.ClosingError, 1e-11)
}

// TestSparseTrackRates: with largest rates the tip falls behind, as
// with the dense engines, or time is stretched by as much.
func TestSparseTrackRates(t *testing.T) {
	const n, most = 5, 6.0
	for _, stretch := range []bool{false, true} {
		task := Task{Targets: []Target{tipAt(n, 0.6, 0.2)}, Path: circlePath(true), Solver: Options{Nearest: true}}
		task.Path.Stretch, task.Path.Step = stretch, 5e-3
		for k := range n {
			l := NoLimit(fmt.Sprintf("j%d", k))
			l.Rate = most
			task.Limits = append(task.Limits, l)
		}
		type sample struct {
			time, off float64
			q         []float64
		}
		run := func(method Method) (list []sample) {
			task.Solver.Method = method
			s := testSolver(t, testProblem(t, mustPlan(t, chainModel(n, 0.3)), &task), task.Solver)
			require.NoError(t, s.Track(context.Background(), s.p.plan.Initial(), func(now float64, _ *mechanism.State, r *Result) error {
				v := sample{time: now, off: r.Targets[0].Linear}
				for _, d := range r.Driven {
					v.q = append(v.q, d.Value)
					if stretch {
						require.LessOrEqual(t, math.Abs(d.Rate), most*(1+1e-9))
					}
				}
				list = append(list, v)
				return nil
			}))
			return list
		}
		got, want := run(Sparse), run(DLS)
		require.Len(t, got, len(want))
		behind := 0.0
		for k := 1; k < len(got); k++ {
			dt := got[k].time - got[k-1].time
			for i, q := range got[k].q {
				require.LessOrEqual(t, math.Abs(q-got[k-1].q[i]), most*dt*(1+1e-9)+1e-8, "sample %d", k)
			}
			behind = max(behind, got[k].off)
		}
		if stretch {
			require.LessOrEqual(t, behind, 1e-9)
			require.Greater(t, got[len(got)-1].time, 0.26)
		} else {
			require.Greater(t, behind, 1e-3)
			require.InDelta(t, 0.25, got[len(got)-1].time, 1e-12)
		}
	}
}

// TestSparsePlaces: the status of each level belongs to the pose that is kept, as do the turns of targets.
func TestSparsePlaces(t *testing.T) {
	plan := testPlan(t, fourBar())
	b, err := plan.Mechanism().JointIndex("b")
	require.NoError(t, err)
	s := sparseIn(testSolver(t, testProblem(t, plan, &Task{
		Driven:  []string{"a"},
		Targets: []Target{{Name: "q", Type: Coordinate, Freedom: "b", Turns: true}},
	}), Options{Method: Sparse, Restarts: 3}))
	require.Len(t, s.turned, 1)
	s.ends[0], s.turned[0] = Reached, 7
	s.keep()
	s.ends[0], s.turned[0] = Stuck, 0
	s.returnTo(s.best)
	require.Equal(t, Reached, s.ends[0])
	require.InDelta(t, algebra.NearTurn(coordinate(s.mech, mechanism.Freedom{Joint: b}, s.kin, s.st), 7), s.turned[0], 1e-12)
	require.Greater(t, s.turned[0], math.Pi)
}
