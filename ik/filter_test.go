package ik

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
)

// TestFilterReaches: feedback inverse kinematics reaches targets; the straight arm with its target straight inwards stays with a
// number for P and says that it is stuck, and folds with a full P.
func TestFilterReaches(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	tip := tipOf(3, 0.3, 0.5, 0.6)
	tip.Tolerance = [2]float64{1e-8, 1e-8}
	p := testProblem(t, plan, &Task{Targets: []Target{tip}})
	r, err := testSolver(t, p, Options{Method: FIKMethod}).Reach(plan.Mechanism().Initial())
	require.NoError(t, err)
	require.Equal(t, FIKMethod, r.Method)

	tip.Position = [3]float64{0.9}
	for _, full := range []bool{false, true} {
		o := &FIKOptions{P: []float64{40}, A: []float64{-5}, Feedback: 5}
		if full {
			o = &FIKOptions{Q0: []Coordinated{{"j0", 0.3}, {"j1", 0.7}, {"j2", -0.2}}, Feedback: 5}
		}
		p := testProblem(t, plan, &Task{Targets: []Target{tip}, FIK: o})
		r, err := testSolver(t, p, Options{Method: FIKMethod, Steps: 20000}).Reach(plan.Mechanism().Initial())
		if full {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ErrUnreached)
		require.Equal(t, Stuck, r.Status)
		require.InDelta(t, 0.3, r.Targets[0].Linear, 1e-9)
	}
}

// TestFilterPath: the filter follows a path.
func TestFilterPath(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	task := circleTask(Path{Spline: true, Step: 0.005})
	task.FIK = &FIKOptions{Feedback: 10, Riccati: RiccatiOptions{W: 40}}
	s := testSolver(t, testProblem(t, plan, task), Options{Method: FIKMethod})
	st := plan.Mechanism().Initial()
	_, err := testSolver(t, testProblem(t, plan, task), Options{}).Reach(st)
	require.NoError(t, err)
	off := 0.0
	require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
		off = math.Max(off, r.Targets[0].Linear)
		return nil
	}))
	require.Less(t, off, 0.05)
}
