package ik

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// armJoint is a revolute joint of an arm that stands upright at zero: its height, its axis and its limits.
type armJoint struct {
	z            float64
	axis         spatial.Vec3
	lower, upper float64 // rad
}

// The arms of bench/peers: six joints with a spherical wrist, seven like those of collaborative arms.
var (
	sixJoints = []armJoint{
		{0.3, spatial.Vec3{2: 1}, -2.9, 2.9}, {0.4, spatial.Vec3{1: 1}, -1.9, 1.9}, {0.85, spatial.Vec3{1: 1}, -2.4, 2.4},
		{1.05, spatial.Vec3{2: 1}, -3.1, 3.1}, {1.27, spatial.Vec3{1: 1}, -2.1, 2.1}, {1.35, spatial.Vec3{2: 1}, -3.1, 3.1},
	}
	sevenJoints = []armJoint{
		{0.15, spatial.Vec3{2: 1}, -2.96, 2.96}, {0.34, spatial.Vec3{1: 1}, -2.09, 2.09}, {0.54, spatial.Vec3{2: 1}, -2.96, 2.96},
		{0.74, spatial.Vec3{1: -1}, -2.09, 2.09}, {0.94, spatial.Vec3{2: 1}, -2.96, 2.96}, {1.14, spatial.Vec3{1: 1}, -2.09, 2.09},
		{1.2, spatial.Vec3{2: 1}, -3.05, 3.05},
	}
)

// upright returns an arm, and a task of a pose of its tool, 0.1 m above the last joint.
func upright(tb testing.TB, arm []armJoint) (*kkt.Plan, *Task) {
	b := build.New("arm")
	before := build.World
	task := &Task{}
	for i, j := range arm {
		top := j.z + 0.1
		if i+1 < len(arm) {
			top = arm[i+1].z
		}
		body := b.Rod(fmt.Sprint("link", i+1), 1, 0.02, spatial.Vec3{2: j.z}, spatial.Vec3{2: top})
		b.Revolute(fmt.Sprint("j", i+1), before, body, spatial.Vec3{2: j.z}, j.axis)
		before = body
		task.Limits = append(task.Limits, Limit{Freedom: fmt.Sprint("j", i+1), Lower: j.lower, Upper: j.upper})
	}
	m, err := b.Model()
	require.NoError(tb, err)
	task.Targets = []Target{{Name: "tool", Type: PoseTarget, Body: fmt.Sprint("link", len(arm)), Tolerance: [2]float64{1e-5, 1e-5}}}
	return testPlan(tb, m), task
}

// poses returns random poses of the tool that the arm has within its limits.
func poses(tb testing.TB, plan *kkt.Plan, task *Task, n int) (list []wanted) {
	p := testProblem(tb, plan, task)
	s := testSolver(tb, p, Options{})
	rng := rand.New(rand.NewPCG(7, 7))
	st := plan.Mechanism().Initial()
	require.NoError(tb, s.eng.set(st))
	for range n {
		for i := range denseIn(s).q {
			denseIn(s).q[i] = p.lower[i] + (p.upper[i]-p.lower[i])*rng.Float64()
		}
		require.NoError(tb, s.eng.moveTo(denseIn(s).q))
		s.eng.stateTo(st)
		tool := &st.Bodies[len(st.Bodies)-1]
		list = append(list, wanted{position: tool.Position, orientation: tool.Rotation})
	}
	return list
}

// reachAll solves random poses and returns how many are not reached, and the mean time.
func reachAll(tb testing.TB, arm []armJoint, n int, o Options) (failed int, mean time.Duration) {
	plan, task := upright(tb, arm)
	list := poses(tb, plan, task, n)
	s := testSolver(tb, testProblem(tb, plan, task), o)
	first, st := plan.Mechanism().Initial(), plan.Mechanism().Initial()
	steps, restarts := 0, 0
	var most time.Duration
	for _, w := range list {
		s.eng.aim(0, w)
		copy(st.Bodies, first.Bodies)
		r, _ := s.Reach(st)
		mean += r.Elapsed
		most = max(most, r.Elapsed)
		steps += r.Steps
		restarts += r.Restarts
		if r.Status != Reached {
			failed++
		}
		for i, d := range r.Driven {
			require.True(tb, d.Value >= arm[i].lower && d.Value <= arm[i].upper)
		}
	}
	tb.Logf("%d joints, %d failed, mean %v, most %v, %.1f steps, %.2f restarts", len(arm), failed, mean/time.Duration(n), most,
		float64(steps)/float64(n), float64(restarts)/float64(n))
	return failed, mean / time.Duration(n)
}

// TestRandomPoses: at least 99.9 % of the poses that an arm has within its limits are found from the middle by the zero value of the
// options.
func TestRandomPoses(t *testing.T) {
	n := 10000
	if testing.Short() {
		n = 1000
	}
	for _, arm := range [][]armJoint{sixJoints, sevenJoints} {
		failed, _ := reachAll(t, arm, n, Options{})
		require.LessOrEqual(t, failed, n/1000)
		failed, _ = reachAll(t, arm, n, Options{Restarts: NoRestarts})
		require.Positive(t, failed, "the poses tell restarts from none")
		require.LessOrEqual(t, failed, n/2)
	}
}
