package motion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/mechanism"
)

// What tests share with those of other packages.
var (
	golden    = plantest.Golden
	generate  = plantest.Generate
	newPlan   = plantest.New
	stepCases = plantest.StepCases
)

// shutTol is the error of a row that counts as closed, and jointErrors are the largest of a state.
const shutTol = 1e-12

func jointErrors(t testing.TB, mech *mechanism.Mechanism, st *mechanism.State) (position, velocity float64) {
	t.Helper()
	kin := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(kin, st))
	for j := range mech.Joints {
		p, v := mech.Residuals(j, kin, st)
		position, velocity = max(position, p), max(velocity, v)
	}
	return position, velocity
}
