package derive

import "github.com/rung-mbd/rung/joints"

// The rows of a joint take the part of R and V that it allows, theory.md (9), and so do their derivatives: where a joint is open, those of
// all of R and V would be of another function. Forces along freedoms act at the origin of S, wherever it is.

// slide is what a type allows of R and V, theory.md (9).
type slide uint8

const (
	slidesNot  slide = iota // nothing: the origins of P and S meet
	slidesOnZ               // the part along z of P
	slidesOffZ              // the part across z of P
	slidesElse              // the type says with its rows
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
