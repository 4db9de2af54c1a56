package ik

import (
	"context"
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/mechanism"
)

// errNoPath is returned by Track for a task without a path.
var errNoPath = errors.New("ik: task has no path")

// Track moves st along the path of the task. It calls each at every sample, the first and the last time of the path
// included, with the time, the state with its rates, and the result of the sample. State and result hold until each
// returns. The state carries all angles, so that mechanism.Mechanism.Coordinate goes on past half a turn. An error of each ends the run, and is returned.
//
// Unless Path.FromPose is set, the start of the path is reached first, by the steps of Reach. With it, and
// without Path.Exact, the path starts from the pose of st: Track returns a *mechanism.ViolationError if that violates the
// joints. Then there are three ways:
//
//   - By default, closed-loop inverse kinematics: the rates q̇ of the driven freedoms minimize
//     ½‖𝒥q̇ − (rate + κe)‖² + ½k‖q̇‖² within limits and largest rates, level after level, the posture last.
//   - With FIKMethod the rates are those of feedback inverse kinematics, cut at the limits.
//   - With Path.Exact all targets are met at every sample, by the steps of Reach.
//
// With Path.Stretch a sample takes as long as the largest rates need; each is then called with the times of the motion,
// not with those of the path.
//
// Cost: a sample is one evaluation of the engine and O(m·n·min(m, n)), no allocation; with Path.Exact that of Reach. It
// returns an error without a path, ErrEngine with the sparse method unless Path.Exact is set, and the errors of Reach. Unless
// Options.Nearest is set, it returns an *Unreached, after the call of each, if the start is not reached, or with
// Path.Exact the first sample.
func (s *Solver) Track(ctx context.Context, st *mechanism.State, each func(t float64, st *mechanism.State, r *Result) error) error {
	halt.Must(ctx)
	if s.p.task.Path == nil {
		return errNoPath
	}
	flag, end := halt.FlagOf(ctx)
	defer end()
	defer s.m.heed(ctx)()
	s.now.flag = flag
	s.now.allow(0)
	s.placed = false
	c, lost, err := s.m.beginPath(st)
	if err != nil {
		return err
	}
	s.placed = s.m.engine() != nil
	defer s.m.endPath()
	s.trail.begin(s.p.plan.Mechanism(), st)
	if lost && !flag.Up() {
		return s.tell(c.times[0], st, true, each)
	}
	return s.eachSample(ctx, c, st, each)
}

// eachSample goes along a course.
func (s *Solver) eachSample(ctx context.Context, c *course, st *mechanism.State, each func(t float64, st *mechanism.State, r *Result) error) error {
	exact := s.p.task.Path.Exact
	span := c.times[len(c.times)-1] - c.times[0]
	samples := max(1, int(math.Ceil(span/c.step-1e-9)))
	dt, late := span/float64(samples), 0.0 // of the motion after the path, by stretching
	for k := range samples + 1 {
		at := c.at(k, samples)
		took, err := s.m.sample(st, at, dt, k == 0)
		if s.now.flag.Up() {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if exact && k > 0 {
			late += took - dt
		}
		if err := s.tell(at+late, st, exact, each); err != nil {
			return err
		}
		if !exact && k < samples {
			late += took - dt
			if err := s.m.advance(took); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell reports a sample, whose targets have to be met if must is set.
func (s *Solver) tell(now float64, st *mechanism.State, must bool, each func(t float64, st *mechanism.State, r *Result) error) error {
	rates, err := s.m.ratesTo(st)
	if err != nil {
		return err
	}
	st.Time = now
	s.trail.follow(s.p, st, s.m.coordinates())
	s.result.Steps, s.result.Restarts, s.result.Elapsed = s.now.steps, 0, 0
	s.report(st)
	for i, x := range rates {
		s.result.Driven[i].Rate = x
	}
	if err := s.result.overflow(); err != nil {
		return err
	}
	if err := each(now, st, &s.result); err != nil {
		return err
	}
	if must {
		_, err = s.verdict()
	}
	return err
}
