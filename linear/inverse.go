package linear

import (
	"errors"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// shiftRounds is the largest number of shifts tried.
	shiftRounds = 12
	// shiftMargin is the factor on the least shift with which all blocks are positive semidefinite: rounding must not make some indefinite.
	shiftMargin = 1.05
	// shiftDrop is the factor on a shift with which there is no factorization, and shiftDrops
	// the largest number of shifts that are tried.
	shiftDrop, shiftDrops = 1e-4, 3
)

// inverse applies (K+sM)⁻¹·M, K the symmetric part, on the displacements that the joints allow.
// It uses a factorization of K+sM. Where the blocks of that are not positive definite, it uses conjugate gradients, with a
// factorization of the modified K+sM (System.modified) as preconditioner. K+sM as a whole has to be positive definite on these
// displacements.
type inverse struct {
	sys    *System
	z      *split  // K
	s      float64 // shift, 1/s²
	least  float64 // shift with which the blocks of K are positive definite, 1/s²
	h      *shifted
	metric *stepMetric // of the modified K that h has the factor of; nil if h has the factor of K+sM itself

	r, q, Ap, g []float64 // scratch of iterate; nil until it is needed
	cg          algebra.Conjugate
}

const (
	// innerTol is the residual of a solution relative to the load, in the norm of the
	// preconditioner, at which conjugate gradients end. innerLoose is the residual that is accepted where rounding allows no smaller one.
	innerTol, innerLoose = 1e-12, 1e-8
	innerSteps           = 300 // largest number of steps of conjugate gradients
	innerRaise           = 3   // factor on the shift where conjugate gradients fail
)

// indefiniteError says that K+sM is not positive definite on the displacements that the joints allow.
type indefiniteError struct{ quotient float64 } // xᵀKx/xᵀMx of some such x, 1/s²

// Error says so, without the quotient.
func (e *indefiniteError) Error() string { return "linear: shifted stiffness is not positive definite" }

// useModified changes v to the modified K with the shift s, 1/s². The metric starts anew with its least
// weights: another shift may have raised them, and larger ones cost conjugate gradients many
// steps. It returns the error of the factorization.
func (v *inverse) useModified(s float64) error {
	v.metric = v.sys.stiffnessMetric()
	if n := v.sys.dim(); v.r == nil {
		v.r, v.q, v.cg.P = make([]float64, n), make([]float64, n), make([]float64, n)
		v.Ap, v.g = make([]float64, n), make([]float64, n)
	}
	h, err := v.metric.solver(v.sys, s, v.h, func() (*split, error) { return v.sys.modified(0, v.metric, flipNegative) })
	return v.set(h, s, err)
}

// useExact changes v to K itself with the shift s, at least v.least, 1/s². It returns the error of the factorization.
func (v *inverse) useExact(s float64) error {
	v.metric = nil
	h, err := v.sys.shift(v.z, s, v.h)
	return v.set(h, s, err)
}

// set stores the shift s, and the solver h with it unless err says that there is none. With err, v.h stays: it has no factorization
// then, but the next one can use its memory. It returns err.
func (v *inverse) set(h *shifted, s float64, err error) error {
	v.s = s
	if err == nil {
		v.h = h
	}
	return err
}

// setShift changes v to the shift s, 1/s², or to a smaller one, up to shiftDrops times, where rounding allows no factorization. With each
// shift it first tries K itself, with the shift raised to v.least if s is not below shiftGain·v.least, and then the modified K. It returns
// the error of the last factorization.
func (v *inverse) setShift(s float64) (err error) {
	for range shiftDrops {
		if err := v.sys.orCause(nil); err != nil {
			return err
		}
		if s >= shiftGain*v.least {
			if err = v.useExact(max(s, v.least)); !unfactored(err) {
				return err
			}
		}
		if err = v.useModified(s); !unfactored(err) {
			return err
		}
		s *= shiftDrop
	}
	return err
}

// unfactored reports whether err says that a factorization has failed.
func unfactored(err error) bool {
	p := new(factor.PivotError)
	return errors.Is(err, ErrSingular) || errors.As(err, &p)
}

// raiseShift sets a larger shift if err, which is not nil, says that conjugate gradients have failed with the present one, and counts the
// factorization in out. Otherwise it returns err.
func (v *inverse) raiseShift(out *Modes, err error) error {
	if v.metric == nil {
		return err
	}
	next := innerRaise * v.s
	if e := new(indefiniteError); errors.As(err, &e) {
		next = max(next, -shiftBeyond*e.quotient)
	} else if !errors.Is(err, ErrNoConvergence) {
		return err
	}
	out.Factors++
	return v.setShift(next)
}

// applyMass stores (K+sM)⁻¹·M·x in dst, which is not x. It returns the errors of iterate.
func (v *inverse) applyMass(dst, x []float64) error {
	if err := v.sys.orCause(nil); err != nil {
		return err
	}
	v.sys.MassTo(dst, x)
	if v.metric == nil {
		v.h.solveTo(dst, dst)
		return nil
	}
	return v.iterate(dst)
}

// iterate replaces the load x by the solution of (K+sM), by conjugate gradients with v.h as preconditioner.
//
// It returns an *indefiniteError if a search direction has no positive curvature, ErrNoConvergence after innerSteps, or the cause if the
// context ends.
func (v *inverse) iterate(x []float64) error {
	copy(v.r, x)
	clear(x)
	v.cg.Rho = 0
	first := 0.0
	for step := 0; ; step++ {
		if err := v.sys.orCause(nil); err != nil {
			return err
		}
		v.h.solveTo(v.q, v.r)
		v.cg.Turn(v.q, floats.Dot(v.r, v.q))
		rho, p := v.cg.Rho, v.cg.P
		if step == 0 {
			first = rho
		}
		if !(rho > innerTol*innerTol*first) {
			return nil
		}
		loose := rho <= innerLoose*innerLoose*first
		if step == innerSteps {
			if loose {
				return nil
			}
			return fault.Errorf("linear: %w of conjugate gradients with the shifted stiffness", ErrNoConvergence)
		}
		v.z.timesTo(v.Ap, p)
		v.sys.MassTo(v.g, p)
		stiff, mass := floats.Dot(p, v.Ap), floats.Dot(p, v.g)
		floats.AddScaled(v.Ap, v.s, v.g)
		curvature := stiff + v.s*mass
		if !(curvature > 0) {
			if loose {
				return nil
			}
			return &indefiniteError{stiff / mass}
		}
		floats.AddScaled(x, rho/curvature, p)
		floats.AddScaled(v.r, -rho/curvature, v.Ap)
	}
}
