package ik

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// circleTask is a circle of the tip of the arm of planar with three links.
func circleTask(path Path) *Task {
	tip := tipOf(3, 0.3, 0.8, 0.3)
	tip.Tolerance = [2]float64{1e-10, 1e-10}
	w := Waypoints{Target: "tip"}
	for i := range 9 {
		phi := 2 * math.Pi * float64(i) / 8
		path.Times = append(path.Times, 0.5*float64(i))
		w.Position = append(w.Position, [3]float64{0.6 + 0.2*math.Cos(phi), 0.3 + 0.2*math.Sin(phi)})
	}
	path.Targets = []Waypoints{w}
	return &Task{Targets: []Target{tip}, Path: &path}
}

// TestRotationPath: a rotation goes through its waypoints, its angular
// velocity is the rate of its rotation, and with splines it is continuous.
func TestRotationPath(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, h = 100, 1e-6
	path := &Path{Spline: true}
	var list [][4]float64
	for i := range n {
		path.Times = append(path.Times, float64(i)+0.4*rng.Float64())
		list = append(list, randomQuat(rng))
	}
	u := newTurns(path, list)
	var q, before, after spatial.Quat
	var omega, other spatial.Vec3
	for i, x := range path.Times {
		u.rotationTo(&q, &omega, x)
		require.Less(t, q.Mul(unitQuat(list[i]).Conj()).Log().Norm(), 1e-12)
		if i == 0 || i == n-1 {
			continue
		}
		u.rotationTo(&before, &other, x-h)
		require.Less(t, other.Sub(omega).Norm(), 1e-3, "continuous")
		u.rotationTo(&after, &other, x+h)
		rate := after.Mul(before.Conj()).Log().Scale(1 / (2 * h))
		require.Less(t, rate.Sub(omega).Norm(), 1e-6*(1+omega.Norm()), "waypoint %d", i)
	}
}

// TestExactPath: at every sample the targets are met, and the rates are those of the coordinates.
func TestExactPath(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	p := testProblem(t, plan, circleTask(Path{Spline: true, Exact: true, Step: 1e-3}))
	s := testSolver(t, p, Options{})
	st := plan.Mechanism().Initial()
	_, err := s.Reach(st)
	require.NoError(t, err)
	var times []float64
	var q, rates [][3]float64
	require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
		require.Equal(t, Reached, r.Status)
		require.LessOrEqual(t, r.Steps, 4)
		times = append(times, now)
		q = append(q, [3]float64{r.Driven[0].Value, r.Driven[1].Value, r.Driven[2].Value})
		rates = append(rates, [3]float64{r.Driven[0].Rate, r.Driven[1].Rate, r.Driven[2].Rate})
		return nil
	}))
	require.Len(t, times, 4001)
	for k := 1; k < len(q)-1; k++ {
		for i := range 3 {
			require.InDelta(t, (q[k+1][i]-q[k-1][i])/2e-3, rates[k][i], 1e-4, "sample %d", k)
		}
	}
}

// TestRatePath: rates with a feedback stay at the path, the closer the shorter the step.
func TestRatePath(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	last := 0.0
	for i, step := range []float64{0.02, 0.01, 0.005} {
		off := 0.0
		p := testProblem(t, plan, circleTask(Path{Spline: true, Step: step}))
		s := testSolver(t, p, Options{})
		st := plan.Mechanism().Initial()
		require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
			off = max(off, r.Targets[0].Linear)
			return nil
		}))
		if i > 0 {
			require.InDelta(t, 2, last/off, 0.3, "of first order: %v, %v", last, off)
		}
		last = off
	}
	require.Less(t, last, 2e-3)
}

// TestStretch: the motion takes as long as the largest rates need, and keeps to them; without, the tip falls behind.
func TestStretch(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	for _, exact := range []bool{false, true} {
		for _, stretch := range []bool{false, true} {
			task := circleTask(Path{Spline: true, Step: 0.01, Exact: exact, Stretch: stretch})
			for _, j := range []string{"j0", "j1", "j2"} {
				l := NoLimit(j)
				l.Rate = 0.4
				task.Limits = append(task.Limits, l)
			}
			p := testProblem(t, plan, task)
			s := testSolver(t, p, Options{Nearest: true})
			st := plan.Mechanism().Initial()
			_, err := s.Reach(st)
			require.NoError(t, err)
			var before [3]float64
			end, off, then := 0.0, 0.0, 0.0
			require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
				for i := range before {
					require.LessOrEqual(t, math.Abs(r.Driven[i].Rate), 0.4*(1+1e-9))
					if now > 0 {
						require.LessOrEqual(t, math.Abs(r.Driven[i].Value-before[i]), 0.4*(now-then)*(1+1e-9))
					}
					before[i] = r.Driven[i].Value
				}
				then, end, off = now, now, max(off, r.Targets[0].Linear)
				return nil
			}))
			if stretch {
				require.Greater(t, end, 4.5)
				require.Less(t, off, 5e-3)
			} else {
				require.InDelta(t, 4, end, 1e-12)
				require.Greater(t, off, 2e-2)
			}
		}
	}
}

// TestSingularRates: at the straight arm, the rates of damped least
// squares have a bound; those of the pseudoinverse have none.
func TestSingularRates(t *testing.T) {
	plan := planar(t, 0.5, 0.4)
	const k, speed = 1e-4, 0.1
	task := &Task{
		Targets: []Target{tipOf(2, 0.4, 0.9, 0)},
		Path:    &Path{Times: []float64{0, 1}, Step: 0.01, Targets: []Waypoints{{Target: "tip", Position: [][3]float64{{0.9}, {0.9 - speed}}}}},
	}
	for _, method := range []Method{DLS, Pinv} {
		most := 0.0
		s := testSolver(t, testProblem(t, plan, task), Options{Method: method, Damping: k, Nearest: true})
		st := plan.Mechanism().Initial()
		require.NoError(t, s.eng.set(st))
		require.NoError(t, s.eng.moveTo([]float64{0, 1e-8}))
		s.eng.stateTo(st)
		stop := 0
		require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
			if stop++; stop == 1 {
				most = max(math.Abs(r.Driven[0].Rate), math.Abs(r.Driven[1].Rate))
			}
			return nil
		}))
		if method == DLS {
			require.Less(t, most, speed/(2*math.Sqrt(k)))
		} else {
			require.Greater(t, most, 1e6)
		}
	}
}

// TestWristRates: on a path through a singular wrist the rates of
// damped least squares keep to their bound at every sample.
func TestWristRates(t *testing.T) {
	const k, half = 1e-3, 0.25
	plan, task := upright(t, sixJoints)
	st := plan.Mechanism().Initial()
	s := testSolver(t, testProblem(t, plan, task), Options{})
	require.NoError(t, s.eng.set(st))
	w := Waypoints{Target: "tool"}
	var start []float64
	for _, q := range [][]float64{{0.1, 0.6, 0.9, 0.8, 0.3, 0}, {0.1, 0.6, 0.9, -0.6, -0.3, 0.2}} {
		require.NoError(t, s.eng.moveTo(q))
		s.eng.stateTo(st)
		tool := &st.Bodies[len(st.Bodies)-1]
		w.Position, w.Orientation = append(w.Position, tool.Position), append(w.Orientation, tool.Rotation)
		if start == nil {
			start = q
		}
	}
	task.Path = &Path{Times: []float64{0, 2 * half}, Step: 1e-3, Targets: []Waypoints{w}}
	s = testSolver(t, testProblem(t, plan, task), Options{Damping: k})
	require.NoError(t, s.eng.set(st))
	require.NoError(t, s.eng.moveTo(start))
	s.eng.stateTo(st)
	least, most := math.Inf(1), 0.0
	require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
		rate := math.Sqrt(algebra.Dot(denseIn(s).track.dq, denseIn(s).track.dq))
		require.LessOrEqual(t, rate, math.Sqrt(algebra.Dot(denseIn(s).track.missing, denseIn(s).track.missing))/(2*math.Sqrt(k))*(1+1e-9))
		least, most = min(least, r.SingularValues[5]), max(most, rate)
		return nil
	}))
	require.Less(t, least, 0.02, "the path is not near the singular pose")
	require.Greater(t, most, 0.0)
}

// turningTask is a path of two orientations through random waypoints, one of which has uneven weights.
func turningTask(rng *rand.Rand) *Task {
	path := &Path{Spline: true, Exact: true, Times: []float64{0, 0.3, 0.7, 1}}
	task := &Task{Path: path, Targets: []Target{
		{Name: "uneven", Type: PoseTarget, Body: "link2", Weight: []float64{1, 0, 3, 1, 1, 1}},
		{Name: "even", Type: Orientation, Body: "link1", RelativeTo: "link0"},
	}}
	for i := range task.Targets {
		w := Waypoints{Target: task.Targets[i].Name}
		for range path.Times {
			w.Orientation = append(w.Orientation, randomQuat(rng))
		}
		path.Targets = append(path.Targets, w)
	}
	return task
}

// TestTurningRates: the wanted rates of orientations far from the pose
// are the rates of their errors with the mechanism at rest.
func TestTurningRates(t *testing.T) {
	const at, h = 0.37, 1e-5
	for seed := range uint64(5) {
		plan, task := testPlan(t, planarModel(t, 0.5, 0.4, 0.3)), turningTask(rand.New(rand.NewPCG(seed, 4)))
		for _, e := range []Engine{TreeEngine, DrivenEngine} {
			s := testSolver(t, testProblem(t, plan, task), Options{Engine: e})
			st := plan.Mechanism().Initial()
			require.NoError(t, s.eng.set(st))
			denseIn(s).newTrack()
			rows, _ := s.eng.Dims()
			before, after, now := make([]float64, rows), make([]float64, rows), make([]float64, rows)
			denseIn(s).aimAt(at - h)
			s.eng.errorsTo(before)
			denseIn(s).aimAt(at + h)
			s.eng.errorsTo(after)
			denseIn(s).aimAt(at)
			s.eng.errorsTo(now)
			denseIn(s).finishRates()
			rates, length := denseIn(s).track.raw, s.p.length
			// Rows that weigh the same are angular velocities ω, of which the derivative is B ω.
			even := s.p.targets[1].first
			var omega, delta spatial.Vec3
			for k := range 3 {
				omega[k], delta[k] = rates[even+k]/length, -now[even+k]/length
			}
			B := rotationRates(delta)
			omega = B.MulVec(omega)
			for k := range rows {
				rate := rates[k]
				if k >= even {
					rate = length * omega[k-even]
				}
				require.InDelta(t, (after[k]-before[k])/(2*h), rate, 1e-7, "seed %d row %d", seed, k)
			}
		}
	}
}

// TestTurningRatesOfEngines: all engines, the sparse one too, give
// rows of orientations that are off the same wanted rates.
func TestTurningRatesOfEngines(t *testing.T) {
	const at = 0.37
	for seed := range uint64(5) {
		plan, task := testPlan(t, planarModel(t, 0.5, 0.4, 0.3)), turningTask(rand.New(rand.NewPCG(seed, 4)))
		st := plan.Mechanism().Initial()
		dense := testSolver(t, testProblem(t, plan, task), Options{Engine: TreeEngine})
		require.NoError(t, dense.eng.set(st))
		denseIn(dense).newTrack()
		denseIn(dense).aimAt(at)
		denseIn(dense).errorsTo(denseIn(dense).e)
		denseIn(dense).finishRates()
		w := sparseIn(testSolver(t, testProblem(t, plan, task), Options{Engine: SparseEngine}))
		c := w.p.newCourse()
		raw, rates := make([]float64, w.p.m), make([][7]float64, len(c.ways))
		w.follow(c, raw, rates, at)
		require.NoError(t, w.sys.linearize(st))
		w.addPoseRates(c, raw, rates)
		require.InDeltaSlice(t, denseIn(dense).track.raw, raw, 1e-13, "seed %d", seed)
	}
}

// TestSparseTurningRates: along a path whose orientation stays off by an angle of weight 0, the two freedoms of a wrist
// have the same rates by the sparse method as by the tree, and these are the derivatives of what they do.
func TestSparseTurningRates(t *testing.T) {
	m := model.New("wrist")
	for i, name := range []string{"fork", "hand"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 0.01, YY: 0.02, ZZ: 0.03}, Pose: model.Pose{Orientation: [4]float64{1}}})
		f := model.Pose{Orientation: [4]float64{1}}
		if i == 1 { // about x
			f.Orientation = [4]float64{math.Sqrt(0.5), 0, math.Sqrt(0.5), 0}
		}
		m.Joints = append(m.Joints, model.Joint{Name: "j" + name, Type: joints.Revolute, Predecessor: [2]string{model.World, "fork"}[i], Successor: name, PredecessorFrame: f, SuccessorFrame: f})
	}
	var turns [][4]float64
	for _, v := range []spatial.Vec3{{0.3, 0.2, 0.4}, {0.5, 0.4, 0.2}, {0.2, 0.5, -0.3}, {0.1, 0.3, 0.2}} {
		turns = append(turns, spatial.Exp(v))
	}
	plan := testPlan(t, m)
	task := &Task{
		Targets: []Target{{Name: "look", Type: Orientation, Body: "hand", Weight: []float64{2, 0, 1}, Tolerance: [2]float64{1e-12, 1e-12}}},
		Path:    &Path{Spline: true, Exact: true, Step: 1e-3, Times: []float64{0, 0.3, 0.7, 1}, Targets: []Waypoints{{Target: "look", Orientation: turns}}},
	}
	run := func(o Options) (values, rates [][2]float64) {
		s := testSolver(t, testProblem(t, plan, task), o)
		require.NoError(t, s.Track(context.Background(), plan.Mechanism().Initial(), func(_ float64, _ *mechanism.State, r *Result) error {
			values = append(values, [2]float64{r.Driven[0].Value, r.Driven[1].Value})
			rates = append(rates, [2]float64{r.Driven[0].Rate, r.Driven[1].Rate})
			return nil
		}))
		return values, rates
	}
	want, wantRates := run(Options{Engine: TreeEngine, Method: Pinv})
	values, rates := run(Options{Engine: SparseEngine})
	require.Len(t, values, 1001)
	most := 0.0
	for k := range values {
		for i := range 2 {
			require.InDelta(t, want[k][i], values[k][i], 1e-10, "sample %d", k)
			require.InDelta(t, wantRates[k][i], rates[k][i], 1e-9, "sample %d", k)
			if k > 0 && k < len(values)-1 {
				require.InDelta(t, (values[k+1][i]-values[k-1][i])/2e-3, rates[k][i], 1e-4, "sample %d", k)
			}
			most = max(most, math.Abs(rates[k][i]))
		}
	}
	require.Greater(t, most, 1.0)
}

// TestDistanceRates: the wanted rate of a distance from a point that moves is the rate of its error with the mechanism
// at rest, in the axes of the body that it moves with; it is the same in all engines.
func TestDistanceRates(t *testing.T) {
	const at, h = 0.37, 1e-5
	plan := testPlan(t, planarModel(t, 0.5, 0.4, 0.3))
	task := &Task{
		Targets: []Target{{Name: "rope", Type: Distance, Body: "link2", RelativeTo: "link0", Length: 0.7}},
		Path: &Path{Spline: true, Exact: true, Times: []float64{0, 0.4, 1}, Targets: []Waypoints{
			{Target: "rope", Position: [][3]float64{{0.1, 0.5, 0.1}, {0.3, 0.2, -0.4}, {0.5, 0.4, 0.2}}, Value: []float64{0.7, 0.9, 0.8}}}},
	}
	st := plan.Mechanism().Initial()
	for _, e := range []Engine{TreeEngine, DrivenEngine} {
		s := testSolver(t, testProblem(t, plan, task), Options{Engine: e})
		require.NoError(t, s.eng.set(st))
		require.NoError(t, s.eng.moveTo([]float64{0.7, 0.4, -0.3}))
		denseIn(s).newTrack()
		before, after := make([]float64, 1), make([]float64, 1)
		denseIn(s).aimAt(at - h)
		s.eng.errorsTo(before)
		denseIn(s).aimAt(at + h)
		s.eng.errorsTo(after)
		denseIn(s).aimAt(at)
		denseIn(s).errorsTo(denseIn(s).e)
		denseIn(s).finishRates()
		require.InDelta(t, (after[0]-before[0])/(2*h), denseIn(s).track.raw[0], 1e-8, "%v", e)
		to := st.Clone()
		s.eng.stateTo(to)
		w := sparseIn(testSolver(t, testProblem(t, plan, task), Options{Engine: SparseEngine}))
		c := w.p.newCourse()
		raw, rates := make([]float64, 1), make([][7]float64, 1)
		w.follow(c, raw, rates, at)
		require.NoError(t, w.sys.linearize(to))
		w.addPoseRates(c, raw, rates)
		require.InDelta(t, denseIn(s).track.raw[0], raw[0], 1e-13)
	}
}
