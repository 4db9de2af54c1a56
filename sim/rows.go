package sim

import "github.com/rung-mbd/rung/internal/fault"

// rows writes the rows of a run at equal intervals of time.
type rows struct {
	recorder Recorder // nil: no rows
	every    float64  // interval, s
	written  int64
	row      Row
	angles   []float64 // memory for the State.Angles of a row (follow)
}

// dueSlack allows for rounding of times, relative to the output interval.
const dueSlack = 1e-10

// writeUpTo writes the rows that are due up to the fraction theta of the step last tried, which goes to t1. The run started at start.
func (r *rows) writeUpTo(s *step, start, t1, theta float64) error {
	if r.recorder == nil {
		return nil
	}
	t0 := s.st.Time
	// By rounding, the time of a row may be slightly behind the end of a step that was meant to reach it.
	end := t0 + theta*(t1-t0) + dueSlack*r.every
	for {
		due := start + float64(r.written)*r.every
		if due > end {
			return nil
		}
		s.closedAt(min(max((due-t0)/(t1-t0), 0), theta))
		if s.ended() {
			return s.orCause(nil)
		}
		if err := r.write(s); err != nil {
			return err
		}
	}
}

// writeNow writes the row of the current state of the run.
func (r *rows) writeNow(s *step) error {
	if r.recorder == nil {
		return nil
	}
	copyTo(&s.sample, s.st)
	return r.write(s)
}

// writeEnd writes the row of the last state of a run that started at start, unless the last row has this state. The row does not count
// in written.
func (r *rows) writeEnd(s *step, start float64) error {
	if r.recorder == nil || s.st.Time <= start+float64(r.written-1)*r.every+dueSlack*r.every {
		return nil
	}
	if err := r.writeNow(s); err != nil {
		return err
	}
	r.written--
	return nil
}

// follow updates the parameters of curves and feet on terrain in s.sample.Angles to the sample's pose. So the row
// of a state is the same, whether the state is inside a step or the current state of the run.
func (r *rows) follow(s *step) {
	if !s.mech.HasFollowed() {
		return
	}
	r.angles = append(r.angles[:0], s.sample.Angles...)
	s.sample.Angles = r.angles
	s.mech.FollowAngles(&s.closer.kin, &s.sample)
}

// write writes the row of s.sample.
func (r *rows) write(s *step) (err error) {
	r.follow(s)
	if r.row.Drift, err = s.closer.driftAt(&s.sample); err != nil {
		return err
	}
	r.row.State = &s.sample
	r.row.Energy = s.mech.EnergyAt(&s.closer.kin, &s.sample)
	if err := bearAt(s.mech, s.stepper, &s.sample); err != nil {
		return err
	}
	if err := r.recorder.Record(&r.row); err != nil {
		return fault.Errorf("sim: row at t = %v: %w", s.sample.Time, err)
	}
	r.written++
	return nil
}
