package ik

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// chainModel is an arm of n links in the plane, of the length 1 together,
// each turned by bend against the one before, to alternating sides.
func chainModel(n int, bend float64) *model.Model {
	m := &model.Model{Name: "chain"}
	up := model.World
	at := [2]float64{}
	angle, l := 0.0, 1/float64(n)
	for k := range n {
		turn := bend
		if k%2 == 1 {
			turn = -bend
		}
		angle += turn
		s, c := math.Sincos(angle)
		name := fmt.Sprintf("b%d", k)
		m.Bodies = append(m.Bodies, model.Body{
			Name: name, Mass: 1, Com: [3]float64{l / 2}, Inertia: model.Inertia{XX: 0.01 * l * l, YY: 0.09 * l * l, ZZ: 0.09 * l * l},
			Pose: model.Pose{Position: [3]float64{at[0], at[1]}, Orientation: [4]float64{math.Cos(angle / 2), 0, 0, math.Sin(angle / 2)}},
		})
		j := model.Joint{Name: fmt.Sprintf("j%d", k), Type: model.Revolute, Predecessor: up, Successor: name}
		if k > 0 {
			j.PredecessorFrame.Position = [3]float64{l}
		}
		m.Joints = append(m.Joints, j)
		up = name
		at[0], at[1] = at[0]+l*c, at[1]+l*s
	}
	return m
}

// tipAt is a target for the tip of the last of n links.
func tipAt(n int, x, y float64) Target {
	return Target{
		Name: "tip", Type: Point, Body: fmt.Sprintf("b%d", n-1), Frame: model.Pose{Position: [3]float64{1 / float64(n)}},
		Position: [3]float64{x, y}, Weight: []float64{1, 1, 0}, Tolerance: [2]float64{1e-10, 1e-10},
	}
}

// sparseOf is a solver of a task by the sparse method, and the state of the model.
func sparseOf(t testing.TB, m *model.Model, task Task) (*Solver, *mechanism.State) {
	t.Helper()
	task.Solver.Method = Sparse
	plan := mustPlan(t, m)
	p, err := NewProblem(plan, &task)
	require.NoError(t, err)
	s, err := p.NewSolver(task.Solver)
	require.NoError(t, err)
	return s, plan.Initial()
}

// sparsely solves a task by the sparse method. It checks that the joints hold.
func sparsely(t testing.TB, m *model.Model, task Task) (*Result, *mechanism.State) {
	t.Helper()
	s, st := sparseOf(t, m, task)
	r, err := s.Reach(st)
	if err != nil {
		require.ErrorIs(t, err, ErrUnreached)
	}
	mech := s.p.plan.Mechanism()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	for j := range mech.Joints {
		off, _ := mech.Residuals(j, k, st)
		require.LessOrEqual(t, off, 1e-12, "joint %s", mech.JointName(j))
	}
	return r, st
}

// TestSparseChains: a chain reaches far points in as many steps for any number of links.
func TestSparseChains(t *testing.T) {
	check.Long(t)
	const mostSteps, moreSteps = 15, 4
	sizes := []int{10, 100, 1000, 10000, 100000}
	for _, bend := range []float64{0.3, 1.2} {
		for i, at := range [][2]float64{{0.5, 0.3}, {-0.5, 0.3}, {0.1, 0}, {0.8, 0.2}, {-0.9, 0}} {
			steps := 0
			for _, n := range sizes {
				if n > 1000 && (i > 0 || bend > 0.3) || n > 10000 && check.More() == 1 {
					continue // one target is enough for the longest chains
				}
				r, _ := sparsely(t, chainModel(n, bend), Task{Targets: []Target{tipAt(n, at[0], at[1])}})
				name := fmt.Sprintf("%d links, bent by %v, to %v", n, bend, at)
				require.Equal(t, Reached, r.Status, name)
				require.LessOrEqual(t, r.Targets[0].Linear, 1e-10, name)
				require.LessOrEqual(t, r.Steps, mostSteps, name)
				if n == sizes[0] {
					steps = r.Steps
				}
				require.LessOrEqual(t, r.Steps, steps+moreSteps, name)
			}
		}
	}
}

// TestSparseMetrics: the other metrics reach the same point.
func TestSparseMetrics(t *testing.T) {
	for _, metric := range []Metric{Turns, Joints, Inertia} {
		r, _ := sparsely(t, chainModel(12, 0.3), Task{Targets: []Target{tipAt(12, 0.5, 0.3)}, Solver: Options{Metric: metric}})
		require.Equal(t, Reached, r.Status, metric.String())
	}
}

// TestSparseOutOfReach: the nearest pose is the straight chain towards the target.
func TestSparseOutOfReach(t *testing.T) {
	check.Long(t)
	for _, n := range []int{2, 5, 100, 1000} {
		r, st := sparsely(t, chainModel(n, 0.3), Task{Targets: []Target{tipAt(n, 1.2, 0.5)}})
		require.Equal(t, Nearest, r.Status)
		require.InDelta(t, 0.3, r.Targets[0].Linear, 1e-10)
		require.False(t, r.Targets[0].Reached)
		last := &st.Bodies[n-1]
		require.InDelta(t, math.Atan2(0.5, 1.2), 2*math.Atan2(last.Rotation[3], last.Rotation[0]), 1e-4) // an error of θ² in the distance
	}
}

// TestSparseSaddle: a straight arm whose target is straight inwards folds, after a kick.
func TestSparseSaddle(t *testing.T) {
	for _, n := range []int{2, 5, 300} {
		r, _ := sparsely(t, chainModel(n, 0), Task{Targets: []Target{tipAt(n, 0.6, 0)}})
		require.Equal(t, Reached, r.Status)
	}
}

// TestSparseConflict: targets that contradict each other are named, and met half-way.
func TestSparseConflict(t *testing.T) {
	for _, n := range []int{2, 5, 300} {
		a, b := tipAt(n, 0.6, 0.1), tipAt(n, 0.4, 0.1)
		b.Name = "other"
		r, _ := sparsely(t, chainModel(n, 0.2), Task{Targets: []Target{a, b}})
		require.Equal(t, Conflicting, r.Status)
		require.Len(t, r.Conflicts, 4)
		for i, want := range []float64{0.1, 0, -0.1, 0} {
			require.Equal(t, r.Targets[i/2].Name, r.Conflicts[i].Target)
			require.Equal(t, i%2, r.Conflicts[i].Row)
			require.InDelta(t, want, r.Conflicts[i].Residual, 1e-10)
		}
	}
}

// TestSparseLevels: a level that cannot be reached does not change the levels before it.
func TestSparseLevels(t *testing.T) {
	const n = 5
	far := tipAt(n, 1.5, 1)
	far.Name, far.Priority = "far", 1
	r, _ := sparsely(t, chainModel(n, 0.3), Task{Targets: []Target{tipAt(n, 0.5, 0.1), far}})
	require.Equal(t, Nearest, r.Status)
	require.LessOrEqual(t, r.Targets[0].Linear, 1e-10)
	require.InDelta(t, math.Hypot(1, 0.9), r.Targets[1].Linear, 1e-10)

	// The other way round the chain is straight towards the far point.
	near := tipAt(n, 0.5, 0.1)
	near.Priority, far.Priority = 1, 0
	r, _ = sparsely(t, chainModel(n, 0.3), Task{Targets: []Target{near, far}})
	require.InDelta(t, math.Hypot(1.5, 1)-1, r.Targets[1].Linear, 1e-10)
	require.Equal(t, 1, r.Targets[0].Priority)
}

// TestSparseCom: the centre of mass, alone and with a point before or after it.
func TestSparseCom(t *testing.T) {
	com := Target{Name: "com", Type: Com, Position: [3]float64{0.2, 0.3}, Weight: []float64{1, 1, 0}}
	for _, n := range []int{3, 40} {
		r, st := sparsely(t, chainModel(n, 0.3), Task{Targets: []Target{com}})
		require.Equal(t, Reached, r.Status)
		var x, y float64
		for i := range st.Bodies {
			b := &st.Bodies[i]
			p := b.Position.Add(b.Rotation.Rotate([3]float64{0.5 / float64(n)}))
			x, y = x+p[0]/float64(n), y+p[1]/float64(n)
		}
		require.InDelta(t, 0.2, x, 1e-10)
		require.InDelta(t, 0.3, y, 1e-10)
	}
	both := Task{Targets: []Target{tipAt(40, 0.3, 0.6), com}}
	r, _ := sparsely(t, chainModel(40, 0.3), both)
	require.Equal(t, Reached, r.Status)
	both.Targets[1].Position = [3]float64{0.6, -0.3} // out of reach with the tip where it is
	both.Targets[1].Priority = 1
	r, _ = sparsely(t, chainModel(40, 0.3), both)
	require.Equal(t, Nearest, r.Status)
	require.LessOrEqual(t, r.Targets[0].Linear, 1e-10)
	both.Targets[1].Position = [3]float64{0.2, -0.3}
	both.Targets[0].Priority, both.Targets[1].Priority = 1, 0
	r, _ = sparsely(t, chainModel(40, 0.3), both)
	require.True(t, r.Targets[1].Reached)
}

// TestSparseHeld: held freedoms keep their coordinates, prescribed ones their motions.
func TestSparseHeld(t *testing.T) {
	m := chainModel(6, 0.3)
	s, st := sparseOf(t, m, Task{Hold: []string{"j1", "j4"}, Targets: []Target{tipAt(6, 0.4, 0.3)}})
	mech := s.p.plan.Mechanism()
	k := mech.NewKinematics()
	angles := func() (q [6]float64) {
		require.NoError(t, mech.KinematicsTo(k, st))
		for j := range q {
			q[j] = coordinate(mech, mechanism.Freedom{Joint: j}, k, st)
		}
		return q
	}
	before := angles()
	r, err := s.Reach(st)
	require.NoError(t, err)
	require.Equal(t, Reached, r.Status)
	after := angles()
	require.Len(t, r.Driven, 4)
	for j, x := range after {
		if j == 1 || j == 4 {
			require.InDelta(t, before[j], x, 1e-14)
		} else {
			require.Greater(t, math.Abs(before[j]-x), 1e-3)
		}
	}
}

// TestSparsePosture: the posture comes last, and does not disturb the targets.
func TestSparsePosture(t *testing.T) {
	task := Task{Targets: []Target{tipAt(3, 0.5, 0.3)}, Posture: &Posture{Gain: 1, Values: []Coordinated{{Freedom: "j0", Value: 1.2}}}}
	r, _ := sparsely(t, chainModel(3, 0.3), task)
	require.Equal(t, Reached, r.Status)
	require.LessOrEqual(t, r.Targets[0].Linear, 1e-10)
	require.InDelta(t, 1.2, r.Driven[0].Value, 1e-9)
}

// TestSparseBits: the same task has the same bits again and for any number of threads.
//
//rung:race
func TestSparseBits(t *testing.T) {
	n := check.Few(3000, 1000)
	m := chainModel(n, 0.3)
	task := Task{Targets: []Target{tipAt(n, -0.5, 0.3)}}
	s, first := sparseOf(t, m, task)
	from := first.Clone()
	r, err := s.Reach(first)
	require.NoError(t, err)
	steps := r.Steps
	again := from.Clone()
	_, err = s.Reach(again)
	require.NoError(t, err)
	require.Equal(t, first, again)
	task.Solver.Threads = 2
	s, other := sparseOf(t, m, task)
	r, err = s.Reach(other)
	require.NoError(t, err)
	require.Equal(t, steps, r.Steps)
	require.Equal(t, first.Bodies, other.Bodies)
}

// TestSparseDoesNotAllocate: a call allocates what watches a context at most, whatever the number of steps.
func TestSparseDoesNotAllocate(t *testing.T) {
	com := Target{Name: "com", Type: Com, Position: [3]float64{0.2, 0.2}, Weight: []float64{1, 1, 0}, Priority: 1}
	task := Task{Targets: []Target{tipAt(20, 0.4, 0.3), com}, Limits: []Limit{{Freedom: "j3", Lower: -0.4, Upper: 0.4}}}
	s, from := sparseOf(t, chainModel(20, 0.3), task)
	st := from.Clone()
	require.Zero(t, testing.AllocsPerRun(5, func() {
		copy(st.Bodies, from.Bodies)
		if _, err := s.Reach(st); err != nil && !errors.Is(err, ErrUnreached) {
			t.Error(err)
		}
	}))
}

// TestSparseEnds: when the context ends, the state stays as it was; when the largest number of steps is reached, the status says so.
func TestSparseContext(t *testing.T) {
	n := check.Few(20000, 10000)
	s, st := sparseOf(t, chainModel(n, 0.3), Task{Targets: []Target{tipAt(n, -0.5, 0.3)}})
	from := st.Clone()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	_, err := s.ReachContext(ctx, st)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, from, st)
	sparseIn(s).most = 2
	r, err := s.Reach(st)
	require.ErrorIs(t, err, ErrUnreached)
	require.Equal(t, OutOfSteps, r.Status)
	require.Equal(t, 2, r.Steps)
}

// TestSparseMethods: options that the sparse method does not have are refused.
func TestSparseMethods(t *testing.T) {
	p, err := NewProblem(mustPlan(t, chainModel(3, 0.3)), &Task{Targets: []Target{tipAt(3, 0.5, 0.3)}})
	require.NoError(t, err)
	for _, o := range []Options{{Method: DLS, Engine: SparseEngine}, {Method: Sparse, Engine: TreeEngine}, {Method: Sparse, All: true}} {
		_, err := p.NewSolver(o)
		require.ErrorIs(t, err, ErrEngine)
	}
	s, err := p.NewSolver(Options{Method: Sparse})
	require.NoError(t, err)
	r, err := s.Reach(p.plan.Initial())
	require.NoError(t, err)
	require.Equal(t, Sparse, r.Method)
	require.Equal(t, SparseEngine, r.Engine)
	require.Equal(t, NotComputed, r.Rank)
}

func BenchmarkSparseChain(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, from := sparseOf(b, chainModel(n, 0.3), Task{Targets: []Target{tipAt(n, -0.5, 0.3)}})
			st, steps := from.Clone(), 0
			_, err := s.Reach(st) // takes hold of the memory
			require.NoError(b, err)
			for b.Loop() {
				copy(st.Bodies, from.Bodies)
				r, err := s.Reach(st)
				require.NoError(b, err)
				steps += r.Steps
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps*n), "ns/link/step")
			b.ReportMetric(float64(steps)/float64(b.N), "steps")
		})
	}
}

// TestSparseTrack follows a circle with the tip of a chain, met at
// every sample, with rates that are those of differences.
func TestSparseTrack(t *testing.T) {
	const n = 30
	s, st := sparseOf(t, chainModel(n, 0.3), Task{Targets: []Target{tipAt(n, 0.6, 0.2)}, Path: circlePath(true)})
	var before []float64
	samples := 0
	require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
		samples++
		require.Equal(t, Reached, r.Status)
		checkCircle(t, now, &st.Bodies[n-1], n)
		q := make([]float64, 2*n)
		for i, d := range r.Driven {
			q[i], q[n+i] = d.Value, d.Rate
			if before != nil {
				require.InDelta(t, (d.Value-before[i])/1e-3, (d.Rate+before[n+i])/2, 5e-3, "%s at %v", d.Joint, now)
			}
		}
		before = q
		return nil
	}))
	require.Equal(t, 251, samples)
	s, st = sparseOf(t, chainModel(n, 0.3), Task{Targets: []Target{tipAt(n, 0.6, 0.2)}, Path: circlePath(false)})
	require.ErrorIs(t, s.Track(context.Background(), st, nil), ErrEngine)
}

// circlePath is a circle of the tip in 0.25 s.
func circlePath(exact bool) *Path {
	const points = 33
	path := &Path{Spline: true, Exact: exact, Step: 1e-3}
	way := Waypoints{Target: "tip"}
	for i := range points {
		a := 2 * math.Pi * float64(i) / (points - 1)
		path.Times = append(path.Times, 0.25*float64(i)/(points-1))
		way.Position = append(way.Position, [3]float64{0.5 + 0.1*math.Cos(a), 0.2 + 0.1*math.Sin(a)})
	}
	path.Targets = []Waypoints{way}
	return path
}

// checkCircle compares the tip of the last of n links b, and its velocity, with the circle; a spline differs a little.
func checkCircle(t *testing.T, now float64, b *mechanism.BodyState, n int) {
	a := 2 * math.Pi * now / 0.25
	arm := b.Rotation.Rotate([3]float64{1 / float64(n)})
	tip, v := b.Position.Add(arm), b.Velocity.Add(b.Omega.Cross(arm))
	require.InDelta(t, 0.5+0.1*math.Cos(a), tip[0], 1e-4)
	require.InDelta(t, 0.2+0.1*math.Sin(a), tip[1], 1e-4)
	require.InDelta(t, -0.1*2*math.Pi/0.25*math.Sin(a), v[0], 0.02)
	require.InDelta(t, 0.1*2*math.Pi/0.25*math.Cos(a), v[1], 0.02)
}

// TestSparseTrackPrescribed: a joint turns as the model prescribes while the tip follows its path.
func TestSparseTrackPrescribed(t *testing.T) {
	const n, joint = 30, 15
	m := chainModel(n, 0.3)
	mech := mustPlan(t, m).Mechanism()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, mech.Initial()))
	q := coordinate(mech, mechanism.Freedom{Joint: joint}, k, mech.Initial())
	m.Joints[joint].Motion = []*joints.Motion{joints.NewPolynomial([]float64{q, 0.2})}
	s, st := sparseOf(t, m, Task{Targets: []Target{tipAt(n, 0.6, 0.2)}, Path: circlePath(true)})
	require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
		require.Equal(t, Reached, r.Status)
		checkCircle(t, now, &st.Bodies[n-1], n)
		require.NoError(t, mech.KinematicsTo(k, st))
		var jk mechanism.JointKinematics
		var x, rate [6]float64
		mech.JointTo(&jk, joint, k, st)
		mech.Joints[joint].CoordinatesTo(&x, &rate, &jk)
		require.InDelta(t, q+0.2*now, x[0], 1e-12)
		require.InDelta(t, 0.2, rate[0], 1e-10)
		return nil
	}))
}
