package batch

import (
	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
)

// lanes is the number of states of a group, which stand side by side.
const lanes = tape.Lanes

// groups returns the number of groups of n states.
func groups(n int) int { return (n + lanes - 1) / lanes }

// Short names of package places: one body in a state, and its constants.
const (
	atPosition = places.Position
	atRotation = places.Rotation
	atVelocity = places.Velocity
	atOmega    = places.Omega
	bodyPlaces = places.State

	atInertia = places.Inertia
	atCom     = places.Com
	atOwnMass = places.OwnMass
	bodyData  = places.Constants
)

// Short names of package mechanics: the numbers of a joint, of an armature and of a drive in a state.
const (
	atLength   = mechanics.Length
	atPitch    = mechanics.Pitch
	atTurn     = mechanics.Turn
	atArmature = mechanics.Armature

	atStiffness = mechanics.Stiffness
	atDamping   = mechanics.Damping
	atRest      = mechanics.Rest
)
