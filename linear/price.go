package linear

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
)

// ErrTooDear is wrapped by the error of Modes if the work is beyond ModeOptions.MaxFlops.
var ErrTooDear = errors.New("linear: too dear")

// Price returns an estimate of the flops that Modes takes with the options. The dense method takes O(n³) with n
// displacements, the sparse one products between as many vectors as the modes need. The factorizations of the sparse method are not
// counted: their price is in the report of the plan.
//
// Cost: nothing. It panics if the count is negative or the method unknown.
func (s *System) Price(o ModeOptions) float64 {
	s.mustBe()
	o.mustBe()
	const (
		dense    = 30 // flops over n³, for the null space of J and the eigenvalues
		vectors  = 2  // vectors of the basis for each mode
		instants = 3  // linearizations of a steady motion
		product  = 4  // flops for each entry and pair of vectors, which are made orthogonal twice
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

// afford returns an error that wraps ErrTooDear if the price of the modes is above the limit of o.
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

// methodOf returns the method, Dense or Sparse, that computes the modes for o.
func (s *System) methodOf(o ModeOptions) Method {
	if s.takesDense(o) {
		return Dense
	}
	return Sparse
}
