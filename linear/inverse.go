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
	// shiftMargin keeps blocks positive definite.
	shiftMargin = 1.05
	// shiftDrop is the factor of a shift for which there is no factorization, and shiftDrops
	// how often it is applied.
	shiftDrop, shiftDrops = 1e-4, 3
)

// inverse applies (K+sM)⁻¹·M, K the symmetric part, on the displacements that the joints allow.
// It has a factor of K+sM itself. Where the blocks of that are not positive definite, it has a
// factor of the braced K+sM, as preconditioner of conjugate gradients. K+sM as a whole has to
// be positive definite.
type inverse struct {
	sys    *System
	z      *split // K
	s      float64
	least  float64 // shift with which the blocks of K are positive definite
	h      *shifted
	metric *brace // nil if h is of K+sM

	r, q, Ap, g []float64
	cg          algebra.Conjugate
}

const (
	// innerTol is the residual of a solution relative to the load, in the norm of the
	// preconditioner. innerLoose is the one that is accepted where rounding allows no better.
	innerTol, innerLoose = 1e-12, 1e-8
	innerSteps           = 300
	innerRaise           = 3 // factor of the shift where conjugate gradients fail
)

// indefiniteError says that K+sM is not positive definite.
type indefiniteError struct{ quotient float64 } // xᵀKx/xᵀMx of some x

func (e *indefiniteError) Error() string { return "linear: shifted stiffness is not positive definite" }

// brace takes the braced K with the shift s from here on. The metric starts anew with its least
// weights: another shift may have raised them, and larger ones cost conjugate gradients many
// steps.
func (v *inverse) brace(s float64) error {
	v.metric = v.sys.ownBrace()
	if n := v.sys.dim(); v.r == nil {
		v.r, v.q, v.cg.P = make([]float64, n), make([]float64, n), make([]float64, n)
		v.Ap, v.g = make([]float64, n), make([]float64, n)
	}
	h, err := v.metric.solver(v.sys, s, v.h, func() (*split, error) { return v.sys.braced(0, v.metric, true) })
	return v.set(h, s, err)
}

// exact takes K with the shift s, at least v.least, from here on.
func (v *inverse) exact(s float64) error {
	v.metric = nil
	h, err := v.sys.shift(v.z, s, v.h)
	return v.set(h, s, err)
}

// set takes h, the factor with the shift s, unless it has failed with err. v.h is then without a factor, and keeps its memory for
// the next one.
func (v *inverse) set(h *shifted, s float64, err error) error {
	v.s = s
	if err == nil {
		v.h = h
	}
	return err
}

// take sets the shift s, or a smaller one where rounding allows no factor with it. For each it tries a factor of K+sM itself
// first, if v.least, the least shift for that, is not much above s, and then a factor of the braced matrix.
func (v *inverse) take(s float64) (err error) {
	for range shiftDrops {
		if err := v.sys.orCause(nil); err != nil {
			return err
		}
		if s >= shiftGain*v.least {
			if err = v.exact(max(s, v.least)); !unfactored(err) {
				return err
			}
		}
		if err = v.brace(s); !unfactored(err) {
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

// raise sets a larger shift if err says that conjugate gradients have failed for the present
// one. It returns other errors.
func (v *inverse) raise(out *Modes, err error) error {
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
	return v.take(next)
}

// applyMass stores (K+sM)⁻¹·M·x in dst, which is not x.
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

// iterate replaces the load x by the solution, with the factor of the braced matrix before conjugate gradients.
//
// It returns an *indefiniteError where a direction meets no stiffness, and ErrNoConvergence.
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
