package runs

import (
	"fmt"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// State returns the current state. It belongs to the run and changes with it: it may be read, and cloned to keep it.
func (s *Simulation) State() *mechanism.State { return s.sim.State() }

// Time returns the time of the current state, s.
func (s *Simulation) Time() float64 { return s.sim.State().Time }

// Mechanism returns the mechanism of the run: the mechanism of the plan, or a copy with its own ground if wheels leave ruts.
func (s *Simulation) Mechanism() *mechanism.Mechanism { return s.mech }

// Stats returns the statistics of the run since its start.
func (s *Simulation) Stats() sim.Stats { return s.sim.Stats() }

// Stiffness returns the motion that limits the steps by its stiffness, nil if there is none (sim.Simulation.Stiffness).
func (s *Simulation) Stiffness() *sim.Stiffness { return s.sim.Stiffness() }

// Evaluations returns the number of evaluations of accelerations since the run was created or resumed.
func (s *Simulation) Evaluations() int64 { return s.mover.Stepper.Evaluations() }

// Stepper returns the integrator, for reading its diagnostics, such as sim.GeneralizedAlpha.LastEnd.
func (s *Simulation) Stepper() sim.Stepper { return s.mover.Stepper }

// Stopped returns the name of the event that has stopped the run, "" if none has.
func (s *Simulation) Stopped() string { return s.sim.Stopped() }

// Events returns the events of contacts and stops since the run was created or resumed: the first 2²⁰, and the number
// of others.
func (s *Simulation) Events() (list []Event, more int64) { return s.events, s.more }

// Warnings returns the warnings about the run (runs.Warnings).
func (s *Simulation) Warnings() []string { return s.warnings }

// Fit returns the corrections by which the first state was closed; nil if it was not closed.
func (s *Simulation) Fit() *Fit { return s.fit }

// Columns returns the columns of a row.
func (s *Simulation) Columns() *sim.Columns { return s.record.columns }

// Every returns the time between rows, s; 0 if there are none.
func (s *Simulation) Every() float64 { return s.o.Every }

// Rows returns the rows that are kept in memory, each with a number for each column; nil if rows go to a file, a writer or OnRow.
func (s *Simulation) Rows() [][]float64 { return s.record.rows }

// Told returns the summary of rows and states, with the energies that contacts, stops and friction have dissipated.
func (s *Simulation) Told() Told {
	byImpacts, _ := s.stops.Taken()
	return s.record.Told(s.sim.Dissipated(), s.sim.DissipatedByJoints()+byImpacts)
}

// Impacts returns the number of impacts at stops.
func (s *Simulation) Impacts() int64 {
	_, n := s.stops.Taken()
	return n
}

// Tolerance returns the relative error of steps by error control. It is larger than the tolerance of the options
// if rounding does not allow that one. It is 0 with a fixed step.
func (s *Simulation) Tolerance() float64 {
	t := s.o.RelativeTolerance()
	if k, ok := s.mover.Stepper.(interface{ Relative() float64 }); ok && t > 0 {
		return max(t, k.Relative())
	}
	return t
}

// Resumed returns the checkpoint from which the run continues, nil if it has begun anew.
func (s *Simulation) Resumed() *sim.Checkpoint { return s.check }

// stopName returns the name of the stop of a freedom in files and events: JOINT.FREEDOM.
func stopName(m *mechanism.Mechanism, f mechanism.Freedom) string {
	return fmt.Sprintf("%s.%d", m.JointName(f.Joint), f.Freedom)
}
