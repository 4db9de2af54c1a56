package bodies

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Box returns a homogeneous block centred on the body frame with the edge
// lengths size along x, y, z (m) and the given mass (kg).
//
// It returns an error that wraps ErrMass or ErrDimensions.
func Box(mass float64, size spatial.Vec3) (Body, error) {
	if err := positive("box edge", size[:]...); err != nil {
		return Body{}, err
	}
	x, y, z, m := size[0]*size[0], size[1]*size[1], size[2]*size[2], mass/12
	return newSolid(mass, spatial.Diag3(m*(y+z), m*(x+z), m*(x+y)))
}

// SolidSphere returns a homogeneous ball centred on the body frame.
//
// Units: kg, m.
// It returns an error that wraps ErrMass or ErrDimensions.
func SolidSphere(mass, radius float64) (Body, error) {
	if err := positive("sphere radius", radius); err != nil {
		return Body{}, err
	}
	i := 0.4 * mass * radius * radius
	return newSolid(mass, spatial.Diag3(i, i, i))
}

// SolidCylinder returns a homogeneous cylinder centred on the body frame with
// its axis along z.
//
// Units: kg, m.
// It returns an error that wraps ErrMass or ErrDimensions.
func SolidCylinder(mass, length, radius float64) (Body, error) {
	if err := positive("cylinder length and radius", length, radius); err != nil {
		return Body{}, err
	}
	t := mass * (3*radius*radius + length*length) / 12
	return newSolid(mass, spatial.Diag3(t, t, 0.5*mass*radius*radius))
}

// Rod returns a slender rod centred on the body frame along x, with the moments
// m·l²/12 about y and z, and ½·m·r² about its axis. The term m·r²/4 of a thick
// rod is left out; SolidCylinder has it.
//
// Units: kg, m.
// It returns an error that wraps ErrMass, ErrDimensions, or ErrTriangle if the
// rod is too thick to be slender (r > l/√3).
func Rod(mass, length, radius float64) (Body, error) {
	if err := positive("rod length and radius", length, radius); err != nil {
		return Body{}, err
	}
	t := mass * length * length / 12
	return newSolid(mass, spatial.Diag3(0.5*mass*radius*radius, t, t))
}

// newSolid returns the body centred on its frame with the inertia I. It checks
// the mass first, as a bad mass makes the inertia bad too.
func newSolid(mass float64, I spatial.Sym3) (Body, error) {
	if !(mass > 0) || math.IsInf(mass, 1) {
		return Body{}, fault.Errorf("bodies: mass %v: %w", mass, ErrMass)
	}
	return New(mass, spatial.Vec3{}, I)
}

// positive returns an error that wraps ErrDimensions if a value is not positive
// and finite; what names the values.
func positive(what string, values ...float64) error {
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return fault.Errorf("bodies: %s %v: %w", what, v, ErrDimensions)
		}
	}
	return nil
}
