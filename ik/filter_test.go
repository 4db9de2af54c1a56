package ik

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
)

// TestFilterReaches: feedback inverse kinematics reaches targets; the straight arm with its target straight inwards
// stays with a number for P and says that it is stuck, and folds with a full P.
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
		o := &FIKOptions{Options: fik.Options{P: []float64{40}, A: []float64{-5}}, Feedback: 5}
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
	task.FIK = &FIKOptions{Options: fik.Options{Riccati: fik.RiccatiOptions{W: 40}}, Feedback: 10}
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

// TestFilterDefaults: every design runs in both forms, for a pose and along a path, without anything else given; or it
// says where in the task what has to be written, which then runs.
func TestFilterDefaults(t *testing.T) {
	check.Long(t)
	plan := planar(t, 0.5, 0.4, 0.3)
	path := circleTask(Path{Spline: true, Step: 0.02})
	pose := &Task{Targets: path.Targets}
	run := func(task *Task) (*FilterResult, error) {
		p, err := NewProblem(plan, task)
		if err != nil {
			return nil, err
		}
		s, st := testSolver(t, p, Options{Method: FIKMethod, Steps: 20000, Nearest: true}), plan.Mechanism().Initial()
		var r *Result
		if task.Path == nil {
			r, err = s.Reach(st)
		} else {
			err = s.Track(context.Background(), st, func(_ float64, _ *mechanism.State, at *Result) error {
				r = at
				return nil
			})
		}
		if err != nil {
			return nil, err
		}
		if task.Path == nil {
			require.Equal(t, Reached, r.Status, "%+v", *task.FIK)
		}
		require.Equal(t, task.FIK.Design, r.Filter.Design)
		return r.Filter, nil
	}
	for _, task := range []*Task{pose, path} {
		for _, form := range []fik.Form{fik.FormV, fik.FormF} {
			for _, design := range []fik.Design{fik.DesignRiccati, fik.DesignNorm, fik.DesignTune} {
				task.FIK = &FIKOptions{Options: fik.Options{Form: form, Design: design}}
				f, err := run(task)
				if form == fik.FormF && design == fik.DesignNorm { // 1.2 m long: its rule is far from stable
					e := new(FilterError)
					require.ErrorAs(t, err, &e)
					require.ErrorIs(t, err, fik.ErrUnstable)
					require.Equal(t, "$.fik.design", e.Path)
					require.Contains(t, e.Rule, `write "design": "given", "P": `)
					continue
				}
				require.NoError(t, err, "%v %v", form, design)
				if design == fik.DesignTune {
					task.FIK = &FIKOptions{Options: fik.Options{Form: form, Design: fik.DesignGiven, P: f.P, A: f.A, H: f.H}} // as it was reported
					again, err := run(task)
					require.NoError(t, err)
					require.Equal(t, f.P, again.P)
				}
			}
		}
	}
}

// TestFilterErrors: an error of a filter names the place in the task.
func TestFilterErrors(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	for _, c := range []struct {
		o          FIKOptions
		path, rule string
		is         error
	}{
		{FIKOptions{Options: fik.Options{H: 1}}, "$.fik.h", `"adapt": true`, fik.ErrUnstable},
		{FIKOptions{Options: fik.Options{Form: fik.FormF, H: 5}}, "$.fik.h", "take h = ", fik.ErrUnstable},
		{FIKOptions{Options: fik.Options{Form: fik.FormF, H: 0.1, Design: fik.DesignGiven, P: []float64{3}}}, "$.fik.P", "multiply P by", fik.ErrUnstable},
		{FIKOptions{Options: fik.Options{Design: fik.DesignNorm, H: 1}}, "$.fik.h", "take h = ", fik.ErrUnstable},
		{FIKOptions{Q0: []Coordinated{{"j0", 0.3}, {"j1", 0}, {"j2", 0}}}, "$.fik.q0", "singular values go from", fik.ErrRank},
		{FIKOptions{Options: fik.Options{Riccati: fik.RiccatiOptions{W: 1e9}}}, "$.fik.design", "no stabilizing", fik.ErrNoDesign},
		{FIKOptions{Options: fik.Options{Form: fik.FormF, H: 1, Riccati: fik.RiccatiOptions{M: []float64{1, 2}}}}, "$.fik.A", "at any step", fik.ErrUnstable},
	} {
		task := &Task{Targets: []Target{tipOf(3, 0.3, 0.5, 0.6)}, FIK: &c.o, File: "task.json"}
		_, err := testSolver(t, testProblem(t, plan, task), Options{Method: FIKMethod}).Reach(plan.Mechanism().Initial())
		e := new(FilterError)
		require.ErrorAs(t, err, &e, "%+v: %v", c.o, err)
		require.ErrorIs(t, err, c.is)
		require.Equal(t, c.path, e.Path)
		require.Contains(t, e.Rule, c.rule)
		require.Contains(t, err.Error(), "task.json: "+c.path+": ")
	}
}
