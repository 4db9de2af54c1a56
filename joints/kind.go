package joints

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
)

// Kind enumerates the joint types of rung-model/1.
type Kind uint8

// The joint types. A new one needs a row in the table below, a line a function in types.go
// and a separate file.
const (
	Fixed Kind = iota
	Revolute
	Prismatic
	Helical
	Cylindrical
	Universal
	Planar
	Spherical
	SphereInCylinder
	PointOnPlane
	Distance
	Free
	Rolling // each Slip has its own kind: RollingKind
	NoSlip
	PointOnCurve // a point held in the plane of x and y only has its own kind: PointOnCurveKind
	CurveOnCurve // curves that may separate have their own kind: CurveOnCurveKind
	Composite    // each number of axes with each set of rotating axes has its own kind: Axes.Kind
	NumKinds
)

// ErrKind reports a name that is no joint type.
var ErrKind = errors.New("joints: unknown joint type")

const badKind = "joints: unknown kind" // panic text

// traits are the constant facts of one type; bit i of a mask is column i of S.
type traits struct {
	name       string
	dof        uint8 // columns of S
	freedoms   uint8 // freedoms that carry a generalized force, ≤ dof
	scalar     uint8 // mask: freedoms with a scalar coordinate
	rotational uint8 // mask: columns that are rotations
	rates      uint8 // number of rows that constrain velocities alone; they are the last rows of the type
	plain      bool  // Kind.Plain
	onZ, offZ  bool  // Kind.Slides
	bends      bool  // Kind.Bends
}

var kindTraits = allTraits()

// allTraits returns the traits of all kinds: the types and their variants.
func allTraits() (list [numAllKinds]traits) {
	copy(list[:], types[:])
	addComposites(&list)
	addRolling(&list)
	addPlanarCurve(&list)
	addOpenCurve(&list)
	return list
}

var types = [NumKinds]traits{
	Fixed:            {name: "fixed", plain: true},
	Revolute:         {name: "revolute", dof: 1, freedoms: 1, scalar: 0b1, rotational: 0b1, plain: true},
	Prismatic:        {name: "prismatic", dof: 1, freedoms: 1, scalar: 0b1, onZ: true},
	Helical:          {name: "helical", dof: 1, freedoms: 1, scalar: 0b1, rotational: 0b1, onZ: true},
	Cylindrical:      {name: "cylindrical", dof: 2, freedoms: 2, scalar: 0b11, rotational: 0b01, onZ: true},
	Universal:        {name: "universal", dof: 2, freedoms: 2, scalar: 0b11, rotational: 0b11},
	Planar:           {name: "planar", dof: 3, freedoms: 3, scalar: 0b111, rotational: 0b001, offZ: true},
	Spherical:        {name: "spherical", dof: 3, freedoms: 3, rotational: 0b111, plain: true},
	SphereInCylinder: {name: "sphere_in_cylinder", dof: 4, freedoms: 4, scalar: 0b1000, rotational: 0b0111, onZ: true},
	PointOnPlane:     {name: "point_on_plane", dof: 5, rotational: 0b111, offZ: true},
	Distance:         {name: "distance", dof: 5, rotational: 0b111, onZ: true, offZ: true},
	Free:             {name: "free", dof: 6, rotational: 0b111, onZ: true, offZ: true},
	Rolling:          {name: "rolling", dof: 3, rotational: 0b111, rates: 2, onZ: true, offZ: true, bends: true},
	NoSlip:           {name: "no_slip", dof: 5, rotational: 0b111, rates: 1, onZ: true, offZ: true, bends: true},
	PointOnCurve:     {name: "point_on_curve", dof: 4, freedoms: 4, scalar: 0b1000, rotational: 0b111, onZ: true, offZ: true, bends: true},
	CurveOnCurve:     {name: "curve_on_curve", dof: 5, rotational: 0b111, onZ: true, offZ: true, bends: true},
	Composite:        {name: "composite", onZ: true, offZ: true, bends: true},
}

// of returns the traits of k.
func (k Kind) of() *traits {
	if k >= numAllKinds {
		panic(badKind)
	}
	return &kindTraits[k]
}

// Dof returns the number of columns of S: the freedoms the type leaves open.
// It panics if k is no joint type, as the other methods but String do.
func (k Kind) Dof() int { return int(k.of().dof) }

// Constraints returns 6 − Dof, the rows of T without prescribed freedoms.
func (k Kind) Constraints() int { return 6 - int(k.of().dof) }

// VelocityRows returns the range [from, to) of the rows, in the order of Spec.EvalTo, that constrain velocities alone
// (nonholonomic, RBDA ch. 3): they are the rate of no function of the pose. They are the last rows of the type, and
// Spec.PositionErrorTo stores zeros for them. For all types but rolling and no_slip, from and to are both Constraints.
func (k Kind) VelocityRows() (from, to int) {
	to = k.Constraints()
	return to - int(k.of().rates), to
}

// Freedoms returns the number of freedoms with a generalized force: the length
// of the lists force, stiffness, damping, rest and motion in a model file. It is
// Dof, except for point_on_plane, distance, free, rolling and no_slip, where it is 0, and curve_on_curve, where it is 0, or 1 if
// the curves may separate.
func (k Kind) Freedoms() int { return int(k.of().freedoms) }

// Scalar reports whether freedom i has a scalar coordinate. It is false for i
// out of range.
func (k Kind) Scalar(i int) bool { return i >= 0 && i < 6 && k.of().scalar>>i&1 == 1 }

// Rotational reports whether column i of S is a rotation (rad, N m) and not a
// translation (m, N). It is true for helical, and false for i out of range.
func (k Kind) Rotational(i int) bool { return i >= 0 && i < 6 && k.of().rotational>>i&1 == 1 }

// Plain reports whether the type is fixed, revolute or spherical. A joint of these types holds a point of one body on a point
// of the other, and all its rows are unit forces and moments along the axes of P. In the axes of the predecessor
// these rows are constant, unless a freedom is prescribed. Users of Plain add conditions of their own:
//
//	mechanism  errors written out             no prescribed freedom, and not fixed, whose angles are no others' errors
//	assemble   constant rows of predecessors  no prescribed freedom, and no flywheel in the layout
//	batch      rows without velocity parts    no prescribed freedom, and no armature
//	linear     wrenches that turn with P      no drive on a spherical joint; prescribed freedoms are welcome
func (k Kind) Plain() bool { return k.of().plain }

// Slides reports where the rows of the type let the origin of S move as seen from P: along the axis z of P, and across z. Rows.Arm and
// Rows.Slip of Spec.EvalTo are these parts of R and V, theory.md (9). Both are false where the origins of P and S meet. Both are true for
// distance, free, rolling, no_slip, point_on_curve, curve_on_curve and composite joints: their part has no fixed direction in P.
func (k Kind) Slides() (onZ, offZ bool) { return k.of().onZ, k.of().offZ }

// Bends reports whether the wrenches of the type's rows and freedoms change in the axes of P as S moves, by laws of the type's own:
// Spec.BendTo has these changes to first order. It is true for rolling, no_slip, point_on_curve, curve_on_curve and composite joints.
// Two other types have lines that move in P, a universal joint y_S and y_S×x_P, and a distance joint R/|R|; whoever uses the lines
// writes their changes out. Users of Bends:
//
//	joints  the changes of Spec.BendTo
//	derive  rows that need the relative velocity, whatever is recorded
//	batch   rows without instructions, which are evaluated one state at a time
func (k Kind) Bends() bool { return k.of().bends }

// Turns returns the length of the list turns of a model file: the number of freedoms that are angles with a scalar
// coordinate. They are the first freedoms of the type. For a composite joint the list has one entry for each axis.
func (k Kind) Turns() int {
	if k.Type() == Composite {
		return k.Freedoms()
	}
	n := 0
	for k.Scalar(n) && k.Rotational(n) {
		n++
	}
	return n
}

// Valid reports whether k is a joint type.
func (k Kind) Valid() bool { return k < numAllKinds }

// String returns the name of rung-model/1.
func (k Kind) String() string {
	if k >= numAllKinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return k.of().name
}

// ParseKind returns the joint type with the name of rung-model/1.
//
// It returns an error that wraps ErrKind for another name; names are case-sensitive.
func ParseKind(name string) (Kind, error) {
	names := make([]string, NumKinds)
	for k := range NumKinds {
		if names[k] = types[k].name; names[k] == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("%w %s%s", ErrKind, fault.Name(name), fault.MeantType(name, names...))
}
