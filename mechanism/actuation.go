package mechanism

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
)

// Actuation says how the actuators of an inverse dynamics relate to the mobility (RBDA §8.12).
type Actuation uint8

// The kinds of actuation.
const (
	ActuationUnsolved  Actuation = iota // nothing has been solved
	ActuationProper                     // as many actuators as independent motions: the forces are unique
	ActuationRedundant                  // more: the forces are those of least norm
	ActuationUnder                      // some motion is not controlled
)

// String returns the name of docs/cli.md.
func (a Actuation) String() string {
	if names := [...]string{"unsolved", "proper", "redundant", "under"}; int(a) < len(names) {
		return names[a]
	}
	return fmt.Sprintf("Actuation(%d)", uint8(a))
}

// UnderactuatedError says that the actuators cannot make the wanted accelerations.
type UnderactuatedError struct {
	// Freedoms that move although they are not controlled. There are none where only bodies on ball joints, or without
	// joints, move.
	Freedoms   []MovingFreedom
	Mobility   int     // number of independent motions
	Controlled int     // of these, by the actuators
	Residual   float64 // difference of the accelerations from the wanted ones, as of the inverse dynamics
}

// MovingFreedom is a freedom of an UnderactuatedError.
type MovingFreedom struct {
	Freedom        // of a joint; Joint is −1 for that of a floating base of the tree
	Dof     int    // its number in q̇ of the tree, −1 on the sparse side
	Name    string // joint.freedom, or that of tree.Plan.DofName
}

// Error names the freedoms.
func (e *UnderactuatedError) Error() string {
	free := "bodies on ball joints or without joints"
	if len(e.Freedoms) > 0 {
		names := make([]string, len(e.Freedoms))
		for i := range names {
			names[i] = e.Freedoms[i].Name
		}
		free = fault.List(names)
	}
	return fmt.Sprintf("actuators control %d of %d freedoms; not controlled: %s", e.Controlled, e.Mobility, free)
}
