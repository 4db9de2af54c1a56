package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// A step of plain refinement changes the multipliers by (S + Γ)⁻¹·(residual of the −1 rows),
// theory.md (19), where S is the Schur complement and Γ the proximal term on all of these rows. It
// hardly moves along directions in which S is much smaller than Γ. In all other directions, the
// eigenvalues of S relative to S + Γ are close to one. So conjugate gradients with the same factor as
// preconditioner remove the error in the few slow directions one by one (Hestenes & Stiefel 1952).
//
// Residuals and curvatures are computed with K, which contains W and not its square, theory.md
// (23). So the iteration resolves directions that pivots do not distinguish from redundant ones, down to
// the curvature conjugateFlat. Flatter directions have no part in consistent residuals.

// Constants of conjugateGradients.
const (
	conjugateSteps = 64    // largest number of steps
	conjugateFlat  = 1e-20 // curvature, relative to the scales of the rows, below which the relative error of W is above conjugateFair
	conjugateFair  = 1e-6  // largest predicted error of a solution that replaces the one of plain refinement
	conjugateGood  = 1e-7  // largest predicted error at which steps that gain less than half are counted
	conjugateIdle  = 3     // number of such steps after which the iteration ends
)

// conjugate is the memory of conjugateGradients: vectors of all rows.
type conjugate struct {
	r, z, q, best []float64
	cg            algebra.Conjugate
}

// conjugateGradients improves the solution x of K·x = b, theory.md (23). It returns the predicted error of the +1 part in the energy norm,
// relative to the larger of this part and floor, and reports whether the error is below conjugateFair. Let r be the residual and p the
// search directions. The error is
//
//	√(rᵀ(S + Γ)⁻¹r) / √(min (pᵀSp)/(pᵀ(S + Γ)p)).
//
// x becomes the solution with the smallest error. It is unchanged if no error is below conjugateFair.
//
// Cost: a solve and two products with K a step; the first call allocates.
func (f *Factor) conjugateGradients(x, b []float64, floor float64) (left float64, better bool) {
	if f.slow == nil {
		f.slow = &conjugate{}
		for _, v := range []*[]float64{&f.slow.r, &f.slow.z, &f.slow.cg.P, &f.slow.q, &f.slow.best} {
			*v = make([]float64, len(x))
		}
	}
	c := f.slow
	c.cg.Rho = 0
	copy(c.best, x)
	f.unit.ResidualTo(c.r, b, x)
	f.beginCorrection(c.r)
	best, least, idle := conjugateFair, 1.0, 0
	metric := 0.0 // pᵀ(S + Γ)p of the last step; ρ is −rᵀz
	for k := 0; k < conjugateSteps && idle < conjugateIdle && !f.watch.Up(); k++ {
		clear(c.z)
		f.backward(solution{x: c.z, b: b, add: true})
		beta := c.cg.Turn(c.z, -f.jointProduct(c.r, c.z))
		rho, p := c.cg.Rho, c.cg.P
		metric = rho + beta*beta*metric
		f.unit.MulVecTo(c.q, p)
		curvature := -f.jointProduct(p, c.q)
		if !resolved(rho, curvature, metric, f.eps) {
			break
		}
		least = min(least, curvature/metric)
		for i, u := range p {
			x[i] += rho / curvature * u
		}
		f.unit.ResidualTo(c.r, b, x)
		e := f.beginCorrection(c.r) / math.Sqrt(least) / max(f.energy(x), floor)
		if idle++; !idles(e, best) {
			idle = 0
		}
		if e < best {
			best = e
			copy(c.best, x)
		}
	}
	copy(x, c.best)
	return best, best < conjugateFair
}

// resolved reports whether ρ is positive, and the curvature pᵀSp of a direction is above the rounding of W. metric is pᵀ(S + Γ)p.
func resolved(rho, curvature, metric, eps float64) bool {
	return rho > 0 && curvature > conjugateFlat/eps*metric
}

// idles reports whether the best error is already good, and a step to the error e gains less than a factor of two.
func idles(e, best float64) bool { return best <= conjugateGood && e > best/2 }

// jointProduct returns x·y over the −1 rows of the core.
func (f *Factor) jointProduct(x, y []float64) (sum float64) {
	s := f.Symbolic
	for c, o := range s.oldOff {
		if s.sign[c] < 0 {
			n := s.off[c+1] - s.off[c]
			sum += algebra.Dot(x[o:o+n], y[o:o+n])
		}
	}
	return sum
}
