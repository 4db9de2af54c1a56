package ik

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestPathWithMotion: a cart goes along x by a motion of its own, and the arm on it holds its tip at a place of the
// world: with every engine the cart is where the motion says at each time of the path.
func TestPathWithMotion(t *testing.T) {
	m := model.New("cart")
	rod := func(name string, at float64) model.Body {
		return model.Body{Name: name, Mass: 1, Com: [3]float64{0.25, 0, 0}, Inertia: model.Inertia{XX: 0.01, YY: 0.03, ZZ: 0.03}, Pose: model.Pose{Position: [3]float64{at, 0, 0}, Orientation: [4]float64{1, 0, 0, 0}}}
	}
	m.Bodies = []model.Body{rod("cart", 0), rod("upper", 0), rod("lower", 0.5)}
	along := model.Pose{Orientation: [4]float64{math.Sqrt(0.5), 0, math.Sqrt(0.5), 0}}
	m.Joints = []model.Joint{
		{Name: "rail", Type: joints.Prismatic, Predecessor: model.World, Successor: "cart", PredecessorFrame: along, SuccessorFrame: along,
			Motion: []*model.Motion{{Kind: joints.Harmonic, Amplitude: 0.2, Frequency: 0.5}}},
		{Name: "shoulder", Type: joints.Revolute, Predecessor: "cart", Successor: "upper"},
		{Name: "elbow", Type: joints.Revolute, Predecessor: "upper", Successor: "lower", PredecessorFrame: model.Pose{Position: [3]float64{0.5, 0, 0}}},
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	for _, engine := range []Engine{TreeEngine, DrivenEngine, SparseEngine} {
		method := DLS
		if engine == SparseEngine {
			method = Sparse
		}
		task := &Task{
			Targets: []Target{{Name: "tip", Type: Point, Body: "lower", Frame: model.Pose{Position: [3]float64{0.5, 0, 0}}, Position: [3]float64{0.6, 0.3, 0}, Weight: []float64{1, 1, 0}}},
			Path:    &Path{Times: []float64{0, 2}, Step: 0.02, Exact: true, Targets: []Waypoints{{Target: "tip", Position: [][3]float64{{0.6, 0.3, 0}, {0.6, 0.4, 0}}}}},
		}
		s := testSolver(t, testProblem(t, plan, task), Options{Method: method, Engine: engine})
		k := plan.Mechanism().NewKinematics()
		samples := 0
		require.NoError(t, s.Track(context.Background(), plan.Initial(), func(now float64, st *mechanism.State, r *Result) error {
			samples++
			require.Equal(t, now, st.Time)
			x := 0.2 * math.Sin(math.Pi*now)
			require.InDelta(t, x, st.Bodies[0].Position[0], 1e-10, "%v at %v s", engine, now)
			require.InDelta(t, 0.2*math.Pi*math.Cos(math.Pi*now), st.Bodies[0].Velocity[0], 1e-9)
			require.NoError(t, plan.Mechanism().KinematicsTo(k, st))
			require.Less(t, r.Targets[0].Linear, 1e-8)
			tip := st.Bodies[2].Rotation.Rotate(spatial.Vec3{0.5, 0, 0})
			v := st.Bodies[2].Velocity.Add(st.Bodies[2].Omega.Cross(tip))
			require.InDelta(t, 0, v[0], 1e-5, "%v: the driven rates make good what the cart does", engine)
			require.InDelta(t, 0.05, v[1], 1e-5)
			return nil
		}), "%v", engine)
		require.Equal(t, 101, samples)

		task.Path.Stretch = true
		_, err := NewProblem(plan, task)
		require.ErrorContains(t, err, "$.path.stretch")
	}
}

// TestStartOfPath: a path that is followed by rates begins where its first place is, or from the pose of the model, if
// the task says so. A start out of reach is an error with the target.
func TestStartOfPath(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	for _, method := range []Method{DLS, FIKMethod} {
		for _, fromPose := range []bool{false, true} {
			s := testSolver(t, testProblem(t, plan, circleTask(Path{Spline: true, Step: 0.01, FromPose: fromPose})), Options{Method: method})
			first, last := -1.0, 0.0
			require.NoError(t, s.Track(context.Background(), plan.Initial(), func(now float64, st *mechanism.State, r *Result) error {
				if last = r.Targets[0].Linear; first < 0 {
					first = last
				}
				return nil
			}))
			require.Equal(t, fromPose, first > 0.1, "%v: off by %v at the start", method, first)
			require.Less(t, last, 0.3)
		}
	}
	task := circleTask(Path{Spline: true, Step: 0.01})
	for i := range task.Path.Targets[0].Position {
		task.Path.Targets[0].Position[i][0] += 5
	}
	s := testSolver(t, testProblem(t, plan, task), Options{})
	calls := 0
	err := s.Track(context.Background(), plan.Initial(), func(now float64, st *mechanism.State, r *Result) error {
		calls++
		require.NotEqual(t, Reached, r.Status)
		return nil
	})
	var off *Unreached
	require.ErrorAs(t, err, &off)
	require.Equal(t, task.Targets[0].Name, off.Target)
	require.Greater(t, off.Off, 3.0)
	require.Equal(t, 1, calls)
}

// TestDesignOfTooManyRows: the design that needs independent rows says
// so, and names the one that does not, which then follows the path.
func TestDesignOfTooManyRows(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	task := circleTask(Path{Spline: true, Step: 0.01})
	task.Targets = append(task.Targets, Target{Name: "level", Type: Axis, Body: task.Targets[0].Body, Axis: [3]float64{0, 0, 1}, Direction: [3]float64{0, 0, 1}})
	run := func() error {
		s := testSolver(t, testProblem(t, plan, task), Options{Method: FIKMethod})
		return s.Track(context.Background(), plan.Initial(), func(float64, *mechanism.State, *Result) error { return nil })
	}
	err := run()
	require.ErrorIs(t, err, fik.ErrRank)
	require.ErrorContains(t, err, `4 rows of the targets are more than 3 driven freedoms`)
	require.ErrorContains(t, err, `"design": "norm"`)
	task.FIK = &FIKOptions{Options: fik.Options{Design: fik.DesignNorm, Adapt: true}}
	require.NoError(t, run())
}
