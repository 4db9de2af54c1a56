package sim

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// step is the step at hand, for all parts of a run: where it starts, where it ends, and the states inside.
type step struct {
	mech    *mechanism.Mechanism
	stepper Stepper
	ranks   *ranks
	ending  ending
	closer  closer
	turns   turns
	stats   Stats

	st        *mechanism.State // its start, the state of the run
	next      mechanism.State  // its end, projected
	projected bool             // projection has changed next, but not to rounding
	quick     bool             // the step after such a one begins with the accelerations from before the projection (Options.Quick)
	sample    mechanism.State  // inside
}

func newStep(m *mechanism.Mechanism, stepper Stepper, st *mechanism.State, all *ranks) *step {
	s := &step{mech: m, stepper: stepper, ranks: all, st: st.Clone(), next: *st.Clone(), sample: *st.Clone()}
	if n := m.NumInternal(); len(st.Internal) != n {
		s.st.Internal, s.next.Internal, s.sample.Internal = make([]float64, n), make([]float64, n), make([]float64, n)
	}
	return s
}

// carry makes the run's state carry all angles.
func (s *step) carry() {
	s.mech.FollowAngles(&s.closer.kin, s.st)
	s.turns = newTurns(s.mech, s.st)
	s.next.Angles, s.sample.Angles = s.st.Angles, s.st.Angles
}

// ended reports whether the context of the run has ended.
func (s *step) ended() bool { return s.ending.ended() }

// orCause returns err, or, if the context of the run has ended, its cause.
func (s *step) orCause(err error) error { return s.ending.orCause(s.st.Time, err) }

// sampleAt makes s.sample the state at a fraction of the step.
func (s *step) sampleAt(theta float64) {
	s.stepper.AtTo(&s.sample, theta)
	s.turns.followSample(&s.sample, s.st)
}

// closedAt is sampleAt, projected where the state has drifted. Where that cannot be done it stays as it is; its drift tells.
func (s *step) closedAt(theta float64) {
	s.stepper.AtTo(&s.sample, theta)
	if _, _, err := s.closer.closeAt(&s.sample); err != nil {
		s.stepper.AtTo(&s.sample, theta)
	}
	s.turns.followSample(&s.sample, s.st)
}

// closeNext brings s.next back to the constraints, where it has drifted.
func (s *step) closeNext() (changed bool, err error) {
	d, changed, err := s.closer.closeAt(&s.next)
	s.stats.Worst.widen(d)
	return changed, err
}

// settle makes s.next from the step last tried: its end, projected where it has drifted, or to rounding.
// An error says that the run cannot go on from there.
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

// take makes s.next the state of the run. projected says that it has been.
func (s *step) take(projected bool) {
	if projected {
		s.stats.Projections++
	}
	s.turns.followEnd(&s.next, s.st)
	copyTo(s.st, &s.next)
	s.mech.FollowAngles(&s.closer.kin, s.st)
}
