package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// trackFeedback is the default of κ of damped least squares in the rate, 1/s. A sample takes at most 1/dt.
	trackFeedback = 10
	// trackDamping is the default of k of damped least squares in the rate, relative to the square of the problem's length.
	trackDamping = 1e-6
)

// beginPath starts a path from st. It returns the course, and whether the start of the path cannot be reached.
func (s *denseMethod) beginPath(st *mechanism.State) (*course, bool, error) {
	s.hasty = false
	if err := s.eng.set(st); err != nil {
		return nil, false, err
	}
	if err := s.checkStart(st); err != nil {
		return nil, false, err
	}
	s.eng.coordinatesTo(s.q)
	s.outside = s.p.outside(s.q)
	if err := s.enter(); err != nil {
		return nil, false, err
	}
	copy(s.try, s.q)
	if s.track == nil {
		s.newTrack()
	}
	t := s.track
	for i := range t.want {
		t.want[i] = s.p.targets[i].wanted
	}
	if !s.p.task.Path.Exact && !s.p.task.Path.FromPose {
		if err := s.reachStart(); err != nil {
			return nil, false, err
		}
	}
	if s.o.Method == FIKMethod {
		if err := s.newFilter(); err != nil {
			return nil, false, err
		}
	}
	if t.lost && !s.flag.Up() {
		s.refresh()
	}
	return t.course, t.lost, nil
}

// checkStart returns an error if the path starts from the pose of st and that pose violates the joints.
func (s *denseMethod) checkStart(st *mechanism.State) error {
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

// reachStart brings the targets to the start of the path by the steps of Reach, and stores in track.lost whether that has failed.
func (s *denseMethod) reachStart() error {
	first := s.track.course.times[0]
	if err := s.setTime(first); err != nil {
		return err
	}
	s.aimAt(first)
	s.descendTo(len(s.list))
	clear(s.track.dq)
	s.track.lost = !s.allMet() && !s.o.Nearest
	return nil
}

// newTrack allocates the memory of a path or of the filter.
func (s *denseMethod) newTrack() {
	n := len(s.q)
	t := &track{want: make([]wanted, len(s.p.targets)), raw: make([]float64, s.p.m), moved: make([]float64, s.p.m), rate: make([]float64, len(s.e)),
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

// endPath restores the limits and targets of the problem.
func (s *denseMethod) endPath() {
	s.low, s.high = s.p.lower, s.p.upper
	for i := range s.track.want {
		s.eng.aim(i, s.p.targets[i].wanted)
	}
}

// sample aims at the path's time t and finds the rates there; with Path.Exact it finds the pose first. It returns the time that the motion
// takes for the section after the sample, with Path.Exact for the section before it.
func (s *denseMethod) sample(_ *mechanism.State, t, dt float64, first bool) (took float64, err error) {
	if err := s.setTime(t); err != nil {
		return 0, err
	}
	s.aimAt(t)
	s.steps = 0
	if s.p.task.Path.Exact {
		took = s.exact(dt, first)
		s.finishRates()
		s.rates(dt, 0)
		s.stretched(dt)
		return took, nil
	}
	s.errorsTo(s.e)
	s.refresh()
	s.finishRates()
	if s.track.filter != nil {
		if err = s.filtered(); err != nil {
			err = s.filterError(err)
		}
		s.shorten()
	} else {
		s.rates(dt, min(s.track.feedback, 1/dt))
	}
	for l := range s.list {
		v := &s.list[l]
		if v.status = Nearest; v.targets == nil || s.met(v) {
			v.status = Reached
		}
	}
	return s.stretched(dt), err
}

// setTime takes the motions of the model to the time t of the path, if they move anything.
func (s *denseMethod) setTime(t float64) error {
	if !s.p.moving {
		return nil
	}
	return s.eng.setTime(t)
}

// finishRates adds to the wanted rates the parts that depend on the pose: the rates of orientations and distances, less the rates that the
// motions of the model bring about by themselves. It then sorts the rates by levels.
func (s *denseMethod) finishRates() {
	k := s.track
	s.addPoseRates()
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

// addPoseRates stores among the wanted rates the rates that depend on the pose.
func (s *denseMethod) addPoseRates() {
	k, looked := s.track, false // looked: errorsTo has been called, as poseRatesTo requires
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

// aimAt aims the targets at their wanted places at the path's time t, and stores their wanted rates, as far as they do not depend on the
// pose.
func (s *denseMethod) aimAt(t float64) {
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

// exact descends to the targets from the pose of the sample before, and returns the time that the section takes. Without Path.Stretch that
// is dt, and no driven freedom moves further than its largest rate allows; with it, the time is as long as the largest rates need.
func (s *denseMethod) exact(dt float64, first bool) float64 {
	k, stretch := s.track, s.p.task.Path.Stretch
	copy(k.from, s.q)
	s.low, s.high = s.p.lower, s.p.upper
	if !first && !stretch {
		for i, q := range s.q {
			k.low[i], k.high[i] = max(s.p.lower[i], q-s.p.rate[i]*dt), min(s.p.upper[i], q+s.p.rate[i]*dt)
		}
		s.low, s.high = k.low, k.high
	}
	s.descendTo(len(s.list))
	s.low, s.high = s.p.lower, s.p.upper
	took := dt
	for i, q := range s.q {
		if !first && stretch {
			took = max(took, math.Abs(q-k.from[i])/s.p.rate[i])
		}
	}
	return took
}

// rates stores in track.dq the rates of the driven freedoms with which the targets follow the path, one level after the other:
// docs/inverse-kinematics.md, Paths. feedback is κ, 1/s. The largest rates bound them, unless time is stretched.
func (s *denseMethod) rates(dt, feedback float64) {
	k, n, b := s.track, len(s.q), s.bounded
	clear(k.dq)
	for r := s.p.m; r < len(s.e); r++ {
		k.rate[r] = s.p.task.Posture.Gain * s.e[r]
	}
	for l := range s.list {
		v := &s.list[l]
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

// shorten bounds the rates in track.dq by the largest ones, unless time is stretched.
func (s *denseMethod) shorten() {
	for i, most := range s.p.rate {
		if !s.p.task.Path.Stretch {
			s.track.dq[i] = min(max(s.track.dq[i], -most), most)
		}
	}
}

// trackDamping returns the damping k of the rates, by the method.
func (s *denseMethod) trackDamping(A, C []float64, m int) float64 {
	switch s.o.Method {
	case Adaptive:
		return s.adaptiveDamping(A, C, m)
	case Pinv, Transpose, Selective:
		return 0
	}
	return s.track.damping
}

// stretched returns the time that the motion takes for a section of the length dt: dt, or with Path.Stretch as long as the largest rates
// need. It divides the rates in track.dq by the same factor.
func (s *denseMethod) stretched(dt float64) float64 {
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

// advance moves to the pose after the time took, s, at the rates in track.dq.
func (s *denseMethod) advance(took float64) error {
	for i, x := range s.track.dq {
		s.try[i] = min(max(s.q[i]+took*x, s.low[i]), s.high[i])
	}
	if err := s.eng.moveTo(s.try); err != nil {
		return err
	}
	copy(s.q, s.try)
	return nil
}

// ratesTo stores in st the pose of the sample with the rates in track.dq, and returns these.
func (s *denseMethod) ratesTo(st *mechanism.State) ([]float64, error) {
	if err := s.eng.setRates(s.track.dq); err != nil {
		return nil, err
	}
	s.eng.stateTo(st)
	return s.track.dq, nil
}
