package check

import (
	"encoding/json"
	"os"
	"testing"
)

// ExpectedMachine is the answer of a model of reference/joints, whose README says what the fields mean.
type ExpectedMachine struct {
	Name        string              `json:"name"`
	Bodies      []ExpectedBody      `json:"bodies"`
	Joints      []ExpectedHinge     `json:"joints"`
	Couplings   []ExpectedCoupling  `json:"couplings"`
	Constraints ExpectedConstraints `json:"constraints"`
	Energy      ExpectedEnergy      `json:"energy"`
	Power       ExpectedPower       `json:"power"`
	Scale       MachineKinds        `json:"scale"`
	Tolerance   MachineKinds        `json:"tolerance"`
}

// ExpectedHinge is what a joint of reference/joints does.
type ExpectedHinge struct {
	Name          string   `json:"name"`
	Coordinates   []Number `json:"coordinates"`
	Rates         []Number `json:"rates"`
	Accelerations []Number `json:"accelerations"`
	WrenchUnique  bool     `json:"wrench_unique"`
	TotalWrench   Wrench   `json:"total_wrench"`
	ArmatureForce []Number `json:"armature_force"`
}

// ExpectedCoupling is what a coupling of reference/joints does.
type ExpectedCoupling struct {
	Name       string `json:"name"`
	Multiplier Number `json:"multiplier"`
}

// MachineKinds has one value for each kind of quantity of a file of reference/joints.
type MachineKinds struct {
	LinearAcceleration     float64 `json:"linear_acceleration"`
	AngularAcceleration    float64 `json:"angular_acceleration"`
	CoordinateAcceleration float64 `json:"coordinate_acceleration"`
	Multiplier             float64 `json:"multiplier"`
	Force                  float64 `json:"force"`
	Moment                 float64 `json:"moment"`
	Energy                 float64 `json:"energy"`
	Power                  float64 `json:"power"`
}

// Allowed returns the error that the README of reference/joints allows, by kind.
func (e *ExpectedMachine) Allowed() MachineKinds {
	f := func(tol, scale float64) float64 { return max(vouched*tol, relative*scale) }
	t, s := &e.Tolerance, &e.Scale
	return MachineKinds{
		LinearAcceleration:     f(t.LinearAcceleration, s.LinearAcceleration),
		AngularAcceleration:    f(t.AngularAcceleration, s.AngularAcceleration),
		CoordinateAcceleration: f(t.CoordinateAcceleration, s.CoordinateAcceleration),
		Multiplier:             f(t.Multiplier, s.Multiplier),
		Force:                  f(t.Force, s.Force),
		Moment:                 f(t.Moment, s.Moment),
		Energy:                 f(t.Energy, s.Energy),
		Power:                  f(t.Power, s.Power),
	}
}

// MachinePath returns the path of the model of reference/joints of that name.
func MachinePath(t testing.TB, name string) string {
	t.Helper()
	return Reference(t, "joints", name+".model.json")
}

// ReadMachine reads the answer of that model.
func ReadMachine(t testing.TB, name string) *ExpectedMachine {
	t.Helper()
	data, err := os.ReadFile(Reference(t, "joints", name+".expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	e := new(ExpectedMachine)
	if err := json.Unmarshal(data, e); err != nil {
		t.Fatal(err)
	}
	if e.Name != name {
		t.Fatalf("check: %s names itself %q", name+expectedEnding, e.Name)
	}
	return e
}
