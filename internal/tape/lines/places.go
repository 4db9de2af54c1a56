package lines

import "github.com/rung-mbd/rung/internal/tape/places"

// Short names of package places.
const (
	one    = places.One
	half   = places.Half
	two    = places.Two
	weak   = places.Weak
	square = places.Square
	least  = places.Least

	overPivot   = places.OverPivot
	doubt       = places.Doubt
	weakRows    = places.WeakRows
	bodyPivot   = places.BodyPivot
	bigResidual = places.BigResidual
	badResidual = places.BadResidual
	sizes       = places.Sizes
	notFinite   = places.NotFinite
	notUnit     = places.NotUnit
	violation   = places.Violation

	atRotation = places.Rotation
	atVelocity = places.Velocity
	atOmega    = places.Omega
	bodyPlaces = places.State

	atInertia = places.Inertia
	atWeight  = places.Weight
	atMass    = places.Mass
	atCom     = places.Com
	atRoot    = places.Root
)
