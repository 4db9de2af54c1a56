package sim

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// step is the current step of a run: its start, its end, and states inside. All parts of the run share it.
type step struct {
	mech    *mechanism.Mechanism
	stepper Stepper
	ranks   *ranks
	ending  ending
	closer  closer
	turns   turns
	stats   Stats

	st        *mechanism.State // start of the step, the state of the run
	next      mechanism.State  // end of the step, projected
	projected bool             // projection has changed next; false for a projection to rounding
	quick     bool             // after such a projection, the next step starts with the accelerations before it (Options.Quick)
	sample    mechanism.State  // a state inside the step
}

func newStep(m *mechanism.Mechanism, stepper Stepper, st *mechanism.State, all *ranks) *step {
	s := &step{mech: m, stepper: stepper, ranks: all, st: st.Clone(), next: *st.Clone(), sample: *st.Clone()}
	if n := m.NumInternal(); len(st.Internal) != n {
		s.st.Internal, s.next.Internal, s.sample.Internal = make([]float64, n), make([]float64, n), make([]float64, n)
	}
	return s
}

// carry makes the states of the run carry all angles.
func (s *step) carry() {
	s.mech.FollowAngles(&s.closer.kin, s.st)
	s.turns = newTurns(s.mech, s.st)
	s.next.Angles, s.sample.Angles = s.st.Angles, s.st.Angles
}

// ended reports whether the context of the run has ended.
func (s *step) ended() bool { return s.ending.ended() }

// orCause returns err, or the cause of the context of the run if that has ended.
func (s *step) orCause(err error) error { return s.ending.orCause(s.st.Time, err) }

// sampleAt sets s.sample to the state at the fraction theta of the step.
func (s *step) sampleAt(theta float64) {
	s.stepper.AtTo(&s.sample, theta)
	s.turns.followSample(&s.sample, s.st)
}

// closedAt is sampleAt with a projection if the state has drifted. If the projection fails, the sample is not projected, which shows in
// its drift.
func (s *step) closedAt(theta float64) {
	s.stepper.AtTo(&s.sample, theta)
	if _, _, err := s.closer.closeAt(&s.sample); err != nil {
		s.stepper.AtTo(&s.sample, theta)
	}
	s.turns.followSample(&s.sample, s.st)
}

// closeNext projects s.next if it has drifted, and reports whether it has changed.
func (s *step) closeNext() (changed bool, err error) {
	d, changed, err := s.closer.closeAt(&s.next)
	s.stats.Worst.widen(d)
	return changed, err
}

// settle sets s.next to the end of the step last tried, projected if it has drifted, or projected to rounding if exactly is set, and
// prepares the next step. After an error the run cannot continue from there.
func (s *step) settle(exactly bool) error {
	s.stepper.AtTo(&s.next, 1)
	var changed bool
	var err error
	if exactly {
		changed, err = true, project(s.closer.exact, &s.next)
	} else {
		var d Drift
		d, changed, err = s.closer.closeEnd(&s.next)
		s.stats.Worst.widen(d)
	}
	if err != nil {
		return fault.Errorf("sim: step to t = %v: %w", s.next.Time, err)
	}
	s.projected = changed && !exactly
	s.turns.noteTurns(s.st, &s.next)
	return s.stepper.Lead(&s.next, changed && !(s.quick && s.projected))
}

// take makes s.next the state of the run. projected says that s.next has been projected.
func (s *step) take(projected bool) {
	if projected {
		s.stats.Projections++
	}
	s.turns.followEnd(&s.next, s.st)
	copyTo(s.st, &s.next)
	s.mech.FollowAngles(&s.closer.kin, s.st)
}
