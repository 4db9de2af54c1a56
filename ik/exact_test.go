package ik

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/spatial"
)

// TestExactKeepsNoState: the results of an Exact are for the state at the call of At, even if the caller changes the state later; after an
// error of At there are none.
func TestExactKeepsNoState(t *testing.T) {
	plan := testPlan(t, chainModel(3, 0.3))
	e := testProblem(t, plan, &Task{Targets: []Target{{Name: "com", Type: Com}}}).NewExact()
	m := plan.Mechanism()
	st := m.Initial()
	require.NoError(t, e.At(st))
	c := &Change{Moves: make([]float64, 6*m.NumBodies()), Coordinates: make([][6]float64, m.NumJoints()), Mass: make([]float64, m.NumBodies())}
	c.Mass[0] = 1
	var before, after [3]float64
	e.AlongTo(before[:], c)
	require.NotZero(t, before)
	for b := range st.Bodies {
		st.Bodies[b].Position = spatial.Vec3{float64(b * b), 1, 2}
	}
	e.AlongTo(after[:], c)
	assert.Equal(t, before, after)

	st.Bodies[0].Position[1] = math.NaN()
	require.Error(t, e.At(st))
	assert.Panics(t, func() { e.ErrorsTo(after[:]) })
}
