package linear

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
)

// ErrTooDear is wrapped by the error of Modes where the work is beyond ModeOptions.MaxFlops.
var ErrTooDear = errors.New("linear: too dear")

// Price returns about how many flops Modes takes with the options. The dense method works with matrices of all
// displacements, the sparse one with products between as many vectors as the modes need. Its factorizations are not
// counted: their price is in the report of the plan.
//
// Cost: nothing. It panics if the count is negative or the method unknown.
func (s *System) Price(o ModeOptions) float64 {
	s.mustBe()
	o.mustBe()
	const (
		dense    = 30 // flops a cube of the displacements: the null space of J, and eigenvalues
		vectors  = 2  // a mode
		instants = 3  // of a steady motion
		product  = 4  // flops a number and pair of vectors, which are made orthogonal twice
	)
	n := float64(s.dim())
	if s.takesDense(o) {
		if o.Steady {
			return instants * dense * n * n * n
		}
		return dense * n * n * n
	}
	count := o.Count
	if count == 0 {
		count = defaultModes
	}
	k := min(vectors*float64(count), 2*n)
	return product * k * k * (n + float64(s.Rows()))
}

// takesDense reports whether the modes are computed by the dense method.
func (s *System) takesDense(o ModeOptions) bool {
	return o.Method == Dense || o.Steady || o.Method == Auto && s.mech.NumBodies() <= denseBodies
}

// afford returns an error that wraps ErrTooDear if the modes are beyond the limit of o.
func (s *System) afford(o ModeOptions) error {
	most := o.MaxFlops
	if most == 0 {
		most = DefaultMaxFlops
	}
	price := s.Price(o)
	if price <= most {
		return nil
	}
	instead := "ask for fewer modes"
	if s.takesDense(o) {
		instead = "take the sparse method"
	}
	return fault.Errorf("linear: %w: of %d bodies and %d modes the %s method %s", ErrTooDear, s.mech.NumBodies(), o.Count, s.methodOf(o), fault.TooDear(price, most, "flops", instead))
}

// methodOf returns Dense or Sparse.
func (s *System) methodOf(o ModeOptions) Method {
	if s.takesDense(o) {
		return Dense
	}
	return Sparse
}
