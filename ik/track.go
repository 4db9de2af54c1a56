package ik

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// ErrNoPath is returned by Track for a task without a path.
var ErrNoPath = errors.New("ik: task has no path")

const (
	// trackFeedback is κ of damped least squares in the rate where the task gives none, 1/s, as far as the step allows.
	trackFeedback = 10
	// trackDamping is k of damped least squares in the rate, of the square of the problem's length.
	trackDamping = 1e-6
)

// track is the memory of a path.
type track struct {
	course    *course
	want      []want       // by target
	ways      [][7]float64 // by way: rates of the place of its target
	raw, rate []float64    // m, as the engine orders rows, and by levels with those of the posture: wanted rates
	moved     []float64    // m: rates of the rows by the motions of the model
	missing   []float64    // rows: what a level still has to do
	dq, null  []float64    // n: rates of the driven freedoms, and those of the posture
	from      []float64    // n: coordinates at the sample before
	low, high []float64    // n: limits of a sample
	damping   float64
	feedback  float64
	lost      bool        // the start of the path is not reached
	filter    *fik.Filter // nil unless FIKMethod
	trail     trail
}

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
// returns ErrNoPath, ErrEngine with the sparse method unless Path.Exact is set, and the errors of Reach. Unless
// Options.Nearest is set, it returns an *Unreached, after the call of each, if the start is not reached, or with
// Path.Exact the first sample.
func (s *Solver) Track(ctx context.Context, st *mechanism.State, each func(t float64, st *mechanism.State, r *Result) error) error {
	halt.Must(ctx)
	switch {
	case s.p.task.Path == nil:
		return ErrNoPath
	case s.whole != nil:
		return s.trackWhole(ctx, st, each)
	}
	flag, end := halt.FlagOf(ctx)
	defer end()
	if err := s.beginTrack(flag, st); err != nil {
		return err
	}
	defer s.endTrack()
	c := s.track.course
	if s.track.lost && !flag.Up() {
		s.refresh()
		return s.tell(c.times[0], st, each)
	}
	span := c.times[len(c.times)-1] - c.times[0]
	samples := max(1, int(math.Ceil(span/c.step-1e-9)))
	dt, late := span/float64(samples), 0.0 // of the motion after the path, by stretching
	for k := range samples + 1 {
		at := c.at(k, samples)
		if err := s.goOn(at); err != nil {
			return err
		}
		took, err := s.sample(at, dt, k == 0)
		if flag.Up() {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if s.p.task.Path.Exact && k > 0 {
			late += took - dt
		}
		if err := s.tell(at+late, st, each); err != nil {
			return err
		}
		if !s.p.task.Path.Exact && k < samples {
			late += took - dt
			if err := s.advance(took); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginTrack brings the engine to st and makes the memory of the path.
func (s *Solver) beginTrack(flag *halt.Flag, st *mechanism.State) error {
	s.flag, s.deadline, s.hasty = flag, time.Time{}, false
	if err := s.Set(st); err != nil {
		return err
	}
	if err := s.startsAt(st); err != nil {
		return err
	}
	s.eng.coordinatesTo(s.q)
	s.result.Outside = s.p.outside(s.q)
	if err := s.enter(); err != nil {
		return err
	}
	copy(s.try, s.q)
	if s.track == nil {
		s.newTrack()
	}
	t := s.track
	t.trail.begin(s.p.plan.Mechanism(), st)
	for i := range t.want {
		t.want[i] = s.p.targets[i].want
	}
	if !s.p.task.Path.Exact && !s.p.task.Path.FromPose {
		if err := s.reachStart(); err != nil {
			return err
		}
	}
	if s.o.Method == FIKMethod {
		return s.newFilter()
	}
	return nil
}

// startsAt returns an error if the path starts from the pose of st, which violates the joints.
func (s *Solver) startsAt(st *mechanism.State) error {
	if path := s.p.task.Path; path.Exact || !path.FromPose {
		return nil
	}
	m := s.p.plan.Mechanism()
	k := m.NewKinematics()
	err := m.KinematicsTo(k, st)
	if err == nil {
		err = m.PoseHoldsIn(k, st, m.DriftUnit())
	}
	if err != nil {
		return fault.Errorf("ik: %w", err)
	}
	return nil
}

// reachStart brings the targets to where the path begins, by the steps of Reach.
func (s *Solver) reachStart() error {
	first := s.track.course.times[0]
	if err := s.goOn(first); err != nil {
		return err
	}
	s.aimAt(first)
	s.descend()
	clear(s.track.dq)
	s.track.lost = !s.allMet() && !s.o.Nearest
	return nil
}

// newTrack allocates the memory of the path.
func (s *Solver) newTrack() {
	n := len(s.q)
	t := &track{want: make([]want, len(s.p.targets)), raw: make([]float64, s.p.m), moved: make([]float64, s.p.m), rate: make([]float64, len(s.e)),
		missing: make([]float64, len(s.e)), feedback: trackFeedback, damping: s.o.Damping}
	for _, v := range []*[]float64{&t.dq, &t.null, &t.from, &t.low, &t.high} {
		*v = make([]float64, n)
	}
	if f := s.p.task.FIK; f != nil && f.Feedback > 0 {
		t.feedback = f.Feedback
	}
	if t.damping == 0 {
		t.damping = trackDamping * s.p.length * s.p.length
	}
	if s.p.task.Path != nil {
		t.course = s.p.newCourse()
		t.ways = make([][7]float64, len(t.course.ways))
	}
	s.track = t
}

// endTrack gives limits and targets back.
func (s *Solver) endTrack() {
	s.low, s.high = s.p.lower, s.p.upper
	for i := range s.track.want {
		s.eng.aim(i, s.p.targets[i].want)
	}
}

// sample aims at the path's time t and finds the rates there, with Path.Exact the pose before. It returns the time that
// the section after it takes, with Path.Exact that before it.
func (s *Solver) sample(t, dt float64, first bool) (took float64, err error) {
	s.aimAt(t)
	s.steps = 0
	if s.p.task.Path.Exact {
		took = s.exact(dt, first)
		s.drift()
		s.rates(dt, 0)
		s.stretched(dt)
		return took, nil
	}
	s.errorsTo(s.e)
	s.refresh()
	s.drift()
	if s.track.filter != nil {
		if err = s.filtered(); err != nil {
			err = s.filterError(err)
		}
		s.cut()
	} else {
		s.rates(dt, min(s.track.feedback, 1/dt))
	}
	for l := range s.levels {
		v := &s.levels[l]
		if v.status = Nearest; v.targets == nil || s.met(v) {
			v.status = Reached
		}
	}
	return s.stretched(dt), err
}

// goOn takes the motions of the model to the time t of the path, if they move anything.
func (s *Solver) goOn(t float64) error {
	if !s.p.moving {
		return nil
	}
	return s.eng.goOn(t)
}

// drift finishes the wanted rates, which depend on the pose: those of orientations and distances, and what the motions
// of the model do by themselves.
func (s *Solver) drift() {
	k := s.track
	s.turn()
	if s.p.moving {
		s.eng.driftTo(k.moved)
		for i, x := range k.moved {
			k.raw[i] -= x
		}
	}
	for i := range k.raw {
		at := i
		if s.order != nil {
			at = int(s.order[i])
		}
		k.rate[i] = k.raw[at]
	}
}

// turn puts into the wanted rates those that depend on the pose.
func (s *Solver) turn() {
	k, looked := s.track, false
	for i := range k.course.ways {
		v := &k.course.ways[i]
		if !v.posed {
			continue
		}
		if !looked {
			s.eng.errorsTo(s.raw)
			looked = true
		}
		s.eng.poseRatesTo(k.raw, &k.ways[i], v.target)
	}
}

// aimAt aims the targets at the path's time t and stores their rates.
func (s *Solver) aimAt(t float64) {
	k := s.track
	for i := range s.p.targets {
		g := &s.p.targets[i]
		for r := range g.n {
			k.raw[g.first+r] = 0
			if g.Rate != nil {
				k.raw[g.first+r] = g.weight[r] * g.Rate[g.own[r]]
			}
		}
	}
	for i := range k.course.ways {
		v := &k.course.ways[i]
		g := &s.p.targets[v.target]
		rate := &k.ways[i]
		v.wantTo(&k.want[v.target], rate, t)
		s.eng.aim(v.target, k.want[v.target])
		for r := range g.n {
			k.raw[g.first+r] = g.rateOf(r, rate)
		}
	}
}

// exact meets the targets from the pose of the sample before, as far as the largest rates let it, or with Path.Stretch
// in the time that they need, which it returns.
func (s *Solver) exact(dt float64, first bool) float64 {
	k, stretch := s.track, s.p.task.Path.Stretch
	copy(k.from, s.q)
	s.low, s.high = s.p.lower, s.p.upper
	if !first && !stretch {
		for i, q := range s.q {
			k.low[i], k.high[i] = max(s.p.lower[i], q-s.p.rate[i]*dt), min(s.p.upper[i], q+s.p.rate[i]*dt)
		}
		s.low, s.high = k.low, k.high
	}
	s.descend()
	s.low, s.high = s.p.lower, s.p.upper
	took := dt
	for i, q := range s.q {
		if !first && stretch {
			took = max(took, math.Abs(q-k.from[i])/s.p.rate[i])
		}
	}
	return took
}

// rates stores in track.dq the rates of the driven freedoms that follow
// the targets, one level after the other, with a feedback of errors.
func (s *Solver) rates(dt, feedback float64) {
	k, n, b := s.track, len(s.q), s.bounded
	clear(k.dq)
	for r := s.p.m; r < len(s.e); r++ {
		k.rate[r] = s.p.task.Posture.Gain * s.e[r]
	}
	for l := range s.levels {
		v := &s.levels[l]
		A, e := s.J[v.first*n:v.end*n], k.missing[v.first:v.end]
		for r := range e {
			e[r] = k.rate[v.first+r] - algebra.Dot(k.dq, A[r*n:r*n+n])
			if v.targets != nil {
				e[r] += feedback * s.e[v.first+r]
			}
		}
		for i, q := range s.q {
			lower, upper := (s.p.lower[i]-q)/dt, (s.p.upper[i]-q)/dt
			if !s.p.task.Path.Stretch {
				lower, upper = max(lower, -s.p.rate[i]), min(upper, s.p.rate[i])
			}
			b.lower[i], b.upper[i] = lower/s.size[i]-k.dq[i], upper/s.size[i]-k.dq[i]
			b.lower[i], b.upper[i] = min(b.lower[i], 0), max(b.upper[i], 0)
		}
		C := s.J[:v.first*n]
		b.step(A, e, C, s.trackDamping(A, C, len(e)))
		add(k.dq, 1, b.u)
	}
	for i, size := range s.size {
		k.dq[i] *= size
	}
}

// cut keeps rates below the largest ones, unless time is stretched for them.
func (s *Solver) cut() {
	for i, most := range s.p.rate {
		if !s.p.task.Path.Stretch {
			s.track.dq[i] = min(max(s.track.dq[i], -most), most)
		}
	}
}

// trackDamping returns k of the rates by the method.
func (s *Solver) trackDamping(A, C []float64, m int) float64 {
	switch s.o.Method {
	case Adaptive:
		return s.adaptive(A, C, m)
	case Pinv, Transpose, Selective:
		return 0
	}
	return s.track.damping
}

// stretched returns the time that the rates in track.dq need for what they do in dt.
func (s *Solver) stretched(dt float64) float64 {
	took := dt
	for i, x := range s.track.dq {
		if s.p.task.Path.Stretch {
			took = max(took, dt*math.Abs(x)/s.p.rate[i])
		}
	}
	for i := range s.track.dq {
		s.track.dq[i] *= dt / took
	}
	return took
}

// advance goes on for the time took with the rates in track.dq.
func (s *Solver) advance(took float64) error {
	for i, x := range s.track.dq {
		s.try[i] = min(max(s.q[i]+took*x, s.low[i]), s.high[i])
	}
	if err := s.eng.moveTo(s.try); err != nil {
		return err
	}
	copy(s.q, s.try)
	return nil
}

// tell reports a sample.
func (s *Solver) tell(now float64, st *mechanism.State, each func(t float64, st *mechanism.State, r *Result) error) error {
	if err := s.eng.setRates(s.track.dq); err != nil {
		return err
	}
	s.eng.stateTo(st)
	st.Time = now
	s.track.trail.follow(s.p, st, s.q)
	s.result.Steps, s.result.Restarts = s.steps, 0
	s.report(time.Now(), st)
	s.result.Elapsed = 0
	for i, x := range s.track.dq {
		s.result.Driven[i].Rate = x
	}
	if err := s.result.overflow(); err != nil {
		return err
	}
	if err := each(now, st, &s.result); err != nil {
		return err
	}
	if (s.p.task.Path.Exact || s.track.lost) && s.result.Status != Reached && !s.o.Nearest {
		s.failed = s.worst()
		return &s.failed
	}
	return nil
}

// MotionsTo prescribes the driven freedoms in m, the model of p, as splines through their coordinates at the times, so
// that simulations and inverse dynamics go along the path.
//
// Shapes: values has one entry a time, each of as many numbers as driven freedoms. Cost: O(times · freedoms); allocates.
func (p *Problem) MotionsTo(m *model.Model, times []float64, values [][]float64) {
	for i, f := range p.driven {
		j := &m.Joints[f.Joint]
		motions := make([]*model.Motion, j.Kind().Freedoms())
		copy(motions, j.Motion)
		v := make([]float64, len(times))
		for k := range times {
			v[k] = values[k][i]
		}
		motions[f.Freedom] = &model.Motion{Kind: joints.Spline, Times: slices.Clone(times), Values: v}
		j.Motion = motions
	}
}
