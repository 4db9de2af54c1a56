package fik

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
)

const (
	mostCoupled   = 200   // largest number of rows for recurrences that need all eigenvalues
	mostSquarings = 40    // largest number of squarings of the matrix of an iteration
	diverged      = 1e100 // norm of a power of the matrix above which the powers count as unbounded
)

// coupled is the memory of the test of stability for recurrences whose modes are not those of a symmetric matrix (Filter.mixes).
type coupled struct {
	a, b   *Dense    // the matrix, m×m, or 2m×2m in form F, and scratch for its square
	re, im []float64 // eigenvalues
	unit   []float64 // scratch, m
}

// newCoupled allocates the test of stability for f.
func newCoupled(f *Filter) *coupled {
	k := f.m
	if f.form == FormF {
		k *= 2
	}
	return &coupled{a: NewDense(k, k, nil), b: NewDense(k, k, nil), re: make([]float64, k), im: make([]float64, k), unit: make([]float64, f.m)}
}

// coupledJudge sets gain, mu and limit of f.guard for a recurrence that mixes modes. Where powers of the matrix show that it converges with
// the present step or factor, the limit is infinite; otherwise it is computed from the eigenvalues in form V, and 0 in form F.
//
// Cost: m products with the map and O(m³); it allocates only where the eigenvalues are computed. It returns ErrNotFinite if a number is not
// finite or the eigenvalues fail.
func (f *Filter) coupledJudge() error {
	g, c := &f.guard, f.guard.coupled
	f.fillCoupled()
	if !algebra.Finite(norm(c.a.Data)) {
		return ErrNotFinite
	}
	if f.form == FormV && f.h > 0 && g.mu > 0 { // with a step and an earlier mu: test the powers of 1 − h (G − A)
		for i := range c.a.Data {
			c.a.Data[i] *= -f.h
		}
		for i := range f.m {
			c.a.Row(i)[i]++
		}
		if c.contracts() {
			g.limit = math.Inf(1)
			return nil
		}
		f.fillCoupled()
	}
	if f.form == FormF {
		g.limit = 0
		if c.contracts() {
			g.limit = math.Inf(1)
		}
		return nil
	}
	return f.coupledLimit()
}

// fillCoupled stores in guard.coupled.a the matrix G − A with G = J V Jᵀ P in form V. In form F it stores the matrix of the iteration
// of (z(t), z(t−1)), by z(t) = α z(t−1) − G z(t−2). It sets guard.gain, and in form F guard.mu to the Frobenius norm of G.
func (f *Filter) fillCoupled() {
	g, c := &f.guard, f.guard.coupled
	clear(c.a.Data)
	g.gain = 0
	sign, first, size := 1., 0, 0. // first: first column of G in the matrix; size: ‖G‖²
	if f.form == FormF {
		sign, first = -1, f.m
	}
	for col := range f.m { // column by column
		c.unit[col] = 1
		f.outTo(g.y, c.unit)
		c.unit[col] = 0
		g.gain = max(g.gain, norm(g.y))
		f.j.MulTo(g.x, g.y)
		for i, x := range g.x {
			c.a.Row(i)[first+col] = sign * x
			size += x * x
		}
	}
	for i, a := range f.a {
		c.a.Row(i)[i] -= sign * a
		if f.form == FormF {
			c.a.Row(f.m + i)[i] = 1
		}
	}
	if f.form == FormF {
		g.mu = math.Sqrt(size)
	}
}

// coupledLimit sets guard.limit to the largest h with |1 − hμ| ≤ 1 for all eigenvalues μ of coupled.a, the least of all 2 Re μ/|μ|², and
// guard.mu to the largest |μ|. It returns ErrNotFinite if the eigenvalues fail.
func (f *Filter) coupledLimit() error {
	g, c := &f.guard, f.guard.coupled
	if err := eigen.Values(c.a.general(), c.re, c.im); err != nil {
		return ErrNotFinite
	}
	g.mu, g.limit = 0, math.Inf(1)
	for i, re := range c.re {
		size := math.Hypot(re, c.im[i])
		if size == 0 { // its mode does not decay with any step
			g.limit = 0
			continue
		}
		g.mu, g.limit = max(g.mu, size), min(g.limit, 2*re/(size*size))
	}
	return nil
}

// contracts reports whether the powers of c.a converge to zero. It squares c.a, which it overwrites, until the norm is below 1, which
// proves that, or above diverged, or up to mostSquarings times.
func (c *coupled) contracts() bool {
	for range mostSquarings {
		size := norm(c.a.Data)
		if size < 1 {
			return true
		}
		if !(size < diverged) {
			return false
		}
		clear(c.b.Data)
		for i := range c.a.Rows {
			row := vector(c.b.Row(i))
			for k, x := range c.a.Row(i) {
				blas64.Axpy(x, vector(c.a.Row(k)), row)
			}
		}
		c.a, c.b = c.b, c.a
	}
	return false
}
