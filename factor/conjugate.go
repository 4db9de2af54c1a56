package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// A step of plain refinement changes the multipliers by (S + Γ)⁻¹·(residual of the −1 rows),
// theory.md (19), with S the Schur complement and Γ the proximal term on all of these rows. It
// hardly moves along directions in which S is much smaller than Γ. S relative to S + Γ has
// eigenvalues near one but for these directions. So conjugate gradients with the same factor as
// preconditioner end them one by one (Hestenes & Stiefel 1952).
//
// Residuals and curvatures are taken with K, in which W stands and not its square, theory.md
// (23). So directions are resolved that no pivot can tell from redundant ones, up to
// conjugateFlat. Directions below that have no part in consistent residuals.

const (
	conjugateSteps = 64
	conjugateFlat  = 1e-20 // curvature, relative to the scales of the rows, below which W is known to less than conjugateFair
	conjugateFair  = 1e-6  // predicted error that makes a solution better than one that plain refinement leaves
	conjugateGood  = 1e-7  // predicted error from which on steps are counted that gain less than half
	conjugateIdle  = 3     // number of such steps after which the iteration ends
)

// conjugate is the memory of conjugateGradients, vectors of all rows.
type conjugate struct {
	r, z, q, best []float64
	cg            algebra.Conjugate
}

// conjugateGradients improves the solution x of K·x = b, theory.md (23). It returns the error that it predicts
// for the +1 part, in the energy norm and relative to that part or floor, and whether that is better than conjugateFair. With r the residual
// and p the search directions the error is
//
//	√(rᵀ(S + Γ)⁻¹r) / √(min (pᵀSp)/(pᵀ(S + Γ)p)).
//
// x becomes the best solution by that measure. It stays as it was if no error is better.
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

// resolved reports whether a direction with the given curvature pᵀSp and metric pᵀ(S + Γ)p belongs to the residual, with ρ, and is
// not below what W is known to.
func resolved(rho, curvature, metric, eps float64) bool {
	return rho > 0 && curvature > conjugateFlat/eps*metric
}

// idles reports whether a step to the error e gains less than half where the best one is good.
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
