package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

// sigmaRise is the largest factor by which σ is raised where the blocks of σ²M + σC + K are not positive definite. Beyond it, σ stays
// and the matrix is modified.
const sigmaRise = 30

// quadratic applies the inverse of the first-order form at the shift σ, 1/s, and solves with σ²M + σC + K.
type quadratic struct {
	sys   *System
	sigma float64
	h     *shifted // solver with the symmetric part of σ²M + σC + K, or of the modified one: the preconditioner
	cut   float64  // singular values, relative to the largest, below which solutions leave a direction out; 0: rounding alone

	b, g, r []float64   // scratch, and the preconditioned residual
	basis   [][]float64 // of a cycle of GMRES, orthonormal in M
}

// quadratic factors the preconditioner at σ = sigma, or at the larger σ from which its blocks are positive definite. If that is more than
// sigmaRise·sigma, or the factorization fails, it factors the modified matrix at sigma (System.modified).
func (s *System) quadratic(sigma float64) (*quadratic, error) {
	n := s.dim()
	q := &quadratic{sys: s, sigma: sigma, b: make([]float64, n), g: make([]float64, n), r: make([]float64, n)}
	var z *split // nil where blocks are not positive definite
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
		if need > sigmaRise*sigma {
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
	b := s.stiffnessMetric()
	q.h, err = b.solver(s, sigma*sigma, nil, func() (*split, error) { return s.modified(sigma, b, flipNegative) })
	return q, err
}

// metric stores diag(σ²M, M)·x in dst, for x = (displacements, velocities).
func (q *quadratic) metric(dst, x []float64) {
	n := q.sys.dim()
	q.sys.MassTo(dst[:n], x[:n])
	q.sys.MassTo(dst[n:], x[n:])
	floats.Scale(q.sigma*q.sigma, dst[:n])
}

// apply stores (A − σB)⁻¹B·z in dst, for z = (displacements, velocities) and the first-order form A·z = λB·z.
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
	gmresTol   = 1e-12 // norm of the preconditioned residual, relative to the solution, at which the iteration ends
	gmresLoose = 1e-9  // the same, accepted where rounding allows no smaller one
	gmresSteps = 120   // largest number of steps of a cycle
	// gmresClean is the relative residual at which the iteration ends after the first cycle, once motions that the joints do not allow
	// have been taken out. gmresCycles is the largest number of further cycles. More cycles cost time only.
	gmresClean, gmresCycles = 1e-11, 4
	// gmresNoise is the norm of the new part of a product, relative to the product, below which rounding, as motions that the joints do not
	// allow, is a large part of it and is taken out.
	gmresNoise = 1e-3
	// The residual is computed after each of the first gmresEarly steps, then after each gmresLook steps: basis vectors after
	// convergence would consist of rounding, and of motions that the joints do not allow.
	gmresEarly, gmresLook = 12, 4
	gmresCut              = 1e-14 // singular values, relative to the largest, that count as zero
)

// solveTo solves (σ²M + σC + K)·x = b on the displacements that the joints allow. After each cycle, motions that the joints do not
// allow are taken out of x, and the next cycle solves for the residual without them. x may not be b.
//
// It returns ErrNoConvergence if the residual stays above gmresLoose, and the cause if the context ends. With q.cut, there is one cycle and
// no ErrNoConvergence: the directions that are left out remain in the residual.
func (q *quadratic) solveTo(x, b []float64) error {
	q.h.solveTo(x, b)
	for cycle := 0; ; cycle++ {
		size := q.norm(x)
		residual := q.residualOf(x, b)
		switch {
		case residual <= gmresTol*size || cycle > 0 && residual <= gmresClean*size:
			return nil
		case cycle == gmresCycles || q.cut != 0 && cycle > 0:
			if !(residual <= gmresLoose*size) && q.cut == 0 {
				return fault.Errorf("linear: %w of the part that is not symmetric", ErrNoConvergence)
			}
			return nil
		}
		if err := q.cycle(x, residual, size); err != nil {
			return err
		}
		if q.cut == 0 {
			q.sys.projectTo(x, x)
		}
	}
}

// cycle improves x by one cycle of generalized minimal residuals (Saad & Schultz 1986) in the metric M, with q.h as
// preconditioner. q.r is the preconditioned residual of x, residual its norm, and size the norm of x. If the matrix has no
// unsymmetric part, the first product already ends the cycle.
func (q *quadratic) cycle(x []float64, residual, size float64) error {
	s := q.sys
	first := residual
	v := slices.Clone(q.r)
	floats.Scale(1/residual, v)
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
			last, before := residual, y
			var err error
			if y, residual, err = leastSquares(H, steps, first, max(q.cut, gmresCut)); err != nil {
				return err
			}
			if last <= gmresLoose*size && residual > 0.5*last {
				y = before // a step that does not halve a small residual may be rounding
				break
			}
			if done || residual <= 0.1*gmresTol*size {
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

// residualOf stores in q.r the preconditioned residual of x, q.h⁻¹·(b − (σ²M + σC + K)·x), and returns its norm in M.
func (q *quadratic) residualOf(x, b []float64) float64 {
	q.productTo(q.r, x)
	for i := range q.r {
		q.r[i] = b[i] - q.r[i]
	}
	q.h.solveTo(q.r, q.r)
	return q.norm(q.r)
}

// next is a step of Arnoldi's iteration. It multiplies the last vector of the basis by the preconditioned matrix, and returns the part w of
// the product that is orthogonal to the basis, not normalized. h has the coefficients of the product in the basis, and then the
// norm of w. whole is the norm of the product.
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

// leastSquares returns the y that makes ‖e₁·first − H·y‖ least for the first n columns and n+1 rows of H, the y of least norm if there are
// several, and the norm at y. Singular values of H below cut times the largest count as zero. If all do, y is nil.
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
