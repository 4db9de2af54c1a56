package ik

import "github.com/rung-mbd/rung/internal/algebra"

// The least damping μ keeps the system regular where rows nearly depend on each other. Let P be the
// projector on the motions that the hard rows allow, and S = T·P·Tᵀ. Along eigenvectors of S whose
// eigenvalues are below μ the errors hardly fall. Conjugate gradients on S·λ = e, preconditioned by
// the factor of S + μ, remove the damping from a step, docs/inverse-kinematics.md (S3). An iteration
// is one solve, which also gives the product with S,
//
//	z = (S + μ)⁻¹·r,   x_z = P·Tᵀ·z,   S·z = T·x_z.
//
// There are about as many iterations as such eigenvalues.

const (
	// undampMost is the largest number of iterations. They end when errors are down to the fraction undampLeft.
	undampMost, undampLeft = 40, 1e-3
	// undampFlat is the least ratio of a direction's curvature in S to its curvature in S + μ. Below it rounding may be as large, and
	// targets may contradict each other in this direction.
	undampFlat = 1e-2
)

// undamp removes the damping μ from the step of level l in s.sys.x, and from its multipliers, by conjugate gradients with the
// factorization of the damped system. It ends after undampMost iterations, or where the step along a direction would amplify rounding
// (undampFlat). u.lambda has the multipliers with the sign of the system, −λ.
//
// Cost: a solve for each iteration, no allocation.
func (s *sparseMethod) undamp(l int, mu float64) {
	u := s.undamped
	n := len(u.x)
	copy(u.x, s.sys.x)
	clear(u.along)
	for _, v := range [][]float64{u.lambda, u.alongLambda, u.rest, u.alongRest} {
		clear(v)
	}
	s.eachRow(l, func(r *sparseRow, k, at int) {
		u.lambda[at] = s.sys.multipliers(r)[k]
		u.rest[at] = s.e[at] - s.sys.product(r, k)
	})
	first, last := 2*s.step.merit, 0.0
	for range undampMost {
		if algebra.Dot(u.rest, u.rest) <= undampLeft*undampLeft*first || s.flag.Up() {
			break
		}
		clear(s.chord)
		s.eachRow(l, func(r *sparseRow, k, at int) { s.sys.rowsOf(s.chord, r)[k] = u.rest[at] })
		s.sys.fac.SolveTo(s.sys.x, s.chord)
		rho := 0.0
		s.eachRow(l, func(r *sparseRow, k, at int) { rho -= s.sys.multipliers(r)[k] * u.rest[at] })
		beta := 0.0
		if last > 0 {
			beta = rho / last
		}
		curve := 0.0
		s.eachRow(l, func(r *sparseRow, k, at int) {
			u.alongLambda[at] = s.sys.multipliers(r)[k] + beta*u.alongLambda[at]
			u.alongRest[at] = s.sys.product(r, k) + beta*u.alongRest[at]
			curve -= u.alongLambda[at] * u.alongRest[at]
		})
		if !(rho > 0) || !(curve > undampFlat*(curve+mu*algebra.Dot(u.alongLambda, u.alongLambda))) {
			break
		}
		alpha := rho / curve
		for i, v := range s.sys.x[:n] {
			u.along[i] = v + beta*u.along[i]
			u.x[i] += alpha * u.along[i]
		}
		add(u.lambda, alpha, u.alongLambda)
		add(u.rest, -alpha, u.alongRest)
		last = rho
	}
	copy(s.sys.x, u.x)
	s.eachRow(l, func(r *sparseRow, k, at int) { s.sys.multipliers(r)[k] = u.lambda[at] })
	s.sys.displace()
}

// eachRow calls f for each row of level l that is not of a bound: row k of r, with the errors at number at. Centres of mass are not among
// them.
func (s *sparseMethod) eachRow(l int, f func(r *sparseRow, k, at int)) {
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
