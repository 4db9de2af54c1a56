package ik

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// testPlan returns a plan of m.
func testPlan(t testing.TB, m *model.Model) *kkt.Plan {
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return kkt.NewPlan(mech, kkt.Options{})
}

// testProblem returns the problem of a task on a plan.
func testProblem(t testing.TB, plan *kkt.Plan, task *Task) *Problem {
	p, err := NewProblem(plan, task)
	require.NoError(t, err)
	return p
}

// denseIn and sparseIn return the method of a solver.
func denseIn(s *Solver) *denseMethod { return s.m.(*denseMethod) }

func sparseIn(s *Solver) *sparseMethod { return s.m.(*sparseMethod) }

// testSolver returns a solver.
func testSolver(t testing.TB, p *Problem, o Options) *Solver {
	s, err := p.NewSolver(o)
	require.NoError(t, err)
	return s
}

// planar returns a planar arm with the lengths given, stretched along x.
func planar(t *testing.T, lengths ...float64) *kkt.Plan {
	return testPlan(t, planarModel(t, lengths...))
}

// planarModel is the model of planar.
func planarModel(t *testing.T, lengths ...float64) *model.Model {
	b := build.New("planar")
	before, x := build.World, 0.0
	for i, l := range lengths {
		body := b.Rod(fmt.Sprint("link", i), 1, 0.01, spatial.Vec3{x, 0, 0}, spatial.Vec3{x + l, 0, 0})
		b.Revolute(fmt.Sprint("j", i), before, body, spatial.Vec3{x, 0, 0}, spatial.Vec3{0, 0, 1})
		before, x = body, x+l
	}
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

// tipOf returns a target of the far end of the last link of planar in the plane.
func tipOf(links int, length float64, x, y float64) Target {
	return Target{Name: "tip", Type: Point, Body: fmt.Sprint("link", links-1), Frame: model.Pose{Position: spatial.Vec3{length}},
		Position: spatial.Vec3{x, y}, Weight: []float64{1, 1, 0}, Tolerance: [2]float64{1e-12, 1e-12}}
}

// TestReach2R: both elbows of the arm with two links, by the closed form.
func TestReach2R(t *testing.T) {
	const l1, l2 = 0.5, 0.4
	plan := planar(t, l1, l2)
	for _, at := range [][2]float64{{0.6, 0.2}, {-0.3, 0.3}, {0.2, 0}, {0.8, 0}, {0.1, -0.6}, {-0.85, 0.01}} {
		p := testProblem(t, plan, &Task{Targets: []Target{tipOf(2, l2, at[0], at[1])}})
		st := plan.Mechanism().Initial()
		r, err := testSolver(t, p, Options{All: true, Restarts: 40}).Reach(st)
		require.NoError(t, err)
		require.Len(t, r.Solutions, 2, "%v", at)
		cos := (at[0]*at[0] + at[1]*at[1] - l1*l1 - l2*l2) / (2 * l1 * l2)
		for _, q2 := range [2]float64{math.Acos(cos), -math.Acos(cos)} {
			q1 := math.Atan2(at[1], at[0]) - math.Atan2(l2*math.Sin(q2), l1+l2*cos)
			require.Less(t, nearest(r.Solutions, []float64{q1, q2}), 1e-10, "%v: %v", at, r.Solutions)
		}
	}
}

// nearest returns the largest difference of angles to the nearest of the solutions.
func nearest(solutions [][]float64, q []float64) float64 {
	best := math.Inf(1)
	for _, s := range solutions {
		most := 0.0
		for i := range q {
			most = max(most, math.Abs(math.Remainder(s[i]-q[i], 2*math.Pi)))
		}
		best = min(best, most)
	}
	return best
}

// TestReach3R: pose in the plane by way of the wrist.
func TestReach3R(t *testing.T) {
	const l1, l2, l3 = 0.5, 0.4, 0.3
	plan := planar(t, l1, l2, l3)
	for _, at := range [][3]float64{{0.6, 0.2, 0.4}, {-0.3, 0.3, 2.5}, {0.2, 0.5, -1}} {
		half := at[2] / 2
		p := testProblem(t, plan, &Task{Targets: []Target{{
			Name: "tip", Type: PoseTarget, Body: "link2", Frame: model.Pose{Position: spatial.Vec3{l3}}, Position: spatial.Vec3{at[0], at[1]},
			Orientation: [4]float64{math.Cos(half), 0, 0, math.Sin(half)}, Weight: []float64{0, 0, 1, 1, 1, 0}, Tolerance: [2]float64{1e-12, 1e-12},
		}}})
		r, err := testSolver(t, p, Options{All: true, Restarts: 60}).Reach(plan.Mechanism().Initial())
		require.NoError(t, err)
		require.Len(t, r.Solutions, 2)
		x, y := at[0]-l3*math.Cos(at[2]), at[1]-l3*math.Sin(at[2])
		cos := (x*x + y*y - l1*l1 - l2*l2) / (2 * l1 * l2)
		for _, q2 := range [2]float64{math.Acos(cos), -math.Acos(cos)} {
			q1 := math.Atan2(y, x) - math.Atan2(l2*math.Sin(q2), l1+l2*cos)
			require.Less(t, nearest(r.Solutions, []float64{q1, q2, at[2] - q1 - q2}), 1e-10)
		}
	}
}

// TestOutOfReach: the arm is stretched or folded towards the target, and says so.
func TestOutOfReach(t *testing.T) {
	const l1, l2 = 0.5, 0.4
	plan := planar(t, l1, l2)
	for _, c := range []struct{ x, y, off, fold float64 }{
		{1.2, 0.5, math.Hypot(1.2, 0.5) - l1 - l2, 0},
		{-2, 0.3, math.Hypot(2, 0.3) - l1 - l2, 0},
		{0.05, 0.02, l1 - l2 - math.Hypot(0.05, 0.02), math.Pi},
	} {
		p := testProblem(t, plan, &Task{Targets: []Target{tipOf(2, l2, c.x, c.y)}})
		r, err := testSolver(t, p, Options{Restarts: NoRestarts}).Reach(plan.Mechanism().Initial())
		require.ErrorIs(t, err, ErrUnreached)
		require.Equal(t, Nearest, r.Status, "%v after %d steps", c, r.Steps)
		require.InDelta(t, c.off, r.Targets[0].Linear, 1e-12)
		require.InDelta(t, 0, math.Remainder(r.Driven[0].Value-math.Atan2(c.y, c.x), 2*math.Pi), 1e-9)
		require.InDelta(t, 0, math.Remainder(r.Driven[1].Value-c.fold, 2*math.Pi), 1e-9)
		require.Equal(t, 1, r.Rank)
	}
}

// TestStraightInwards: the gradient of the straight arm is zero for a target straight inwards. Damped least squares
// kick; the other methods stay and say so.
func TestStraightInwards(t *testing.T) {
	plan := planar(t, 0.5, 0.4)
	p := testProblem(t, plan, &Task{Targets: []Target{tipOf(2, 0.4, 0.8, 0)}})
	r, err := testSolver(t, p, Options{Restarts: NoRestarts}).Reach(plan.Mechanism().Initial())
	require.NoError(t, err)
	require.Less(t, r.Steps, 30)
	for _, method := range []Method{Pinv, Transpose, Constant, Adaptive, Selective} {
		r, err := testSolver(t, p, Options{Restarts: NoRestarts, Method: method}).Reach(plan.Mechanism().Initial())
		require.ErrorIs(t, err, ErrUnreached)
		require.Equal(t, Stuck, r.Status, "%v", method)
		require.InDelta(t, 0.1, r.Targets[0].Linear, 1e-15)
	}
}

// TestMethods: all reach what is easy to reach.
func TestMethods(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	for _, method := range []Method{DLS, Pinv, Transpose, Constant, Adaptive, Selective} {
		p := testProblem(t, plan, &Task{Targets: []Target{tipOf(3, 0.3, 0.4, 0.6)}})
		p.targets[0].tolerance = [2]float64{1e-9, 1e-9}
		_, err := testSolver(t, p, Options{Restarts: NoRestarts, Method: method, Steps: 5000}).Reach(plan.Mechanism().Initial())
		require.NoError(t, err, "%v", method)
	}
}
