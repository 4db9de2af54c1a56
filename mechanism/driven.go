package mechanism

// PushAt returns the force of actuator i with its derivatives at the coordinate q, the rate qd and the time t.
//
// Cost: O(1), with a spline O(log times), no allocation.
func (m *Mechanism) PushAt(i int, q, qd, t float64) Push { return m.actuators[i].at(q, qd, t) }

// LeaveOutDriven sets in to the current values of m and removes contacts and actuators from in, for integrators that compute their
// forces themselves. in was made from m (NewInputs), or from another mechanism with the same model; else LeaveOutDriven panics. Reset
// does not restore contacts and actuators.
//
// Cost: O(joints + force elements); allocates only for drives that are new in m.
func (in *Inputs) LeaveOutDriven(m *Mechanism) {
	if !in.Are(m) {
		panic("mechanism: foreign inputs")
	}
	in.view.actuators, in.view.contacts, in.view.ruts = nil, nil, nil
	in.take(m)
}
