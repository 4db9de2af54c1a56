package results

import (
	"encoding/json"
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Force is the present length, tension and energy of a spring-damper, a bushing or a cable (docs/springs.md).
type Force struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Length  float64 `json:"length"`  // m; of a bushing the distance of the origins of its frames
	Rate    float64 `json:"rate"`    // m/s
	Tension float64 `json:"tension"` // N; of a bushing the magnitude of its force
	// Energy is nil where the potential of a formula is not a number, J.
	Energy *float64 `json:"energy"`
	// Force and Torque act on body B of a bushing, about the origin of its frame there, N and N m. A spring-damper has
	// its force on B alone; a cable has neither.
	Force  *spatial.Vec3 `json:"force,omitempty"`
	Torque *spatial.Vec3 `json:"torque,omitempty"`
}

// forceResults returns the forces of the springs, bushings and cables of m at st, whose kinematics are k.
func forceResults(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) (list []Force, err error) {
	for i := range m.Forces {
		e, ok, err := m.ElementAt(i, k, st)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		r := Force{Name: m.ForceName(i), Type: m.Forces[i].Kind.String(), Length: e.Length, Rate: e.Rate, Tension: e.Tension}
		if u := e.Energy; !math.IsNaN(u) {
			r.Energy = &u
		}
		if e.Force != (spatial.Vec3{}) {
			r.Force = &e.Force
		}
		if e.Torque != (spatial.Vec3{}) {
			r.Torque = &e.Torque
		}
		list = append(list, r)
	}
	return list, nil
}

// Energy is the energy of the state, J.
type Energy struct {
	Kinetic   float64 `json:"kinetic"`
	Potential float64 `json:"potential"` // NaN where the potential of a formula is not a number (Force.Energy)
}

// energyJSON is Energy as JSON.
type energyJSON struct {
	Kinetic   float64  `json:"kinetic"`
	Potential *float64 `json:"potential"`
}

// MarshalJSON writes null for a potential energy that is not a number.
func (e Energy) MarshalJSON() ([]byte, error) {
	out := energyJSON{Kinetic: e.Kinetic}
	if !math.IsNaN(e.Potential) {
		out.Potential = &e.Potential
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes: NaN for null.
func (e *Energy) UnmarshalJSON(b []byte) error {
	var in energyJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*e = Energy{Kinetic: in.Kinetic, Potential: math.NaN()}
	if in.Potential != nil {
		e.Potential = *in.Potential
	}
	return nil
}
