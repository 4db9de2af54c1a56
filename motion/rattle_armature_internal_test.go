package motion

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// flywheels returns a plan of the four-bar whose energy is nearly all in its flywheels, at a state on its joints.
func flywheels(t *testing.T) (*kkt.Plan, *mechanism.State) {
	t.Helper()
	m, err := model.ReadFile("../reference/joints/armature-four-bar.model.json")
	require.NoError(t, err)
	m.Gravity = [3]float64{}
	for i := range m.Joints {
		m.Joints[i].Force, m.Joints[i].Stiffness, m.Joints[i].Damping = nil, nil, nil
		for k := range m.Joints[i].Armature {
			m.Joints[i].Armature[k] *= 100
		}
	}
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	require.NotNil(t, p.Mechanism().Geared())
	st, closer := p.Initial(), closing.NewCloser(p, closing.Options{})
	require.NoError(t, closer.ClosePositions(st))
	require.NoError(t, closer.ProjectVelocities(st))
	return p, st
}

// TestRattleArmature: joints are closed in the metric of the dynamics, with armature. So a step takes one factorization and no search, and
// the energy stays about where it is.
func TestRattleArmature(t *testing.T) {
	const (
		step, steps = 5e-3, 2000 // s
		part        = 2e-5       // of the energy; without armature in the metric it is 3e-4
	)
	p, st := flywheels(t)
	r, err := NewRattle(p, RattleOptions{Tolerance: 1e-10})
	require.NoError(t, err)
	was, err := r.total(st)
	require.NoError(t, err)
	most := 0.0
	for range steps {
		_, err := r.Try(st, st.Time+step)
		require.NoError(t, err)
		copy(st.Bodies, r.end.Bodies)
		st.Time = r.end.Time
		r.Accept()
		now, err := r.total(st)
		require.NoError(t, err)
		most = max(most, math.Abs(now-was))
	}
	t.Logf("%.2g of the energy, %+v", most/was, r.stats)
	require.Less(t, most, part*was)
	require.Zero(t, r.stats.Searches)
	require.EqualValues(t, steps+1, r.stats.Evaluations)
}

// TestDampedLossCountsArmature: what a damped step loses is told with the energy of flywheels. Without it, energy that a flywheel gives to
// the bodies counted as added by the joints, and all velocities became smaller.
func TestDampedLossCountsArmature(t *testing.T) {
	const (
		step = 1e-3 // s
		part = 1e-6 // of the kinetic energy: rounding, and what joints do that are closed to 1e-8
	)
	p, st := flywheels(t)
	mech := p.Mechanism()
	r, err := NewRattle(p, RattleOptions{Tolerance: 1e-8, Damp: true})
	require.NoError(t, err)
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
