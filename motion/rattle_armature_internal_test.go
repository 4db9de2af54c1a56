package motion

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// TestDampedLossCountsArmature: what a damped step loses is told with the energy of flywheels. Without it, energy that a flywheel gives to
// the bodies counted as added by the joints, and all velocities became smaller.
func TestDampedLossCountsArmature(t *testing.T) {
	const (
		step = 1e-3 // s
		part = 1e-6 // of the kinetic energy: rounding, and what joints do that are closed to 1e-8
	)
	m, err := model.ReadFile("../reference/joints/armature-four-bar.model.json")
	require.NoError(t, err)
	m.Gravity = [3]float64{}
	for i := range m.Joints {
		m.Joints[i].Force, m.Joints[i].Stiffness, m.Joints[i].Damping = nil, nil, nil
		for k := range m.Joints[i].Armature {
			m.Joints[i].Armature[k] *= 100 // nearly all of the energy
		}
	}
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	r, err := NewRattle(p, RattleOptions{Tolerance: 1e-8, Damp: true})
	require.NoError(t, err)
	st, mech := p.Initial(), p.Mechanism()
	require.NotNil(t, mech.Geared())
	closer := closing.NewCloser(p, closing.Options{})
	require.NoError(t, closer.ClosePositions(st))
	require.NoError(t, closer.ProjectVelocities(st))
	k := mech.NewKinematics()
	kinetic := func() float64 {
		require.NoError(t, mech.KinematicsTo(k, st))
		return mech.EnergyAt(k, st).Kinetic
	}
	flows := false
	for range 200 {
		was, before := kinetic(), r.stats.Calmed
		bodies, _ := r.energy(st, r.next)
		r.failed = true // the next step is a damped one
		_, err := r.Try(st, st.Time+step)
		require.NoError(t, err)
		require.Equal(t, before, r.stats.Calmed)
		copy(st.Bodies, r.end.Bodies)
		st.Time = r.end.Time
		r.Accept()
		more, _ := r.energy(st, r.next)
		flows = flows || more > bodies*(1+1e-6)
		require.InDelta(t, was-kinetic(), r.loss, part*was)
	}
	require.True(t, flows, "no energy goes from the flywheels to the bodies")
}
