package rung_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// coupled are the models of reference/joints with couplings and neither composite joints nor singular inertias.
var coupled = []string{"differential", "gear-chain", "gear-pair", "gripper-mimic", "planetary-3", "rack-pinion"}

// flywheels reads a model of reference/joints with its armatures replaced by what they stand for: flywheels on the
// ground that couplings turn 1 : 1 with the freedom (README of reference/joints). It returns their number, too.
func flywheels(t testing.TB, name string, e *check.Expected) (*model.Model, int) {
	t.Helper()
	data, err := os.ReadFile(check.Reference(t, "joints", name+".model.json"))
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, json.Unmarshal(data, &doc))
	armature := map[int][]any{}
	for j, list := 0, doc["joints"].([]any); j < len(list); j++ {
		jt := list[j].(map[string]any)
		if a, ok := jt["armature"].([]any); ok {
			armature[j] = a
			delete(jt, "armature")
		}
	}
	data, err = json.Marshal(doc)
	require.NoError(t, err)
	m, err := model.Read(bytes.NewReader(data), name)
	require.NoError(t, err)
	n := 0
	for j := range m.Joints {
		for i, a := range armature[j] {
			if I := a.(float64); I > 0 {
				addFlywheel(m, j, i, I, e.Joints[j].Coordinates[i].Value, e.Joints[j].Rates[i].Value)
				n++
			}
		}
	}
	return m, n
}

func addFlywheel(m *model.Model, j, i int, I, q, qd float64) {
	name := m.Joints[j].Name + " rotor" + strings.Repeat("+", i)
	b := model.Body{Name: name, Mass: I, Inertia: model.Inertia{XX: I, YY: I, ZZ: I}, Pose: model.Pose{Orientation: [4]float64{1}}}
	hinge := model.Joint{Name: name, Type: joints.Prismatic, Predecessor: model.World, Successor: name}
	if m.Joints[j].Kind().Rotational(i) {
		hinge.Type = joints.Revolute
		b.Mass = 1
		b.Pose.Orientation = spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, q)
		b.Velocity.Angular[2] = qd
		hinge.Turns = []int64{int64(math.RoundToEven(q / (2 * math.Pi)))}
	} else {
		b.Pose.Position[2], b.Velocity.Linear[2] = q, qd
	}
	m.Bodies, m.Joints = append(m.Bodies, b), append(m.Joints, hinge)
	var up [3]float64
	for k, g := range m.Gravity {
		up[k] = -g * b.Mass
	}
	m.Forces = append(m.Forces, model.ForceElement{Name: name, Type: model.Wrench, A: model.Attachment{Body: name}, Force: up})
	m.Couplings = append(m.Couplings, model.Coupling{Name: name, Terms: []model.CouplingTerm{
		{Coupled: model.Coupled{Joint: m.Joints[j].Name, Freedom: i}, Factor: 1}, {Coupled: model.Coupled{Joint: name}, Factor: -1},
	}})
}

// TestCoupledReference compares with reference/joints as its README says, for every ordering.
func TestCoupledReference(t *testing.T) {
	for _, name := range coupled {
		e := check.ReadExpectedIn(t, "joints", name)
		m, wheels := flywheels(t, name, e)
		for _, o := range orderings {
			t.Run(name+"/"+o.String(), func(t *testing.T) {
				r, err := rung.Accelerate(m, rung.Options{Ordering: o})
				require.NoError(t, err)
				requireCoupled(t, e, r, wheels)
			})
		}
	}
}

// requireCoupled compares r with e, which has so many flywheels less.
func requireCoupled(t *testing.T, e *check.Expected, r *rung.Result, wheels int) {
	t.Helper()
	n, allowed := len(e.Bodies), e.Allowed()
	for i, w := range e.Bodies {
		b := r.Bodies[i]
		check.CloseVec(t, b.ComAcceleration[:], w.ComAcceleration[:], 1, allowed.LinearAcceleration, "%s: acceleration", w.Name)
		check.CloseVec(t, b.AngularAcceleration[:], w.AngularAcceleration[:], 1, allowed.AngularAcceleration, "%s: angular acceleration", w.Name)
	}
	require.Len(t, r.Bodies, n+wheels)
	for j := range e.Joints {
		w, got, undetermined := &e.Joints[j], &r.Joints[j], []string{}
		requireTriple(t, &w.TotalWrench.Force, got.TotalWrench.Force, allowed.Force, w.Name+": total ", "force", &undetermined)
		requireTriple(t, &w.TotalWrench.Moment, got.TotalWrench.Moment, allowed.Moment, w.Name+": total ", "moment", &undetermined)
		assert.Equal(t, undetermined, got.Undetermined, "%s: undetermined", w.Name)
		assert.Equal(t, w.WrenchUnique, got.WrenchUnique, "%s: unique", w.Name)
		assert.LessOrEqual(t, got.PositionResidual, fitTol)
		assert.LessOrEqual(t, got.VelocityResidual, fitTol)
	}
	for i, w := range e.Couplings {
		got := r.Couplings[i]
		require.Equal(t, w.Name, got.Name)
		assert.Equal(t, w.Multiplier.Known, got.MultiplierUnique, "%s: unique", w.Name)
		if w.Multiplier.Known {
			check.Close(t, got.Multiplier, w.Multiplier.Value, 1, allowed.Multiplier, "%s: multiplier", w.Name)
		}
		assert.LessOrEqual(t, got.PositionResidual, fitTol)
		assert.LessOrEqual(t, got.VelocityResidual, fitTol)
	}
	c, w := r.Constraints, e.Constraints
	assert.Equal(t, w.Rows+6*wheels, c.Rows, "rows")
	assert.Equal(t, w.Rank+6*wheels, c.Rank, "rank")
	assert.Equal(t, w.Redundant, c.Redundant, "redundant")
	assert.Equal(t, w.Mobility, c.Mobility, "mobility")
	assert.False(t, c.NearSingular, "near singular at distance %g", c.Distance)
	named := len(c.RedundantCouplings)
	for _, j := range c.RedundantJoints {
		named += j.Rows
	}
	assert.Equal(t, w.Redundant, named, "redundant rows by name")
	check.Close(t, r.Energy.Kinetic, e.Energy.Kinetic, 1, allowed.Energy, "kinetic energy")
	assert.Less(t, r.Solve.Residual, residualTol)
	assert.True(t, strings.Contains(r.Solve.WhyWhole, "couplings"), r.Solve.WhyWhole)
}
