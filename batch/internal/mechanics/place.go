package mechanics

import (
	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape/places"
)

// place is the address of numbers in the workspace.
type place = program.Place

// none is no place.
const none = program.None

// Short names of package places: one body in a state, and the constants of a body.
const (
	atPosition = places.Position
	atRotation = places.Rotation
	atVelocity = places.Velocity
	atOmega    = places.Omega
	bodyPlaces = places.State

	atWeight  = places.Weight
	atNegated = places.Negated
	atCom     = places.Com
)

// Short names of package places: the record of a solve.
const (
	overPivot   = places.OverPivot
	doubt       = places.Doubt
	weakRows    = places.WeakRows
	bodyPivot   = places.BodyPivot
	bigResidual = places.BigResidual
	badResidual = places.BadResidual
	sizes       = places.Sizes
	notFinite   = places.NotFinite
	notUnit     = places.NotUnit
	records     = places.Record
)

// overPlaces is the number of places of a body over a step: the state at its beginning, the rotation since then, and sums over stages.
const overPlaces = bodyPlaces + 3 + 12
