package check_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestExpectedHoldsEveryField writes what was read and compares it with the
// file: no field is lost, none is missing.
func TestExpectedHoldsEveryField(t *testing.T) {
	for _, name := range check.GoldenModels(t) {
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile(check.Reference(t, "golden", name+".expected.json"))
			require.NoError(t, err)
			again, err := json.Marshal(check.ReadExpected(t, name))
			require.NoError(t, err)
			assert.JSONEq(t, string(file), string(again))
		})
	}
}

func TestExpectedIsConsistent(t *testing.T) {
	for _, name := range check.GoldenModels(t) {
		t.Run(name, func(t *testing.T) {
			e := check.ReadExpected(t, name)
			rows, unique := 0, true
			for _, j := range e.Joints {
				rows += j.Rows
				known := true
				for i := range 3 {
					known = known && j.TotalWrench.Force[i].Known && j.TotalWrench.Moment[i].Known
				}
				assert.Equal(t, j.WrenchUnique, known, j.Name)
				assert.Equal(t, len(j.Coordinates), len(j.Rates), j.Name)
				unique = unique && known
			}
			c := e.Constraints
			assert.Equal(t, c.Rows, rows)
			assert.Equal(t, c.Redundant, c.Rows-c.Rank)
			assert.Equal(t, c.Mobility, 6*len(e.Bodies)-c.Rank)
			assert.Equal(t, c.Redundant == 0, unique)
			n := e.Energy
			const rounding = 1e-14 // of a sum of three
			check.Close(t, n.Gravity+n.Springs+n.Joints, n.Potential, rounding, e.Scale.Energy, "potential energy")
		})
	}
}

func TestExpectedValues(t *testing.T) {
	e := check.ReadExpected(t, "four-bar")
	require.Len(t, e.Bodies, 3)
	require.Len(t, e.Joints, 4)
	assert.Equal(t, "rocker", e.Bodies[2].Name)
	assert.Equal(t, 1.969762707019611, e.Bodies[0].AngularAcceleration[2])
	p1 := e.Joints[0]
	assert.Equal(t, check.Number{Value: 17.440959259115697, Known: true}, p1.ConstraintWrench.Force[1])
	assert.Equal(t, check.Number{}, p1.ConstraintWrench.Force[2])
	assert.Equal(t, 0.5, p1.AppliedWrench.Moment[2].Value)
	assert.Nil(t, p1.MotionForce)
	assert.Equal(t, 17, e.Constraints.Rank)
	assert.Len(t, check.ReadExpected(t, "driven-crank").Joints[0].MotionForce, 1)
}

func TestAllowed(t *testing.T) {
	e := check.Expected{
		Scale:     check.ByKind{LinearAcceleration: 10, AngularAcceleration: 1, Force: 2, Moment: 3, Energy: 4, Power: 5},
		Tolerance: check.ByKind{AngularAcceleration: 1e-11},
	}
	a := e.Allowed()
	got := []float64{a.LinearAcceleration, a.AngularAcceleration, a.Force, a.Moment, a.Energy, a.Power}
	want := []float64{1e-8, 1e-8, 2e-9, 3e-9, 4e-9, 5e-9}
	check.CloseVec(t, got, want, 1e-15, 1e-8, "allowed errors")
}

func TestReferencePaths(t *testing.T) {
	names := check.GoldenModels(t)
	assert.IsIncreasing(t, names)
	assert.Contains(t, names, "random-10-far")
	for _, name := range names {
		assert.FileExists(t, check.ModelPath(t, name))
	}
	assert.Equal(t, check.Root(t), filepath.Dir(check.Reference(t)))
}
