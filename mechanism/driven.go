package mechanism

// PushAt returns the force of actuator i, and its derivatives, at a coordinate, a rate and a time that need not be of a state.
//
// Cost: O(1), with a spline O(log times), no allocation.
func (m *Mechanism) PushAt(i int, q, qd, t float64) Push { return m.actuators[i].at(q, qd, t) }

// LeaveOutDriven gives in the values that m has now, and takes contacts and actuators out of it, for integrators that compute their forces
// themselves. in was made from m (NewInputs), or from another mechanism with the same model. Reset does not bring contacts and actuators
// back.
//
// Cost: O(joints + force elements), no allocation but for drives that are new in m.
func (in *Inputs) LeaveOutDriven(m *Mechanism) {
	if !in.Are(m) {
		panic("mechanism: foreign inputs")
	}
	in.view.actuators, in.view.contacts, in.view.ruts = nil, nil, nil
	in.take(m)
}
