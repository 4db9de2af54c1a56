package shell

import (
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// Named is a mechanism whose bodies and joints have names.
type Named interface {
	NumBodies() int
	NumJoints() int
	BodyName(i int) string
	JointName(i int) string
}

// NoBody returns the error for a flag that names a body which mech does not have.
func NoBody(flag, name string, mech Named) error {
	return noName(flag, "body", name, mech.NumBodies(), mech.BodyName)
}

// NoJoint returns the error for a flag that names a joint which mech does not have.
func NoJoint(flag, name string, mech Named) error {
	return noName(flag, "joint", name, mech.NumJoints(), mech.JointName)
}

// noName returns the error for an unknown name, with a list of the n names at(i). If the beginning of a name before a comma was given, it
// says that such names need quotes, as flags separate names by commas.
func noName(flag, what, name string, n int, at func(i int) string) error {
	names, commas := make([]string, n), ""
	for i := range names {
		names[i] = fault.Name(at(i))
		if strings.HasPrefix(at(i), name+",") {
			commas = ` (a name with a comma is in double quotes, inside those of the shell)`
		}
	}
	return UseErrorf("%s: no %s %s; there are %s%s%s", flag, what, fault.Name(name), fault.List(names), commas, fault.AfterList(fault.MeantOf(name, n, at)))
}
