package mechanism

// PushAt returns what actuator i does at a coordinate, a rate and a time that need not be those of a state.
//
// Cost: O(1), with a spline O(log times), no allocation.
func (m *Mechanism) PushAt(i int, q, qd, t float64) Push { return m.actuators[i].at(q, qd, t) }

// LeaveOutDriven takes contacts and actuators out of the inputs, for integrators that compute their forces themselves.
// Reset does not bring them back.
func (in *Inputs) LeaveOutDriven() {
	in.view.actuators, in.view.contacts, in.view.ruts = nil, nil, nil
}
