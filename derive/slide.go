package derive

import "github.com/rung-mbd/rung/joints"

// The rows of a joint use only the parts of R and V that it allows, theory.md (9), as do their derivatives: if a joint is open, the
// derivatives with all of R and V belong to another function. Forces along freedoms act at the origin of S, wherever it is.

// slide says which part of R and V a type allows, theory.md (9).
type slide uint8

const (
	slidesNot  slide = iota // nothing: the origins of P and S meet
	slidesOnZ               // the part along z of P
	slidesOffZ              // the part across z of P
	slidesElse              // another part, which the rows of the type record
)

// slideOf returns the slide of a type.
func slideOf(kind joints.Kind) slide {
	switch kind.Type() {
	case joints.Fixed, joints.Revolute, joints.Universal, joints.Spherical:
		return slidesNot
	case joints.Prismatic, joints.Helical, joints.Cylindrical, joints.SphereInCylinder:
		return slidesOnZ
	case joints.Planar, joints.PointOnPlane:
		return slidesOffZ
	}
	return slidesElse
}
