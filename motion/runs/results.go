package runs

import (
	"fmt"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// State returns the current state. It is the run's own: read it, and Clone what has to last.
func (s *Simulation) State() *mechanism.State { return s.sim.State() }

// Time returns the time of the current state, s.
func (s *Simulation) Time() float64 { return s.sim.State().Time }

// Mechanism returns what moves: that of the plan, or one with ground of its own where wheels leave ruts.
func (s *Simulation) Mechanism() *mechanism.Mechanism { return s.mech }

// Stats returns what the run has done, from its start.
func (s *Simulation) Stats() sim.Stats { return s.sim.Stats() }

// Stiffness is that of the sim.Simulation: what limits the steps, nil where they follow all motions.
func (s *Simulation) Stiffness() *sim.Stiffness { return s.sim.Stiffness() }

// Evaluations returns how often accelerations have been computed since the run was made or resumed.
func (s *Simulation) Evaluations() int64 { return s.mover.Stepper.Evaluations() }

// Stepper returns what makes the steps, to look at (sim.GeneralizedAlpha.LastEnd).
func (s *Simulation) Stepper() sim.Stepper { return s.mover.Stepper }

// Stopped returns the name of the event that stopped the run, "" if none did.
func (s *Simulation) Stopped() string { return s.sim.Stopped() }

// Events returns what contacts and stops have done since the run was made or resumed: the first 2²⁰, and the number
// of others.
func (s *Simulation) Events() (list []Event, more int64) { return s.events, s.more }

// Warnings returns what stands in the way of the run, as Warnings does.
func (s *Simulation) Warnings() []string { return s.warnings }

// Fit returns how the first state was closed; nil if it has not been.
func (s *Simulation) Fit() *Fit { return s.fit }

// Columns returns the columns of a row.
func (s *Simulation) Columns() *sim.Columns { return s.record.columns }

// Every returns the time between rows, s; 0 if there are none.
func (s *Simulation) Every() float64 { return s.o.Every }

// Rows returns the rows that have been kept in memory, each with a number a column; nil if rows go elsewhere.
func (s *Simulation) Rows() [][]float64 { return s.record.rows }

// Told returns what rows and states have told, with what contacts and stops have taken.
func (s *Simulation) Told() Told {
	struck, _ := s.stops.Taken()
	return s.record.Told(s.sim.Dissipated(), s.sim.DissipatedByJoints()+struck)
}

// Impacts returns the number of impulses at stops.
func (s *Simulation) Impacts() int64 {
	_, n := s.stops.Taken()
	return n
}

// Tolerance returns the relative error that steps by error control may make; it is larger than that of the options
// where rounding does not allow that one. 0 with a fixed step.
func (s *Simulation) Tolerance() float64 {
	t := s.o.RelativeTolerance()
	if k, ok := s.mover.Stepper.(interface{ Relative() float64 }); ok && t > 0 {
		return max(t, k.Relative())
	}
	return t
}

// Resumed returns the checkpoint that the run goes on from, nil if it has begun anew.
func (s *Simulation) Resumed() *sim.Checkpoint { return s.check }

// stopName is the name of a stop in files and events.
func stopName(m *mechanism.Mechanism, f mechanism.Freedom) string {
	return fmt.Sprintf("%s.%d", m.JointName(f.Joint), f.Freedom)
}
