package model

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
)

// jointInfo is one row of the format's table of joint types.
type jointInfo struct {
	name        string
	freedoms    int    // entries of Force, Stiffness, Damping, Rest, Motion
	constraints int    // rows without motions
	turns       int    // entries of Turns: the leading freedoms are angles
	rotations   uint16 // bit k: freedom k is a rotation, N m
	scalars     uint16 // bit k: freedom k has a scalar coordinate
}

var jointTable = [...]jointInfo{
	Fixed:            {"fixed", 0, 6, 0, 0b0000, 0b0000},
	Revolute:         {"revolute", 1, 5, 1, 0b0001, 0b0001},
	Prismatic:        {"prismatic", 1, 5, 0, 0b0000, 0b0001},
	Helical:          {"helical", 1, 5, 1, 0b0001, 0b0001},
	Cylindrical:      {"cylindrical", 2, 4, 1, 0b0001, 0b0011},
	Universal:        {"universal", 2, 4, 2, 0b0011, 0b0011},
	Planar:           {"planar", 3, 3, 1, 0b0001, 0b0111},
	Spherical:        {"spherical", 3, 3, 0, 0b0111, 0b0000},
	SphereInCylinder: {"sphere_in_cylinder", 4, 2, 0, 0b0111, 0b1000},
	PointOnPlane:     {"point_on_plane", 0, 1, 0, 0b0000, 0b0000},
	Distance:         {"distance", 0, 1, 0, 0b0000, 0b0000},
	Free:             {"free", 0, 0, 0, 0b0000, 0b0000},
}

// JointTypes is the number of joint types; the types are 0 … JointTypes−1.
const JointTypes = len(jointTable)

// Valid reports whether t is a joint type of the format.
func (t JointType) Valid() bool { return int(t) < len(jointTable) }

// String returns the format's name of t, such as "revolute".
func (t JointType) String() string {
	if !t.Valid() {
		return fmt.Sprintf("JointType(%d)", uint8(t))
	}
	return jointTable[t].name
}

// ParseJointType returns the joint type with the given name of the format.
//
// It returns an error if no type has that name; names are case-sensitive.
func ParseJointType(name string) (JointType, error) {
	if t, ok := findJointType(name); ok {
		return t, nil
	}
	return 0, fmt.Errorf("model: unknown joint type %s", fault.Name(name))
}

func findJointType[K string | []byte](name K) (JointType, bool) {
	for t := range jointTable {
		if jointTable[t].name == string(name) {
			return JointType(t), true
		}
	}
	return 0, false
}

// Freedoms returns the number of freedoms that the lists Force, Stiffness,
// Damping, Rest and Motion of a joint have entries for. PointOnPlane, Distance
// and Free have none, although they allow motion.
//
// It panics if t is not Valid, as do the methods below.
func (t JointType) Freedoms() int { return jointTable[t].freedoms }

// Constraints returns the number of constraint rows without prescribed
// motions; each motion adds one.
func (t JointType) Constraints() int { return jointTable[t].constraints }

// Turns returns the length of the Turns list: the number of freedoms that are
// angles with a scalar coordinate. They are the first Turns() freedoms.
func (t JointType) Turns() int { return jointTable[t].turns }

// Scalar reports whether freedom k has a scalar coordinate, so that it may
// have stiffness, damping, rest and motion.
//
// It panics if k is not a freedom of t.
func (t JointType) Scalar(k int) bool {
	checkFreedom(t, k)
	return jointTable[t].scalars>>k&1 != 0
}

// Rotational reports whether freedom k is a rotation: an angle, or a component
// of an angular velocity for the ball types. The others are translations.
//
// It panics if k is not a freedom of t.
func (t JointType) Rotational(k int) bool {
	checkFreedom(t, k)
	return jointTable[t].rotations>>k&1 != 0
}

func checkFreedom(t JointType, k int) {
	if k < 0 || k >= jointTable[t].freedoms {
		panic("model: freedom out of range")
	}
}

var motionNames = [...]string{Harmonic: "harmonic", Polynomial: "polynomial"}

// Valid reports whether k is a motion kind of the format.
func (k MotionKind) Valid() bool { return int(k) < len(motionNames) }

// String returns the format's name of k.
func (k MotionKind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("MotionKind(%d)", uint8(k))
	}
	return motionNames[k]
}

var forceNames = [...]string{SpringDamper: "spring_damper", Wrench: "wrench"}

// Valid reports whether t is a force element of the format.
func (t ForceType) Valid() bool { return int(t) < len(forceNames) }

// String returns the format's name of t.
func (t ForceType) String() string {
	if !t.Valid() {
		return fmt.Sprintf("ForceType(%d)", uint8(t))
	}
	return forceNames[t]
}
