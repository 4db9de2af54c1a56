package sim

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// stepping finds steps that are good enough, one after the other. This file tries one step; other files choose
// its length: over singular poses (stepping_near.go), up to knots of motions (stepping_knots.go), and otherwise (stepping.go).
type stepping struct {
	*step
	o        *Options
	implicit bool   // the stepper closes the joints itself
	turner   turner // the stepper if it is a turner, else nil
	gauged   gauged // the stepper if it is gauged and the Projector is an ExactProjector, else nil

	base    float64 // fixed steps end at base + count·Step
	count   int64
	control control
	exactly bool       // ends of steps are projected to rounding
	limit   float64    // error up to which a step is settled: 1, unless rounding does not allow that
	tried   [3]float64 // errors of the last tries of one step
	ahead   obstacle
	travels bool // some rank has contacts
	stiff   stiff
	pace    pace
	back    foothold
}

// newStepping returns the stepping of a run.
func newStepping(s *step, o *Options) *stepping {
	n := &stepping{step: s, o: o, base: s.st.Time, limit: 1, travels: s.ranks.some(s.mech.NumContacts() > 0)}
	n.turner, _ = s.stepper.(turner)
	if p, ok := o.Projector.(ExactProjector); ok {
		if n.gauged, ok = s.stepper.(gauged); ok {
			s.closer.exact = &exactly{p}
		}
	}
	_, n.implicit = s.stepper.(interface{ ClosesJoints() })
	n.closeStages(n.stagesClosed())
	_, embedded := s.stepper.Order()
	n.control = control{h: o.InitialStep, old: firstError, order: float64(embedded + 1), steady: n.implicit, most: mostTurn}
	if s.ranks.some(s.mech.NumSprung() > 0) {
		n.control.most = mostTurn / 2
	}
	return n
}

// stagesClosed reports whether the stages of all steps are closed.
func (s *stepping) stagesClosed() bool { return s.o.CloseStages || s.control.redundant }

// closeStages sets whether stages are closed.
func (s *stepping) closeStages(on bool) {
	var p Projector
	if on {
		p = s.o.Projector
	}
	s.stepper.CloseStages(p)
}

// tooShort reports whether the next step would be below rounding.
func (s *stepping) tooShort() bool {
	return s.control.h < max(s.o.MinStep, shortest(s.st.Time))
}

// length returns the controller's step, within Options.MaxStep.
func (s *stepping) length() float64 {
	if s.o.MaxStep > 0 {
		return min(s.control.h, s.o.MaxStep)
	}
	return s.control.h
}

// takeIn updates error control after an accepted step h with the error e. over says that the step has passed a
// singular pose as planned.
func (s *stepping) takeIn(h, e float64, over bool) {
	c := &s.control
	c.accept(h, e)
	s.stiff.lookAt(s.stepper, &s.stats, h)
	if s.turner != nil {
		c.turn(s.turner.furthest(), h)
	}
	if most := s.mostTravel(); c.h > most {
		c.h = most
	}
	s.noteNearness(h, over)
}

// attempt tries the controller's step, which ends at until at the latest, and
// settles it if its error e is at most 1.
func (s *stepping) attempt(until float64) (t1, e float64, err error) {
	h := s.length()
	if n := math.Ceil((until - s.st.Time) / (endSlack * h)); s.o.Even && n <= evenSteps {
		h = (until - s.st.Time) / max(n, 1)
	}
	if t1 = s.st.Time + h; s.st.Time+endSlack*h >= until {
		t1 = until
	}
	if s.gauged != nil {
		s.gauged.expect(s.control.near.redundant(s.gauged))
	}
	if e, err = s.stepper.Try(s.st, t1); err == nil && e <= s.limit {
		err = s.settle(s.exactly)
	}
	if err != nil || !(e <= s.limit) {
		s.stats.Rejected++
	}
	if err != nil && !errors.Is(err, errHalfTurn) { // shorter steps avoid half turns
		s.ahead = obstacle{t1, err}
	}
	return t1, e, err
}

const (
	// endSlack is the largest factor by which a step is extended to end with the run.
	endSlack = 1.01
	// evenSteps is the largest number of equally long steps with Options.Even. It affects only speed.
	evenSteps = 8
)

// obstacle is the last error of a step that could not be computed, and the time at which that step would have ended, s. Such an obstacle
// is the end of a curve or of a law: shorter steps approach it, and none can pass.
type obstacle struct {
	at  float64
	err error
}

// short returns err, which says that steps are too small, with the time and the cause: the obstacle ahead,
// if there is one, else the part of the mechanism with most of the estimated error (blamed).
func (s *stepping) short(err error) error {
	if o := &s.ahead; o.err != nil && o.at > s.st.Time {
		return fault.Errorf("sim: at t = %v: %w: a step to t = %v fails: %w", s.st.Time, err, o.at, o.err)
	}
	if at := s.blamed(err); at != nil {
		return at
	}
	return fault.Errorf("sim: at t = %v: %w", s.st.Time, err)
}

// fixedSlack is the fraction of a fixed step by which its end may be moved to the end of the
// run.
const fixedSlack = 1e-9

// travelPart bounds the travel of a shape on uneven ground in a step, relative to its radius, so that the step does
// not miss features of the ground.
const travelPart = 0.25

// mostTravel returns the longest step, s, from the end of the step last tried, in which no shape on uneven ground moves
// farther than travelPart of its radius.
func (s *stepping) mostTravel() float64 {
	h := math.Inf(1)
	if !s.travels {
		return h
	}
	for i := range s.mech.NumContacts() {
		c, body, _ := s.mech.Contact(i)
		if c.Ground.Flat() {
			continue
		}
		b := &s.next.Bodies[body]
		v := b.Velocity.Add(b.Omega.Cross(b.Rotation.Rotate(c.Shape.Center)))
		h = min(h, travelPart*c.Shape.Radius/v.Norm())
	}
	return s.ranks.least(h)
}

// noteNearness updates control.near after an accepted step h. over says that the step has passed a
// singular pose as planned.
func (s *stepping) noteNearness(h float64, over bool) {
	if s.gauged == nil {
		return
	}
	n := &s.control.near
	first, end := s.gauged.places()
	if n.here.near == 0 {
		n.here, n.most = first, first.near
	}
	if n.within(end) && s.gauged.slow(nearPath) {
		s.doubt()
	}
	n.note(h, end, over)
}

// doubt counts the current step in Stats.Undecided.
func (s *stepping) doubt() {
	if s.stats.Undecided++; s.stats.Undecided == 1 {
		s.stats.UndecidedAt = s.st.Time
	}
}

// foothold is a copy of the values at the start of a step that the step changes before its rows and events have been handled. goBack
// restores them.
type foothold struct {
	base    float64
	count   int64
	control control
	stats   Stats
	kept    []float64 // Stepper.Kept, if held
	held    bool
}

// hold stores the values at the start of a step, so that the step can be given up.
func (s *stepping) hold() {
	s.back.base, s.back.count, s.back.control, s.back.stats = s.base, s.count, s.control, s.stats
	kept := s.stepper.Kept()
	s.back.kept, s.back.held = append(s.back.kept[:0], kept...), kept != nil // on a rank without bodies kept may be empty and not nil
}

// goBack restores the values that hold has stored.
func (s *stepping) goBack() {
	s.base, s.count, s.control, s.stats = s.back.base, s.back.count, s.back.control, s.back.stats
	s.stepper.Restart()
	if s.back.held {
		copy(s.stepper.Keep(), s.back.kept)
	}
}

// startAnew makes the next step a first one from the current state, as an event has changed the state or the dynamics.
func (s *stepping) startAnew() {
	s.stepper.Restart()
	s.base, s.count = s.st.Time, 0
	s.control.restart()
}
