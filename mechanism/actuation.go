package mechanism

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
)

// Actuation tells how the actuators of an inverse dynamics relate to the mobility (RBDA §8.12).
type Actuation uint8

// The kinds of actuation.
const (
	ActuationUnsolved  Actuation = iota // nothing has been solved
	ActuationProper                     // as many actuators as independent motions: the forces are unique
	ActuationRedundant                  // more actuators than independent motions: the forces with the least norm are taken
	ActuationUnder                      // the actuators do not control all motions
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
	// Freedoms are the freedoms that move although they are not controlled, as joint.freedom or the name of a freedom of the
	// tree. The list is empty where only bodies on ball joints, or without joints, move.
	Freedoms   []string
	Mobility   int     // number of independent motions
	Controlled int     // number of independent motions that the actuators control
	Residual   float64 // difference between the accelerations and the wanted ones, as the inverse dynamics defines it
}

// Error names the freedoms.
func (e *UnderactuatedError) Error() string {
	free := "bodies on ball joints or without joints"
	if len(e.Freedoms) > 0 {
		free = fault.List(e.Freedoms)
	}
	return fmt.Sprintf("actuators control %d of %d freedoms; not controlled: %s", e.Controlled, e.Mobility, free)
}
