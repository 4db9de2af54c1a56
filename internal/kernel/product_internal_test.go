package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// testProducts compares SubMul and SubMulT of one size with their sums written
// out, |Δ| ≤ (terms+2)·eps·Σ|terms|.
func testProducts(t *testing.T, r *rand.Rand, v variant, n, k, da int) {
	t.Helper()
	s := size{n: n, k: k}
	a := randomDense(r, n, k, n+da, false)
	x, y := randomDense(r, n, 1, n, false), randomDense(r, k, 1, k, false)
	a0, x0, y0 := a.copy(), x.copy(), y.copy()

	subMul(v, x.x, a.x, a.ld, n, k, y.x)
	x.requireGuards(t, nowhere, s)
	requireSame(t, y0, y, s)
	for i := range n {
		want, scale := x0.x[i], math.Abs(x0.x[i])
		for p := range k {
			want -= *a.at(i, p) * y.x[p]
			scale += math.Abs(*a.at(i, p) * y.x[p])
		}
		requireClose(t, want, x.x[i], float64(k+2)*eps*scale, "SubMul", s, i)
	}
	again := x0.copy()
	subMul(v, again.x, a.x, a.ld, n, k, y.x)
	requireSame(t, x, again, s)

	subMulT(v, y.x, a.x, a.ld, n, k, x0.x)
	y.requireGuards(t, nowhere, s)
	for p := range k {
		want, scale := y0.x[p], math.Abs(y0.x[p])
		for i := range n {
			want -= *a.at(i, p) * x0.x[i]
			scale += math.Abs(*a.at(i, p) * x0.x[i])
		}
		requireClose(t, want, y.x[p], float64(n+2)*eps*scale, "SubMulT", s, p)
	}
	again = y0.copy()
	subMulT(v, again.x, a.x, a.ld, n, k, x0.x)
	requireSame(t, y, again, s)
	requireSame(t, a0, a, s)
}

// TestProducts runs every size up to 40 rows and 14 columns and some large.
func TestProducts(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := range 41 {
			for k := range 15 {
				testProducts(t, r, v, n, k, n*k%3)
			}
		}
		for range 300 {
			testProducts(t, r, v, r.IntN(200), r.IntN(41), r.IntN(9))
		}
		testProducts(t, r, v, 2000, 128, 1)
		testProducts(t, r, v, 1024, 33, 0)
	})
}
