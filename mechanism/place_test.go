package mechanism_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestErrorNamesThePlace: the three kinds of places by name and by number.
func TestErrorNamesThePlace(t *testing.T) {
	m := cubes(2)
	join(t, m, "revolute w 0", "revolute 0 1")
	m.Forces = []model.ForceElement{{
		Name: "spring", Type: model.SpringDamper, Stiffness: 1, RestLength: 1,
		A: model.Attachment{Body: "b0"}, B: model.Attachment{Body: "b0"},
	}}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	wrong := errors.New("factor: wrong")
	for want, e := range map[string]error{
		`mechanism: joint "j1", row 3: wrong`: mech.AtJoint(1, 3, wrong),
		`mechanism: joint "j0": wrong`:        mech.AtJoint(0, -1, wrong),
		`mechanism: body "b1": wrong`:         mech.AtBody(1, wrong),
		`mechanism: force "spring": wrong`:    mech.AtForce(0, wrong),
	} {
		require.EqualError(t, e, want)
		require.ErrorIs(t, e, wrong)
	}

	st := mech.Initial()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	var at *mechanism.Error
	require.ErrorAs(t, mech.ForcesTo(make([]spatial.Force, 2), k, st), &at)
	require.ErrorIs(t, at, mechanism.ErrNoDirection)
	require.Equal(t, mechanism.Error{
		Force: "spring", ForceIndex: 0, JointIndex: -1, BodyIndex: -1, CouplingIndex: -1, Row: -1, Err: mechanism.ErrNoDirection,
	}, *at)

	st.Bodies[1].Omega[0] = math.NaN()
	require.ErrorAs(t, mech.KinematicsTo(k, st), &at)
	require.ErrorIs(t, at, mechanism.ErrNotFinite)
	require.Equal(t, "b1", at.Body)
	require.Equal(t, 1, at.BodyIndex)

	_, err = mech.Prescribe([]mechanism.Freedom{{Joint: 1}, {Joint: 1}})
	require.ErrorAs(t, err, &at)
	require.ErrorIs(t, at, mechanism.ErrFreedom)
	require.Equal(t, "j1", at.Joint)
}

func ExampleError() {
	m := model.New("loose")
	m.Bodies = []model.Body{{Name: "ball", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	mech, err := mechanism.New(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	state := mech.Initial()
	state.Bodies[0].Position[2] = math.Inf(1)
	err = mech.KinematicsTo(mech.NewKinematics(), state)
	var at *mechanism.Error
	if errors.As(err, &at) {
		fmt.Println(at.Body, at.BodyIndex)
	}
	fmt.Println(err)
	// Output:
	// ball 0
	// mechanism: body "ball": state not finite
}
