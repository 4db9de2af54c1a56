package ik

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/pages"
)

// The least damping μ holds rows apart that nearly depend on each other. Where S = T·P·Tᵀ, P
// the projector on what the hard rows allow, has eigenvalues below it, the errors along these
// hardly fall. Conjugate gradients on S·λ = e, preconditioned by the factor of S + μ, take
// the damping out of a step: every iteration is one solve, which also has the product with S,
//
//	z = (S + μ)⁻¹·r,   x_z = P·Tᵀ·z,   S·z = T·x_z,
//
// and there are about as many of them as there are such eigenvalues, docs/inverse-kinematics.md (S3).

const (
	// undampMost is the largest number of iterations; they end at the part undampLeft of the errors.
	undampMost, undampLeft = 40, 1e-3
	// undampFlat: a direction with a smaller part of its curvature in S than that of S + μ is not to be told from one
	// in which targets contradict each other, as rounding makes as much.
	undampFlat = 1e-2
)

// undamped is the memory of undamp.
type undamped struct {
	x, along        []float64 // 6 numbers a body: the step, and the direction of an iteration
	lambda, alongY  []float64 // m: their multipliers
	left, alongLeft []float64 // m: what the step leaves of the errors, S·alongY
}

// newUndamped allocates for bodies and rows of targets.
func newUndamped(bodies, rows int) *undamped {
	u := &undamped{x: pages.Make[float64](6 * bodies), along: pages.Make[float64](6 * bodies)}
	for _, v := range []*[]float64{&u.lambda, &u.alongY, &u.left, &u.alongLeft} {
		*v = make([]float64, rows)
	}
	return u
}

// undamp takes the damping μ out of the step of level l at hand, as far as iterations do.
//
// Cost: a solve an iteration, no allocation.
func (s *sparseSolver) undamp(l int, mu float64) {
	u := s.undamped
	n := len(u.x)
	copy(u.x, s.sys.x)
	clear(u.along)
	for _, v := range [][]float64{u.lambda, u.alongY, u.left, u.alongLeft} {
		clear(v)
	}
	s.eachRow(l, func(r *sparseRow, k, at int) {
		u.lambda[at] = s.sys.multipliers(r)[k]
		u.left[at] = s.e[at] - s.sys.product(r, k)
	})
	first, last := 2*s.step.merit, 0.0
	for range undampMost {
		if algebra.Dot(u.left, u.left) <= undampLeft*undampLeft*first || s.flag.Up() {
			break
		}
		clear(s.chord)
		s.eachRow(l, func(r *sparseRow, k, at int) { s.sys.rowsOf(s.chord, r)[k] = u.left[at] })
		s.sys.fac.SolveTo(s.sys.x, s.chord)
		rho := 0.0
		s.eachRow(l, func(r *sparseRow, k, at int) { rho -= s.sys.multipliers(r)[k] * u.left[at] })
		beta := 0.0
		if last > 0 {
			beta = rho / last
		}
		curve := 0.0
		s.eachRow(l, func(r *sparseRow, k, at int) {
			u.alongY[at] = s.sys.multipliers(r)[k] + beta*u.alongY[at]
			u.alongLeft[at] = s.sys.product(r, k) + beta*u.alongLeft[at]
			curve -= u.alongY[at] * u.alongLeft[at]
		})
		if !(rho > 0) || !(curve > undampFlat*(curve+mu*algebra.Dot(u.alongY, u.alongY))) {
			break
		}
		alpha := rho / curve
		for i, v := range s.sys.x[:n] {
			u.along[i] = v + beta*u.along[i]
			u.x[i] += alpha * u.along[i]
		}
		add(u.lambda, alpha, u.alongY)
		add(u.left, -alpha, u.alongLeft)
		last = rho
	}
	copy(s.sys.x, u.x)
	s.eachRow(l, func(r *sparseRow, k, at int) { s.sys.multipliers(r)[k] = u.lambda[at] })
	s.sys.displace()
}

// eachRow calls f for each row k of the targets of level l, at its
// place among the errors. Centres of mass are not among them.
func (s *sparseSolver) eachRow(l int, f func(r *sparseRow, k, at int)) {
	for i := range s.sys.rows {
		r := &s.sys.rows[i]
		if r.level != l || r.bound >= 0 {
			continue
		}
		for k := range r.n {
			f(r, k, s.first[i]+k)
		}
	}
}
