package rung

import (
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
)

// nullSpace is the space of the multipliers without effect on any body, the
// null space of Jᵀ, in terms of the redundant rows R.
//
// With a positive diagonal E on the rows R and zero elsewhere, S = J·G⁻¹·Jᵀ + E
// is positive definite, and the solution of S·y = E·c is the null vector that
// equals c on R; G is the geometric metric of the bodies. So one solve makes a null vector, Z·c = S⁻¹·E·c, and one more
// the product with Zᵀ = E·S⁻¹.
type nullSpace struct {
	fac *factor.Factor // of the KKT matrix less E
	m   *sparse.Matrix // that matrix
	e   []float64      // E, zero outside R
	pos int            // scalar rows of the bodies

	b, r []float64 // of solve
}

// nullSpace factors the geometric matrix in s.sys with E = s.sys.Scale.
func (s *Solver) nullSpace() (*nullSpace, error) {
	if err := s.fac.Factorize(s.sys.W, s.sys.Scale, 1, factor.Everywhere); err != nil {
		return nil, err
	}
	n := len(s.x)
	return &nullSpace{
		fac: s.fac, m: s.sys.W, e: s.sys.Scale, pos: 6 * s.plan.mech.NumBodies(),
		b: make([]float64, n), r: make([]float64, n),
	}, nil
}

// solve replaces b by the solution for it, refined once: rows that are nearly redundant make S nearly
// singular.
func (n *nullSpace) solve(b []float64) {
	copy(n.b, b)
	n.fac.SolveTo(b, b)
	n.m.ResidualTo(n.r, n.b, b)
	for i, e := range n.e {
		n.r[i] += e * b[i]
	}
	n.fac.SolveTo(n.r, n.r)
	for i, x := range n.r {
		b[i] += x
	}
}

// apply replaces c by Z·c, in place; c is zero outside R.
func (n *nullSpace) apply(c []float64) {
	for i := range c {
		c[i] *= -n.e[i] // the multipliers of the KKT solution are −S⁻¹ times the right side
	}
	n.solve(c)
	clear(c[:n.pos])
}

// applyT replaces w by Zᵀ·w, in place.
func (n *nullSpace) applyT(w []float64) {
	clear(w[:n.pos])
	n.solve(w)
	for i := range w {
		w[i] *= -n.e[i]
	}
}

// motion replaces v, in the bodies' rows, by its part in the motions that the joints allow, J·v = 0.
func (n *nullSpace) motion(v []float64) {
	clear(v[n.pos:])
	n.solve(v)
}

// Limits of the conjugate gradients in leastNorm.
const (
	normSteps = 200
	normTol   = 1e-22 // of the squared residual, relative
)

// leastNorm takes from the multipliers in x their part in the null space, so
// that what remains has the least norm in the metric (weights, not negative): x ← x − Z·c with ZᵀDZ·c =
// ZᵀD·x, by conjugate gradients (Hestenes & Stiefel 1952).
func (n *nullSpace) leastNorm(x, metric []float64) {
	weigh := func(v []float64) {
		for i := range v {
			v[i] *= metric[i] // zero in the bodies' rows
		}
	}
	dim := len(x)
	r := append([]float64(nil), x...)
	weigh(r)
	n.applyT(r)
	c, p, q := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	// Jacobi preconditioning with the rows' own scales.
	z := func(dst []float64) {
		for i, e := range n.e {
			dst[i] = 0
			if e > 0 {
				d := metric[i]
				if d == 0 {
					d = e
				}
				dst[i] = r[i] / d
			}
		}
	}
	z(q)
	copy(p, q)
	rho := dotAll(r, q)
	first := rho
	for range normSteps {
		if !(rho > normTol*first) {
			break
		}
		copy(q, p)
		n.apply(q)
		weigh(q)
		n.applyT(q)
		alpha := rho / dotAll(p, q)
		for i := range c {
			c[i] += alpha * p[i]
			r[i] -= alpha * q[i]
		}
		z(q)
		next := dotAll(r, q)
		beta := next / rho
		rho = next
		for i := range p {
			p[i] = q[i] + beta*p[i]
		}
	}
	n.apply(c)
	for i, v := range c {
		x[i] -= v
	}
}

func dotAll(a, b []float64) (s float64) {
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
