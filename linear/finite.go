package linear

import (
	"math/cmplx"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/internal/fault"
)

// ErrNotFinite is wrapped, with the name of a body, a joint or a force, where numbers of
// a finite state overflow.
var ErrNotFinite = eigen.ErrNotFinite

// filled holds the numbers of rows and pairs of a System before an element is added.
type filled struct{ rows, pairs int }

// filled returns the numbers of rows and pairs of s.
func (s *System) filled() filled { return filled{len(s.rows), len(s.pairs)} }

// finite reports whether the rows and pairs that were added since then, and the blocks of the given bodies, are finite. Body −1, the
// world, is skipped.
func (s *System) finite(since filled, bodies ...int32) bool {
	for i := range s.rows[since.rows:] {
		r := &s.rows[since.rows+i]
		if !algebra.AllFinite(r.v[:]...) || !algebra.AllFinite(r.rate[:]...) || !algebra.AllFinite(r.k, r.d) {
			return false
		}
		if r.far != nil && (!algebra.AllFinite(r.far.v...) || !algebra.AllFinite(r.far.rate...)) {
			return false
		}
	}
	for i := range s.pairs[since.pairs:] {
		p := &s.pairs[since.pairs+i]
		if !algebra.AllFinite(p.K[:]...) || p.C != nil && !algebra.AllFinite(p.C[:]...) {
			return false
		}
	}
	for _, b := range bodies {
		if b >= 0 && (!algebra.AllFinite(s.stiff[b][:]...) || !algebra.AllFinite(s.damp[b][:]...)) {
			return false
		}
	}
	return true
}

// bodyError adds the name of body i to an error.
func (s *System) bodyError(i int, err error) error {
	return fault.Errorf("linear: %w", s.mech.AtBody(i, err))
}

// jointError adds the name of joint j to an error.
func (s *System) jointError(j int, err error) error {
	return fault.Errorf("linear: %w", s.mech.AtJoint(j, -1, err))
}

// finiteModes returns ErrNotFinite with the name of a body if a mode of out is not finite: the body where its shape is not, or where the
// shape is largest if only the eigenvalue or stiffness is not.
func (s *System) finiteModes(out *Modes) error {
	for i := range out.List {
		m := &out.List[i]
		for k := range m.Shape {
			if !algebra.AllFinite(m.Shape[k:k+1]...) || m.Imag != nil && !algebra.AllFinite(m.Imag[k:k+1]...) {
				return s.bodyError(k/6, ErrNotFinite)
			}
		}
		if cmplx.IsNaN(m.Lambda) || cmplx.IsInf(m.Lambda) || !algebra.AllFinite(m.Stiffness) {
			return s.bodyError(algebra.Largest(m.Shape)/6, ErrNotFinite)
		}
	}
	return nil
}

// firstInfinite returns the index of the first number of v that is not finite, or −1.
func firstInfinite(v []float64) int {
	if algebra.AllFinite(v...) {
		return -1
	}
	return slices.IndexFunc(v, func(x float64) bool { return !algebra.Finite(x) })
}
