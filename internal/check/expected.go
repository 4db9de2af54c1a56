package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Expected is a file NAME.expected.json of reference/golden or reference/joints. It holds quantities computed from the state of a
// model: accelerations, forces, energies and residuals, in SI units and world axes. reference/README.md and
// reference/joints/README.md define the fields.
type Expected struct {
	Format      string              `json:"format"`
	Name        string              `json:"name"`
	Time        float64             `json:"time"` // s
	Bodies      []ExpectedBody      `json:"bodies"`
	Joints      []ExpectedJoint     `json:"joints"`
	Couplings   []ExpectedCoupling  `json:"couplings,omitempty"`
	Constraints ExpectedConstraints `json:"constraints"`
	Energy      ExpectedEnergy      `json:"energy"`
	Power       ExpectedPower       `json:"power"`
	Scale       ByKind              `json:"scale"`     // largest magnitude of each kind in the file
	Tolerance   ByKind              `json:"tolerance"` // bound of the absolute error of the file's numbers
}

// ExpectedBody is the motion of one body's centre of mass; bodies come in the
// order of the model.
type ExpectedBody struct {
	Name                string `json:"name"`
	ComPosition         Vec    `json:"com_position"`
	ComVelocity         Vec    `json:"com_velocity"`
	ComAcceleration     Vec    `json:"com_acceleration"` // classical
	AngularAcceleration Vec    `json:"angular_acceleration"`
}

// ExpectedJoint holds the freedoms and the loads of one joint. Wrenches act on
// the successor, moments about the origin of S; unknown components are not
// determined by the constraints.
type ExpectedJoint struct {
	Name             string   `json:"name"`
	Type             string   `json:"type"`
	Rows             int      `json:"rows"`        // constraint rows, motions included
	Coordinates      []Number `json:"coordinates"` // unknown if a freedom has no coordinate
	Rates            []Number `json:"rates"`
	PositionResidual float64  `json:"position_residual"` // m or rad
	VelocityResidual float64  `json:"velocity_residual"` // m/s or rad/s
	WrenchUnique     bool     `json:"wrench_unique"`     // the whole wrench is determined
	ConstraintWrench Wrench   `json:"constraint_wrench"` // total minus applied
	AppliedWrench    Wrench   `json:"applied_wrench"`
	TotalWrench      Wrench   `json:"total_wrench"`
	MotionForce      []Number `json:"motion_force,omitempty"` // of each prescribed freedom; nil without motions

	// Only in reference/joints, which does not split the total wrench.
	Accelerations []Number `json:"accelerations,omitempty"`
	ArmatureForce []Number `json:"armature_force,omitempty"`
}

// ExpectedCoupling is the constraint row of a coupling, in the unit of its terms.
// The multiplier is unknown if the constraints do not determine it.
type ExpectedCoupling struct {
	Name             string  `json:"name"`
	PositionResidual float64 `json:"position_residual"`
	VelocityResidual float64 `json:"velocity_residual"`
	Multiplier       Number  `json:"multiplier"`
}

// ExpectedConstraints are the counts and the conditioning of the constraint
// Jacobian, and the largest residual at each level.
type ExpectedConstraints struct {
	Rows                    int     `json:"rows"`
	Rank                    int     `json:"rank"`
	Redundant               int     `json:"redundant"` // rows − rank
	Mobility                int     `json:"mobility"`  // 6 bodies − rank
	MaxSingularValue        Number  `json:"max_singular_value"`
	MinSingularValue        Number  `json:"min_singular_value"`         // smallest one that counts in the rank
	MaxDroppedSingularValue Number  `json:"max_dropped_singular_value"` // largest one that does not count
	PositionResidual        float64 `json:"position_residual"`
	VelocityResidual        float64 `json:"velocity_residual"`
	AccelerationResidual    float64 `json:"acceleration_residual"`
	BranchesOK              bool    `json:"branches_ok"` // no joint is assembled back to front
}

// ExpectedEnergy is in J. Potential is the sum of Gravity, Springs and Joints.
type ExpectedEnergy struct {
	Kinetic   float64 `json:"kinetic"`
	Potential float64 `json:"potential"`
	Gravity   float64 `json:"gravity"`
	Springs   float64 `json:"springs"`
	Joints    float64 `json:"joints"`
}

// ExpectedPower is in W. It holds the power of each kind of load on the
// bodies, and the rate of the kinetic energy. The rate is the sum of the powers, up to BalanceResidual.
type ExpectedPower struct {
	KineticEnergyRate float64 `json:"kinetic_energy_rate"`
	Gravity           float64 `json:"gravity"`
	SpringsElastic    float64 `json:"springs_elastic"`
	SpringsDamping    float64 `json:"springs_damping"`
	JointsElastic     float64 `json:"joints_elastic"`
	JointsDamping     float64 `json:"joints_damping"`
	JointForces       float64 `json:"joint_forces"`
	Wrenches          float64 `json:"wrenches"`
	Motions           float64 `json:"motions"`
	BalanceResidual   float64 `json:"balance_residual"`
}

// ByKind has one value for each kind of quantity of a file.
type ByKind struct {
	LinearAcceleration  float64 `json:"linear_acceleration"`
	AngularAcceleration float64 `json:"angular_acceleration"`
	Force               float64 `json:"force"`
	Moment              float64 `json:"moment"`
	Energy              float64 `json:"energy"`
	Power               float64 `json:"power"`

	CoordinateAcceleration float64 `json:"coordinate_acceleration,omitempty"` // of reference/joints
	Multiplier             float64 `json:"multiplier,omitempty"`
}

const (
	// vouched is the error allowed for a method in double precision, in tolerances of
	// the file: the upper end of the range in reference/README.md.
	vouched = 1e3
	// relative is the smallest error allowed by reference/README.md, relative to the scale.
	relative = 1e-9
)

// Allowed returns the absolute error, for each kind of quantity, that a method in double precision may have
// relative to e: the larger of 1e3 tolerances and 1e-9 of the scale.
func (e *Expected) Allowed() ByKind {
	f := func(tol, scale float64) float64 { return math.Max(vouched*tol, relative*scale) }
	t, s := &e.Tolerance, &e.Scale
	return ByKind{
		LinearAcceleration:  f(t.LinearAcceleration, s.LinearAcceleration),
		AngularAcceleration: f(t.AngularAcceleration, s.AngularAcceleration),
		Force:               f(t.Force, s.Force),
		Moment:              f(t.Moment, s.Moment),
		Energy:              f(t.Energy, s.Energy),
		Power:               f(t.Power, s.Power),

		CoordinateAcceleration: f(t.CoordinateAcceleration, s.CoordinateAcceleration),
		Multiplier:             f(t.Multiplier, s.Multiplier),
	}
}

// Vec is a vector whose three components are all known.
type Vec [3]float64

// UnmarshalJSON reads an array of exactly three numbers.
func (v *Vec) UnmarshalJSON(b []byte) error {
	var n Triple
	if err := n.UnmarshalJSON(b); err != nil {
		return err
	}
	for i, x := range n {
		if !x.Known {
			return errors.New("check: null in a vector")
		}
		v[i] = x.Value
	}
	return nil
}

// Number is a number that may be unknown; an unknown number is null in JSON.
type Number struct {
	Value float64
	Known bool
}

// UnmarshalJSON reads a number or null.
func (n *Number) UnmarshalJSON(b []byte) error {
	*n = Number{}
	if string(b) == "null" {
		return nil
	}
	n.Known = true
	return json.Unmarshal(b, &n.Value)
}

// MarshalJSON writes a number or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known {
		return []byte("null"), nil
	}
	return json.Marshal(n.Value)
}

// Wrench is a force and a moment whose components may be unknown.
type Wrench struct {
	Force  Triple `json:"force"`  // N
	Moment Triple `json:"moment"` // N m
}

// Triple is a vector of three numbers, any of which may be unknown.
type Triple [3]Number

// UnmarshalJSON reads an array of exactly three numbers or nulls.
func (v *Triple) UnmarshalJSON(b []byte) error {
	var s []Number
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if len(s) != len(v) {
		return fmt.Errorf("check: %d components, want 3", len(s))
	}
	copy(v[:], s)
	return nil
}

// readExpected reads one file. It refuses unknown fields, data after the document and another format.
func readExpected(path string) (*Expected, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	e := new(Expected)
	if err := d.Decode(e); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: data after the document", path)
	}
	if e.Format != "rung-expected/1" {
		return nil, fmt.Errorf("%s: format is %q", path, e.Format)
	}
	return e, nil
}
