package sim

import "github.com/rung-mbd/rung/mechanism"

// internals are the internal states of contacts (mechanism.State.Internal) in a step.
type internals struct {
	mech  *mechanism.Mechanism
	kin   *mechanism.Kinematics
	at    []float64 // at the start of the step
	a, b  []float64 // scratch
	scale []float64 // sizes
}

func newInternals(m *mechanism.Mechanism) *internals {
	n := m.NumInternal()
	in := &internals{mech: m}
	if n > 0 {
		in.kin = m.NewKinematics()
		in.kin.I = nil
		in.at, in.a, in.b, in.scale = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	}
	return in
}

// start notes the states at the start of a step.
func (in *internals) start(st *mechanism.State) {
	if len(st.Internal) == 0 {
		clear(in.at)
	}
	copy(in.at, st.Internal)
}

// coefficientsTo stores a and b of the rates a + b·state at st.
func (in *internals) coefficientsTo(a, b []float64, st *mechanism.State) error {
	if len(in.at) == 0 {
		return nil
	}
	if err := in.mech.KinematicsTo(in.kin, st); err != nil {
		return err
	}
	return in.mech.InternalTo(a, b, in.scale, in.kin, st)
}

// ratesTo stores the rates at st.
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
