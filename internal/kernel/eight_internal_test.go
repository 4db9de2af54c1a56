package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rowsOfEight returns n rows of eight random vectors: a column of eight numbers each.
func rowsOfEight(r *rand.Rand, n int) *dense { return randomDense(r, Eight, n, Eight, false) }

// testSubMul8 compares a product with the sums written out, and with those of the vectors of another call beside others.
func testSubMul8(t *testing.T, r *rand.Rand, v variant, n, k, da int, transposed bool) {
	t.Helper()
	s := size{n: n, k: k}
	a, row, column := randomDense(r, n, k, n+da, false), 1, n+da
	at := func(i, p int) float64 { return *a.at(i, p) }
	if transposed {
		a, row, column = randomDense(r, k, n, k+da, false), k+da, 1
		at = func(i, p int) float64 { return *a.at(p, i) }
	}
	x, y := rowsOfEight(r, n), rowsOfEight(r, k)
	a0, x0, y0 := a.copy(), x.copy(), y.copy()
	subMul8(v, x.x, a.x, row, column, n, k, y.x)
	x.requireGuards(t, nowhere, s)
	requireSame(t, y0, y, s)
	requireSame(t, a0, a, s)
	for w := range Eight {
		for i := range n {
			want, scale := *x0.at(w, i), math.Abs(*x0.at(w, i))
			for p := range k {
				want -= at(i, p) * *y.at(w, p)
				scale += math.Abs(at(i, p) * *y.at(w, p))
			}
			requireClose(t, want, *x.at(w, i), float64(k+2)*eps*scale, "SubMul8", s, w, i)
		}
	}
	others, y1 := rowsOfEight(r, n), rowsOfEight(r, k)
	for i := range n {
		*others.at(3, i) = *x0.at(3, i)
	}
	for p := range k {
		*y1.at(3, p) = *y.at(3, p)
	}
	subMul8(v, others.x, a.x, row, column, n, k, y1.x)
	for i := range n {
		requireClose(t, *x.at(3, i), *others.at(3, i), 0, "beside others", s, i)
	}
}

// TestSubMul8 runs all sizes up to 14 rows and 8 columns.
func TestSubMul8(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := range 15 {
			for k := range 9 {
				testSubMul8(t, r, v, n, k, n*k%3, false)
				testSubMul8(t, r, v, n, k, n*k%3, true)
			}
		}
		testSubMul8(t, r, v, 100, 33, 1, false)
	})
}

// TestTriangles8 multiplies what SolveLower8 and SolveLowerT8 have found by the triangle, of all sizes up to 30.
func TestTriangles8(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := range 31 {
			for _, transposed := range []bool{false, true} {
				l, y := randomDense(r, n, n, n+n%3, true), rowsOfEight(r, n)
				l0, y0, s := l.copy(), y.copy(), size{n: n}
				if transposed {
					solveLowerT8(v, y.x, l.x, l.ld, n)
				} else {
					solveLower8(v, y.x, l.x, l.ld, n)
				}
				y.requireGuards(t, nowhere, s)
				requireSame(t, l0, l, s)
				for w := range Eight {
					for i := range n {
						want, scale := *y0.at(w, i), math.Abs(*y0.at(w, i))
						got := *y.at(w, i)
						for j := range n {
							c := 0.0
							if !transposed && j < i {
								c = *l.at(i, j)
							} else if transposed && j > i {
								c = *l.at(j, i)
							}
							got += c * *y.at(w, j)
							scale += math.Abs(c * *y.at(w, j))
						}
						requireClose(t, want, got, float64(n+2)*eps*scale, "triangle", s, transposed, w, i)
					}
				}
			}
		}
	})
}

// TestEightHasTheBitsOfBoth: AVX-512 and AVX2 have the same bits where there are both.
func TestEightHasTheBitsOfBoth(t *testing.T) {
	if best() < avx512 {
		t.Skip("no AVX-512")
	}
	r := newRand()
	for n := range 20 {
		a, x, y := randomDense(r, n, n, n, true), rowsOfEight(r, n), rowsOfEight(r, n)
		x2, y2 := x.copy(), y.copy()
		subMul8(avx512, x.x, a.x, 1, n, n, n, y.x)
		subMul8(avx2, x2.x, a.x, 1, n, n, n, y2.x)
		requireSame(t, x, x2, n)
		for _, f := range []func(v variant, y, l []float64, ld, n int){solveLower8, solveLowerT8} {
			f(avx512, y.x, a.x, n, n)
			f(avx2, y2.x, a.x, n, n)
			requireSame(t, y, y2, n)
		}
	}
}
