package simulate

import (
	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// hasStops reports whether a joint of m has stops.
func hasStops(m *mechanism.Mechanism) bool {
	for i := range m.NumResistors() {
		if _, stops := m.Resistor(i); stops {
			return true
		}
	}
	return false
}

// newStops makes the events of the stops. Where some have an impact speed, their impulses have a solver of their own.
func (r *runner) newStops(plan *rung.Plan) error {
	var p sim.Responder
	r.samples = 1
	for i := range r.mech.NumResistors() {
		if speed, _ := r.mech.ImpactSpeed(i); speed > 0 {
			p, r.samples = motion.NewDynamics(plan), sim.ImpactSamples
			break
		}
	}
	r.stops = sim.NewStops(r.mech, p, r.ground.stop)
	r.watched = p != nil || r.f.events != "" || r.stops.Len() <= sim.MostLandings
	if r.f.resume {
		return nil // the checkpoint has which are in flight
	}
	return shell.Failed(r.name, r.stops.Arm(r.start))
}

// stopEvents returns the events of the stops. Where there are many, whose
// steps do not end there, and nobody asks for them, there are none.
func (r *runner) stopEvents() []sim.Event {
	if !r.watched {
		return nil
	}
	return r.stops.Events()
}

// limitWarnings says which freedoms are beyond the limits of the model at st.
func limitWarnings(mech *mechanism.Mechanism, st *mechanism.State) (warnings []string) {
	k := mech.NewKinematics()
	if mech.KinematicsTo(k, st) != nil {
		return nil // the run tells
	}
	for _, l := range rung.LimitsAt(mech, k, st) {
		warnings = append(warnings, l.String())
	}
	return warnings
}
