package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	gmresTol   = 1e-12 // of the residual, relative to the solution
	gmresLoose = 1e-9  // the same, accepted where rounding allows no better
	gmresSteps = 120
	// gmresNoise is the part of a product that is new. Below it, rounding shows in the product
	// as motions that the joints do not allow.
	gmresNoise = 1e-3
	// The residual is looked at after each of the first steps, then after some. Vectors beyond
	// convergence consist of rounding, and leave the joints.
	gmresEarly, gmresLook = 12, 4
	gmresCut              = 1e-14 // of singular values
)

// solveTo solves (σ²M + σC + K)·x = b on the displacements that the joints allow, by
// generalized minimal residuals (Saad & Schultz 1986) with the inverse of the
// symmetric part before it, in the metric M. Where there is no other part, one
// product shows that nothing is left.
func (q *quadratic) solveTo(x, b []float64) error {
	s := q.sys
	q.h.solveTo(x, b)
	q.basis = q.basis[:0]
	size := q.norm(x)
	left := q.residualOf(x, b)
	if left <= gmresTol*size {
		return nil
	}
	first := left
	v := slices.Clone(q.r)
	floats.Scale(1/left, v)
	q.basis = append(q.basis, v)
	H := mat.NewDense(gmresSteps+1, gmresSteps, nil)
	var y []float64
	steps := 0
	for steps < gmresSteps {
		if s.over() {
			return s.orCause(nil)
		}
		w, h, whole := q.next()
		t := h[steps+1]
		for i, x := range h {
			H.Set(i, steps, x)
		}
		steps++
		done := !(t > gmresTol*whole) || steps == gmresSteps
		if done || steps < gmresEarly || steps%gmresLook == 0 {
			last, before := left, y
			var err error
			if y, left, err = leastSquares(H, steps, first, max(q.cut, gmresCut)); err != nil {
				return err
			}
			if last <= gmresLoose*size && left > 0.5*last {
				y = before // a step that gains nothing may be rounding
				break
			}
			if done || left <= 0.1*gmresTol*size {
				break
			}
		}
		floats.Scale(1/t, w)
		q.basis = append(q.basis, w)
	}
	for i, t := range y {
		floats.AddScaled(x, t, q.basis[i])
	}
	if left = q.residualOf(x, b); !(left <= gmresLoose*q.norm(x)) && q.cut == 0 {
		return fault.Errorf("linear: %w of the part that is not symmetric", ErrNoConvergence)
	}
	return nil
}

// norm returns ‖v‖ in the metric M.
func (q *quadratic) norm(v []float64) float64 {
	q.sys.MassTo(q.g, v)
	return math.Sqrt(max(floats.Dot(v, q.g), 0))
}

// residualOf stores in q.r the residual of x with the inverse of the symmetric part before it, and returns its norm.
func (q *quadratic) residualOf(x, b []float64) float64 {
	q.productTo(q.r, x)
	for i := range q.r {
		q.r[i] = b[i] - q.r[i]
	}
	q.h.solveTo(q.r, q.r)
	return q.norm(q.r)
}

// next is a step of Arnoldi's iteration. It multiplies the last vector of the basis, and returns the part w of the product that is
// orthogonal to the basis. h has the coefficients of the product, those in the basis and then the norm of w. whole is the norm of the
// product.
func (q *quadratic) next() (w, h []float64, whole float64) {
	s, steps := q.sys, len(q.basis)
	last := q.basis[steps-1]
	w, h = make([]float64, len(last)), make([]float64, steps+1)
	q.productTo(w, last)
	q.h.solveTo(w, w)
	whole = orthogonalize(w, q.basis, s.MassTo, q.g, h, s.space.Watched())
	h[steps] = q.norm(w)
	if h[steps] < gmresNoise*whole {
		s.projectTo(w, w)
		orthogonalize(w, q.basis, s.MassTo, q.g, h, s.space.Watched())
		h[steps] = q.norm(w)
	}
	return w, h, whole
}

// leastSquares returns the y of least ‖e₁·first − H·y‖ for n columns of H, and of least
// norm among those, singular values below cut times the largest taken for zero; and
// the norm that is left.
func leastSquares(H *mat.Dense, n int, first, cut float64) ([]float64, float64, error) {
	A := mat.DenseCopyOf(H.Slice(0, n+1, 0, n))
	b := mat.NewVecDense(n+1, nil)
	b.SetVec(0, first)
	var svd mat.SVD
	if err := full.Singular(&svd, A, mat.SVDThin); err != nil {
		return nil, 0, err
	}
	rank := svd.Rank(cut)
	if rank == 0 {
		return nil, first, nil
	}
	var y, r mat.VecDense
	svd.SolveVecTo(&y, b, rank)
	r.MulVec(A, &y)
	r.SubVec(b, &r)
	return y.RawVector().Data, mat.Norm(&r, 2), nil
}
