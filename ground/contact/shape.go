package contact

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// ShapeType is the type of a shape that touches the ground.
type ShapeType uint8

const (
	Sphere   ShapeType = iota // a ball or a foot of radius Radius
	Disc                      // the rim of a thin wheel: a circle of radius Radius about Axis
	Torus                     // a round tyre: all points within TyreRadius of a circle of radius Radius − TyreRadius
	Cylinder                  // a wide wheel: Discs discs spread over Width, each with its share of the stiffness
)

// shapeNames are the names in documents.
var shapeNames = [...]string{"sphere", "disc", "torus", "cylinder"}

// String returns the name of documents.
func (t ShapeType) String() string { return fault.Enum(shapeNames[:], t, "ShapeType") }

// Where says at which points of a wheel the ground acts.
type Where uint8

const (
	Deepest     Where = iota // at the deepest point of each disc
	Local                    // at every local maximum of the depth along the rim, at most the three deepest: kerbs act in front too
	Distributed              // at Samples points of the lower half of the rim, each with its share of the stiffness: smooth over steps
)

// whereNames are the names in documents.
var whereNames = [...]string{"deepest", "local", "distributed"}

// String returns the name of documents.
func (w Where) String() string { return fault.Enum(whereNames[:], w, "Where") }

const (
	// mostLocal is the largest number of points of a disc of Local.
	mostLocal = 3
	// defaultSamples and defaultDiscs are Samples and Discs where they are 0.
	defaultSamples, defaultDiscs = 32, 2
	// mostSamples and mostDiscs bound the memory of a contact.
	mostSamples, mostDiscs = 1000, 100
)

// Shape is the undeformed shape that touches the ground.
type Shape struct {
	Type       ShapeType
	Radius     float64      // outer radius of the shape, m
	TyreRadius float64      // torus: radius of the tube, m, less than Radius
	Width      float64      // cylinder: from its first to its last disc, m
	Center     spatial.Vec3 // body frame, m
	// Axis of the spin, body frame, of any length but 0. A sphere may have none: its contact x axis is then over the world's x axis.
	Axis    spatial.Vec3
	Where   Where // disc, torus, cylinder
	Samples int   // Distributed: number of points of each disc; 0: defaultSamples
	Discs   int   // cylinder: number of discs; 0: defaultDiscs
}

// Report receives a rule that a value breaks, with the path of the field relative to the contact, such as ".shape.radius".
type Report func(path, value, rule string)

// positive reports x unless it is positive and finite.
func (r Report) positive(path string, x float64) {
	if !(x > 0) || math.IsInf(x, 0) {
		r(path, number(x), "must be positive")
	}
}

// notNegative reports x unless it is finite and at least 0.
func (r Report) notNegative(path string, x float64) {
	if !(x >= 0) || math.IsInf(x, 0) {
		r(path, number(x), "must not be negative")
	}
}

// Check reports all faults of the shape, with paths relative to the shape, such as ".radius".
func (s *Shape) Check(report Report) {
	if int(s.Type) >= len(shapeNames) {
		report(".type", s.Type.String(), "is no shape")
	}
	report.positive(".radius", s.Radius)
	s.checkTyre(report)
	s.checkWidth(report)
	for _, v := range [...]struct {
		path string
		v    spatial.Vec3
	}{{".center", s.Center}, {".axis", s.Axis}} {
		if !v.v.IsFinite() {
			report(v.path, fmt.Sprint(v.v), "must be finite")
		}
	}
	if s.Axis == (spatial.Vec3{}) && s.Type != Sphere {
		report(".axis", fmt.Sprint(s.Axis), "must not be zero")
	}
	s.checkWhere(report)
}

// checkTyre reports a radius of the tube that is invalid or has no meaning for the type.
func (s *Shape) checkTyre(report Report) {
	switch {
	case s.Type != Torus && s.TyreRadius != 0:
		report(".tyre_radius", number(s.TyreRadius), "is for a torus")
	case s.Type == Torus && !(s.TyreRadius > 0 && s.TyreRadius < s.Radius):
		report(".tyre_radius", number(s.TyreRadius), "must be positive and less than the radius")
	}
}

// checkWidth reports a width or a number of discs that is invalid or has no meaning for the type.
func (s *Shape) checkWidth(report Report) {
	switch {
	case s.Type == Cylinder:
		report.positive(".width", s.Width)
		if s.Discs != 0 && (s.Discs < 2 || s.Discs > mostDiscs) {
			report(".discs", fmt.Sprint(s.Discs), fmt.Sprintf("must be 2 to %d", mostDiscs))
		}
	case s.Discs != 0:
		report(".discs", fmt.Sprint(s.Discs), "is for a cylinder")
	case s.Width != 0:
		report(".width", number(s.Width), "is for a cylinder")
	}
}

// checkWhere reports a choice of points, or a number of samples, that is invalid or has no meaning for the type.
func (s *Shape) checkWhere(report Report) {
	if int(s.Where) >= len(whereNames) {
		report(".contacts", s.Where.String(), "is no choice of points")
	}
	if s.Type == Sphere && s.Where != Deepest {
		report(".contacts", s.Where.String(), "a sphere touches at its deepest point")
	}
	switch {
	case s.Where != Distributed && s.Samples != 0:
		report(".samples", fmt.Sprint(s.Samples), "is for distributed contacts")
	case s.Where == Distributed && s.Samples != 0 && (s.Samples < 4 || s.Samples > mostSamples):
		report(".samples", fmt.Sprint(s.Samples), fmt.Sprintf("must be 4 to %d", mostSamples))
	}
}

// discs returns the number of discs of the shape.
func (s *Shape) discs() int {
	switch {
	case s.Type != Cylinder:
		return 1
	case s.Discs == 0:
		return defaultDiscs
	}
	return s.Discs
}

// samples returns the number of points of Distributed for each disc.
func (s *Shape) samples() int {
	if s.Samples == 0 {
		return defaultSamples
	}
	return s.Samples
}

// MaxPoints returns the largest number of points at which the shape can touch.
func (s *Shape) MaxPoints() int {
	switch s.Where {
	case Local:
		return mostLocal * s.discs()
	case Distributed:
		return s.samples() * s.discs()
	}
	return s.discs()
}

// tube returns the radius of the round cross section of the rim, m; 0 if it is sharp.
func (s *Shape) tube() float64 {
	switch s.Type {
	case Sphere:
		return s.Radius
	case Torus:
		return s.TyreRadius
	}
	return 0
}
