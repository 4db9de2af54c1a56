package sim

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// internals are the internal states of contacts and joints (mechanism.State.Internal) in a step.
type internals struct {
	mech  *mechanism.Mechanism
	kin   *mechanism.Kinematics
	at    []float64 // states at the start of the step
	a, b  []float64 // coefficients of the rates, rate = a + b·state; scratch
	scale []float64 // typical sizes of the states
	hold  []float64 // damping of bristles (mechanism.Mechanism.HoldDampingTo)
	held  []float64 // forces of bristles over their friction, at the last call of holdAt
	shift float64   // largest change of held at the last call of holdAt

	bristles []bristle // freedoms of joints whose friction has bristles
	from, to []float64 // coordinates of these freedoms at the start and at the end of the step
}

// bristle is a freedom whose friction has bristles.
type bristle struct {
	mechanism.Freedom
	state int  // index of the deflection among the internal states
	turns bool // the pose determines the coordinate up to whole turns only
}

// newInternals allocates the internal states of a step, and finds the freedoms whose friction has bristles.
func newInternals(m *mechanism.Mechanism) *internals {
	n := m.NumInternal()
	in := &internals{mech: m}
	if n > 0 {
		in.kin = m.NewKinematics()
		in.kin.I = nil
		for _, v := range []*[]float64{&in.at, &in.a, &in.b, &in.scale, &in.hold, &in.held} {
			*v = make([]float64, n)
		}
		m.HoldDampingTo(in.hold)
	}
	for i := range m.NumResistors() {
		if f, _ := m.Resistor(i); m.Bristles(i) {
			in.bristles = append(in.bristles, bristle{f, m.ResistorState(i), m.Turns(f)})
		}
	}
	in.from, in.to = make([]float64, len(in.bristles)), make([]float64, len(in.bristles))
	return in
}

// coordinatesTo stores in q the coordinates of freedoms with bristles at st, for which coefficientsTo has been called.
func (in *internals) coordinatesTo(q []float64, st *mechanism.State) {
	var jk mechanism.JointKinematics
	var x, rate [6]float64
	for i := range in.bristles {
		b := &in.bristles[i]
		in.mech.JointTo(&jk, b.Joint, in.kin, st)
		in.mech.Joints[b.Joint].CoordinatesTo(&x, &rate, &jk)
		q[i] = x[b.Freedom.Freedom]
	}
}

// travel returns the change of the coordinate of bristle i in the step, rad or m.
func (in *internals) travel(i int) float64 {
	d := in.to[i] - in.from[i]
	if in.bristles[i].turns {
		d = math.Remainder(d, 2*math.Pi)
	}
	return d
}

// start stores the internal states of st, the start of a step.
func (in *internals) start(st *mechanism.State) {
	if len(st.Internal) == 0 {
		clear(in.at)
	}
	copy(in.at, st.Internal)
}

// coefficientsTo stores the coefficients a and b of the rates a + b·state at st.
func (in *internals) coefficientsTo(a, b []float64, st *mechanism.State) error {
	if len(in.at) == 0 {
		return nil
	}
	if err := in.mech.KinematicsTo(in.kin, st); err != nil {
		return err
	}
	return in.mech.InternalTo(a, b, in.scale, in.kin, st)
}

// ratesTo stores the rates of the internal states at st.
func (in *internals) ratesTo(rate []float64, st *mechanism.State) error {
	if err := in.coefficientsTo(in.a, in.b, st); err != nil {
		return err
	}
	for i := range rate {
		rate[i] = in.a[i]
		if len(st.Internal) > 0 {
			rate[i] += in.b[i] * st.Internal[i]
		}
	}
	return nil
}

// holdAt stores in held the forces of bristles over their friction for the states end, and in shift their largest change since the last
// call. in.a and in.b are the coefficients of the rates.
func (in *internals) holdAt(end []float64) {
	in.shift = 0
	for i, x := range end {
		held := x/in.scale[i] + in.hold[i]*(in.a[i]+in.b[i]*x)
		in.shift = max(in.shift, math.Abs(held-in.held[i]))
		in.held[i] = held
	}
}
