package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestCouplingNumbers: couplings follow the joints where both are constraints, and know where they act.
func TestCouplingNumbers(t *testing.T) {
	m, err := bench.Generate("belt", 3, 1)
	require.NoError(t, err)
	mech := compiled(t, m)
	require.Equal(t, 3, mech.NumCouplings())
	require.Equal(t, 6, mech.NumConstraints())
	for i, name := range []string{"b0", "b1", "b2", "s1", "s2", "s0"} {
		require.Equal(t, name, mech.ConstraintName(i))
		require.Equal(t, map[bool]int{true: 5, false: 1}[i < 3], mech.ConstraintRows(i))
	}
	k, err := mech.CouplingIndex("s0")
	require.NoError(t, err)
	require.Equal(t, 2, k)
	_, err = mech.CouplingIndex("b0")
	require.ErrorContains(t, err, `no coupling "b0"`)
	require.Equal(t, []int32{0, 2}, mech.Couplings[2].Bodies)
	require.Equal(t, []mechanism.LegAt{{Coupling: 0, Leg: 0}, {Coupling: 2, Leg: 1}}, mech.LegsAt(0))
	require.True(t, mech.Couplings[0].Angle)
	require.Equal(t, 3, mech.NumSprung(), "their turns are counted")
	require.Len(t, mech.Initial().Angles, 3)
	at := mech.AtConstraint(4, 0, mechanism.ErrNotFinite)
	require.Equal(t, "s2", at.Coupling)
	require.Equal(t, `mechanism: coupling "s2": state not finite`, at.Error())
}

// TestErrorsOfOneLevel: errors of poses alone, and of velocities alone, equal the errors that are computed together, bit by bit.
func TestErrorsOfOneLevel(t *testing.T) {
	const aside = 1e-3 // so that all joints are violated, and curves and wheels stay where they are
	rng := check.Rand(42)
	list := []*model.Model{modeltest.Cams(1), modeltest.Beads(1), modeltest.Rolling(1)}
	for _, f := range []string{"stewart", "delta", "valve-train", "cam-train", "belt", "snakeboard", "tracked"} {
		m, err := bench.Generate(f, 2, 1)
		require.NoError(t, err)
		list = append(list, m)
	}
	for seed := range uint64(check.Few(5, 1)) {
		m := modeltest.Composites(seed, 5, 1)
		list = append(list, modeltest.Follow(t, modeltest.Couple(t, m, rng, 6), rng, 5))
	}
	for _, m := range list {
		mech := compiled(t, m)
		st, x := mech.Initial(), make([]float64, 6*mech.NumBodies())
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		mech.DisplaceTo(st, mech.Initial(), aside, x)
		for i := range st.Bodies {
			b := &st.Bodies[i]
			b.Velocity, b.Omega = spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), 1}, spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), 1}
		}
		for _, carried := range []bool{true, false} {
			if !carried {
				st.Angles = nil
			}
			k := kinematics(t, mech, st)
			for i := range mech.NumConstraints() {
				var delta, rate, pose, velocity [6]float64
				err := mech.ConstraintErrorsTo(&delta, &rate, i, k, st)
				require.NoError(t, mech.ConstraintErrorsTo(&pose, nil, i, k, st))
				require.Equal(t, err, mech.ConstraintErrorsTo(nil, &velocity, i, k, st))
				require.Equal(t, delta, pose, "%s %s", m.Name, mech.ConstraintName(i))
				require.Equal(t, rate, velocity, "%s %s", m.Name, mech.ConstraintName(i))
			}
		}
	}
}

// TestCouplingTurns: φ counts the turns of the model, and errors are in the coordinate of the freedom with the largest factor.
func TestCouplingTurns(t *testing.T) {
	m, err := bench.Generate("gear-train", 2, 1)
	require.NoError(t, err)
	for turns := range int64(3) {
		m.Joints[1].Turns = []int64{turns}
		mech := compiled(t, m)
		k, st := mech.NewKinematics(), mech.Initial()
		require.NoError(t, mech.KinematicsTo(k, st))
		phi, rate := mech.CouplingErrors(0, k, st)
		c := &m.Couplings[0]
		const turn = 2 * 3.141592653589793
		require.InDelta(t, float64(turns)*turn*c.Terms[1].Factor, phi, 1e-14)
		require.InDelta(t, 0, rate, 1e-15)
		v := mech.ConstraintViolation(2, k, st)
		require.InDelta(t, phi/max(c.Terms[0].Factor, c.Terms[1].Factor), v.Angle, 1e-13)
		require.Zero(t, v.Length)
	}
	m.Joints[1].Turns = nil
	m.Joints[0].Type = model.Spherical // has no coordinate
	_, err = mechanism.New(m)
	require.ErrorContains(t, err, "$.couplings[0].terms[0].freedom")
}
