package fik

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
)

const (
	mostCoupled   = 200   // rows up to which recurrences may mix modes
	mostSquarings = 40    // of the matrix of one iteration
	lost          = 1e100 // size of a power from which on the powers are taken to grow for ever
)

// coupled judges recurrences whose modes are not those of a symmetric matrix.
type coupled struct {
	a, b   *Dense // matrix of one iteration, and its square
	re, im []float64
	unit   []float64 // m
}

func newCoupled(f *Filter) *coupled {
	k := f.m
	if f.form == FormF {
		k *= 2
	}
	return &coupled{a: NewDense(k, k, nil), b: NewDense(k, k, nil), re: make([]float64, k), im: make([]float64, k), unit: make([]float64, f.m)}
}

// coupledJudge sets what guard knows, with the eigenvalues where the recurrence does not converge or has no step yet.
//
// Cost: m products with the map and O(m³), no allocation where it converges.
func (f *Filter) coupledJudge() error {
	g, c := &f.guard, f.guard.coupled
	f.fillCoupled()
	if !algebra.Finite(norm(c.a.Data)) {
		return ErrNotFinite
	}
	if f.form == FormV && f.h > 0 && g.mu > 0 { // 1 − h (G − A)
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

// fillCoupled stores in c.a the matrix G − A with G = J V Jᵀ P, for form F that of (z(t), z(t−1)), as
// z(t) = α z(t−1) − G z(t−2). It sets guard's gain, and mu for form F to the root of the sum of squares of G.
func (f *Filter) fillCoupled() {
	g, c := &f.guard, f.guard.coupled
	clear(c.a.Data)
	g.gain = 0
	sign, first, size := 1., 0, 0.
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

// coupledLimit sets guard's limit by the eigenvalues μ of c.a: |1 − hμ| < 1 for all where h < 2 Re μ/|μ|² for all.
func (f *Filter) coupledLimit() error {
	g, c := &f.guard, f.guard.coupled
	if err := eigen.Values(c.a.general(), c.re, c.im); err != nil {
		return ErrNotFinite
	}
	g.mu, g.limit = 0, math.Inf(1)
	for i, re := range c.re {
		size := math.Hypot(re, c.im[i])
		if size == 0 { // which no step brings to zero
			g.limit = 0
			continue
		}
		g.mu, g.limit = max(g.mu, size), min(g.limit, 2*re/(size*size))
	}
	return nil
}

// contracts reports whether the powers of c.a go to zero. It squares until one is smaller than 1, so that all
// eigenvalues are, or until that takes too long. It destroys c.a.
func (c *coupled) contracts() bool {
	for range mostSquarings {
		size := norm(c.a.Data)
		if size < 1 {
			return true
		}
		if !(size < lost) {
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
