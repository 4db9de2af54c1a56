package ik

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// TestReachDoesNotAllocate: no search allocates, except for collecting solutions.
func TestReachDoesNotAllocate(t *testing.T) {
	plan, task := upright(t, sevenJoints)
	task.Targets = append(task.Targets, Target{
		Name: "elbow", Type: Point, Body: "link4", Position: spatial.Vec3{0.2, 0.1, 0.6}, Priority: 1,
	})
	task.Targets[0].Position = spatial.Vec3{0.4, 0.3, 0.5}
	task.Posture = &Posture{Gain: 1, Values: []Coordinated{{"j1", 0.5}}}
	p := testProblem(t, plan, task)
	for _, o := range check.Some([]Options{
		{Nearest: true, Restarts: check.Few(5, 1)}, {Nearest: true, Method: Pinv}, {Nearest: true, Method: Transpose, Steps: 50}, {Nearest: true, Method: Constant},
		{Nearest: true, Method: Adaptive}, {Nearest: true, Method: Selective},
	}, 3) {
		s := testSolver(t, p, o)
		first, st := plan.Mechanism().Initial(), plan.Mechanism().Initial()
		require.Zero(t, testing.AllocsPerRun(3, func() {
			copy(st.Bodies, first.Bodies)
			if _, err := s.Reach(st); err != nil {
				t.Error(err)
			}
		}), "%+v", o)
	}
}

// TestSameBits: the same task has the same answer, also after others.
//
//rung:race
func TestSameBits(t *testing.T) {
	plan, task := upright(t, sixJoints)
	list := poses(t, plan, task, 20)
	p := testProblem(t, plan, task)
	used := testSolver(t, p, Options{Seed: 3})
	for _, w := range list {
		fresh := testSolver(t, p, Options{Seed: 3})
		var ends [2]*mechanism.State
		for i, s := range []*Solver{used, fresh} {
			require.NoError(t, s.Aim("tool", w.position, w.orientation))
			ends[i] = plan.Mechanism().Initial()
			_, err := s.Reach(ends[i])
			require.NoError(t, err)
		}
		require.Equal(t, ends[0], ends[1])
	}
}

// TestReachEnds: a search ends when its context does, with the state unchanged, or when its time is over, with the best pose so far.
func TestReachEnds(t *testing.T) {
	plan, task := upright(t, sixJoints)
	task.Targets[0].Position = spatial.Vec3{5, 0, 0}
	p := testProblem(t, plan, task)
	s := testSolver(t, p, Options{Restarts: 1 << 30})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	st := plan.Mechanism().Initial()
	begin := time.Now()
	_, err := s.ReachContext(ctx, st)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(begin), time.Second)
	require.Equal(t, plan.Mechanism().Initial(), st)

	s = testSolver(t, p, Options{Restarts: 1 << 30, MaxTime: 20 * time.Millisecond})
	r, err := s.Reach(st)
	require.ErrorIs(t, err, ErrUnreached)
	require.Equal(t, OutOfSteps, r.Status)
	require.Less(t, r.Targets[0].Linear, 4.5)
	var u *Unreached
	require.True(t, errors.As(err, &u))
	require.Equal(t, "tool", u.Target)
}

// TestAimErrors: Aim and AimValue return errors for targets and values that cannot be aimed.
func TestAimErrors(t *testing.T) {
	plan, task := upright(t, sixJoints)
	task.Targets = append(task.Targets, Target{Name: "angle", Type: Coordinate, Freedom: "j1"})
	s := testSolver(t, testProblem(t, plan, task), Options{})
	up := [4]float64{1}
	require.ErrorIs(t, s.Aim("nobody", [3]float64{}, up), errUnknown)
	require.ErrorIs(t, s.Aim("angle", [3]float64{}, up), errUnknown)
	require.ErrorIs(t, s.Aim("tool", [3]float64{math.NaN()}, up), errPlace)
	require.ErrorIs(t, s.Aim("tool", [3]float64{}, [4]float64{2}), errPlace)
	require.ErrorIs(t, s.Track(context.Background(), plan.Mechanism().Initial(), nil), errNoPath)
}

// TestMotions: a model whose motions are the path follows the path.
func TestMotions(t *testing.T) {
	plan := planar(t, 0.5, 0.4, 0.3)
	p := testProblem(t, plan, circleTask(Path{Spline: true, Exact: true, Step: 0.01}))
	s := testSolver(t, p, Options{})
	st := plan.Mechanism().Initial()
	_, err := s.Reach(st)
	require.NoError(t, err)
	var times []float64
	var values, rates [][]float64
	require.NoError(t, s.Track(context.Background(), st, func(now float64, st *mechanism.State, r *Result) error {
		times = append(times, now)
		values, rates = append(values, s.driven(valueOf)), append(rates, s.driven(rateOf))
		return nil
	}))
	m := planarModel(t, 0.5, 0.4, 0.3)
	p.MotionsTo(m, times, values)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	for k := range times {
		for i, f := range p.driven {
			x, rate, _ := mech.Joints[f.Joint].Motion[f.Freedom].At(times[k])
			require.InDelta(t, values[k][i], x, 1e-13)
			require.InDelta(t, rates[k][i], rate, 1e-3)
		}
	}
}

func valueOf(d DrivenResult) float64 { return d.Value }
func rateOf(d DrivenResult) float64  { return d.Rate }

// driven returns a number of each driven freedom of the last result.
func (s *Solver) driven(of func(d DrivenResult) float64) (v []float64) {
	for _, d := range s.result.Driven {
		v = append(v, of(d))
	}
	return v
}
