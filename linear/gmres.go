package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

// farther is the factor on σ up to which a larger one is taken instead of a braced factor.
const farther = 30

// quadratic applies the inverse of the first-order form at σ.
type quadratic struct {
	sys   *System
	sigma float64
	h     *shifted // the symmetric part of σ²M + σC + K
	cut   float64  // solutions leave out directions that are relatively weaker than this

	b, g, r []float64
	basis   [][]float64
}

// quadratic prepares σ, or a larger one where blocks are not positive definite with it. If the
// larger one would be much larger, the factor is of the braced matrix.
func (s *System) quadratic(sigma float64) (*quadratic, error) {
	n := s.dim()
	q := &quadratic{sys: s, sigma: sigma, b: make([]float64, n), g: make([]float64, n), r: make([]float64, n)}
	var z *split
	for range shiftRounds {
		var err error
		if z, err = s.splitOf(q.sigma, 1); err != nil {
			return nil, err
		}
		least, err := s.leastShift(z)
		if err != nil {
			return nil, err
		}
		need := math.Sqrt(shiftMargin * least)
		if need <= q.sigma {
			break
		}
		z = nil
		if need > farther*sigma {
			break
		}
		q.sigma = need
	}
	var err error
	if z != nil {
		q.h, err = s.shift(z, q.sigma*q.sigma, nil)
		if !unfactored(err) {
			return q, err
		}
	}
	q.sigma = sigma
	b := s.ownBrace()
	q.h, err = b.solver(s, sigma*sigma, nil, func() (*split, error) { return s.braced(sigma, b, true) })
	return q, err
}

// metric is diag(σ²M, M).
func (q *quadratic) metric(dst, x []float64) {
	n := q.sys.dim()
	q.sys.MassTo(dst[:n], x[:n])
	q.sys.MassTo(dst[n:], x[n:])
	floats.Scale(q.sigma*q.sigma, dst[:n])
}

// apply is (A − σB)⁻¹B.
func (q *quadratic) apply(dst, z []float64) error {
	if err := q.sys.orCause(nil); err != nil {
		return err
	}
	n := q.sys.dim()
	x, v := z[:n], z[n:]
	for i := range q.b {
		q.b[i] = v[i] + q.sigma*x[i]
	}
	q.sys.MassTo(q.b, q.b)
	q.sys.DampingTo(q.g, x)
	floats.AddScaled(q.b, 1, q.g)
	if err := q.solveTo(dst[:n], q.b); err != nil {
		return err
	}
	for i := range n {
		dst[i] = -dst[i]
		dst[n+i] = x[i] + q.sigma*dst[i]
	}
	return nil
}

// productTo stores (σ²M + σC + K)·x in dst.
func (q *quadratic) productTo(dst, x []float64) {
	q.sys.StiffnessTo(dst, x)
	q.sys.DampingTo(q.g, x)
	floats.AddScaled(dst, q.sigma, q.g)
	q.sys.MassTo(q.g, x)
	floats.AddScaled(dst, q.sigma*q.sigma, q.g)
}

const (
	gmresTol   = 1e-12 // of the residual, relative to the solution
	gmresLoose = 1e-9  // the same, accepted where rounding allows no better
	gmresSteps = 120
	// gmresClean is the residual that a cycle may leave once parts outside the joints are taken out, and gmresCycles the largest number
	// of cycles. More of these cost time only.
	gmresClean, gmresCycles = 1e-11, 4
	// gmresNoise is the part of a product that is new. Below it, rounding shows in the product
	// as motions that the joints do not allow.
	gmresNoise = 1e-3
	// The residual is looked at after each of the first steps, then after some. Vectors beyond
	// convergence consist of rounding, and leave the joints.
	gmresEarly, gmresLook = 12, 4
	gmresCut              = 1e-14 // of singular values
)

// solveTo solves (σ²M + σC + K)·x = b on the displacements that the joints allow. What a solution has gained outside of these is taken out,
// and what K makes of it is solved for in another cycle: the residual does not show it.
func (q *quadratic) solveTo(x, b []float64) error {
	q.h.solveTo(x, b)
	for cycle := 0; ; cycle++ {
		size := q.norm(x)
		left := q.residualOf(x, b)
		switch {
		case left <= gmresTol*size || cycle > 0 && left <= gmresClean*size:
			return nil
		case cycle == gmresCycles || q.cut != 0 && cycle > 0:
			if !(left <= gmresLoose*size) && q.cut == 0 {
				return fault.Errorf("linear: %w of the part that is not symmetric", ErrNoConvergence)
			}
			return nil
		}
		if err := q.cycle(x, left, size); err != nil {
			return err
		}
		if q.cut == 0 {
			q.sys.projectTo(x, x)
		}
	}
}

// cycle brings x nearer to the solution, whose residual of the norm left is in q.r, by
// generalized minimal residuals (Saad & Schultz 1986) with the inverse of the
// symmetric part before it, in the metric M. Where there is no other part, one
// product shows that nothing is left. size is the norm of x.
func (q *quadratic) cycle(x []float64, left, size float64) error {
	s := q.sys
	first := left
	v := slices.Clone(q.r)
	floats.Scale(1/left, v)
	q.basis = append(q.basis[:0], v)
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
