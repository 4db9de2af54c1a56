package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// testRows compares SubRows and SubRowsT with their sums written out,
// |Δ| ≤ (terms+2)·eps·Σ|terms|, and Transpose with copies.
func testRows(t *testing.T, r *rand.Rand, v variant, n, lead int) {
	t.Helper()
	w := randomDense(r, 6, n, 6, false) // column a is row a of W
	x, y := randomDense(r, 6, 1, 6, false), randomDense(r, n, 1, n, false)
	w0, x0, y0 := w.copy(), x.copy(), y.copy()

	subRows(v, y.x, w.x, n, x.x)
	y.requireGuards(t, nowhere, n)
	requireSame(t, x0, x, n)
	for a := range n {
		want, scale := y0.x[a], math.Abs(y0.x[a])
		for c := range 6 {
			want -= *w.at(c, a) * x.x[c]
			scale += math.Abs(*w.at(c, a) * x.x[c])
		}
		requireClose(t, want, y.x[a], 8*eps*scale, "SubRows", n, a)
	}
	again := y0.copy()
	subRows(v, again.x, w.x, n, x.x)
	requireSame(t, y, again, n)

	subRowsT(v, x.x, w.x, n, y0.x)
	x.requireGuards(t, nowhere, n)
	for c := range 6 {
		want, scale := x0.x[c], math.Abs(x0.x[c])
		for a := range n {
			want -= *w.at(c, a) * y0.x[a]
			scale += math.Abs(*w.at(c, a) * y0.x[a])
		}
		requireClose(t, want, x.x[c], float64(n+2)*eps*scale, "SubRowsT", n, c)
	}
	again = x0.copy()
	subRowsT(v, again.x, w.x, n, y0.x)
	requireSame(t, x, again, n)

	dst := newDense(n, 6, n+lead)
	transpose(v, dst.x, dst.ld, w.x, n)
	dst.requireGuards(t, nowhere, n)
	for i := range n {
		for j := range 6 {
			require.Equal(t, *w.at(j, i), *dst.at(i, j), "Transpose: n=%d i=%d j=%d", n, i, j)
		}
	}
	requireSame(t, w0, w, n)
}

// TestRows runs up to 20 rows, more than once, and some more of them.
func TestRows(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := range 21 {
			for lead := range 4 {
				testRows(t, r, v, n, lead)
			}
		}
		for range 50 {
			testRows(t, r, v, r.IntN(200), r.IntN(9))
		}
	})
}

// testAdd compares AddLower and AddBlock with their elements, which have one
// rounding and so one answer.
func testAdd(t *testing.T, r *rand.Rand, v variant, n, m, dc, da int) {
	t.Helper()
	for _, lower := range []bool{true, false} {
		outside, run := nowhere, addBlock
		if lower {
			outside, run = above, addLower
			m = min(n, m)
		}
		c, a := randomDense(r, n, m, n+dc, lower), randomDense(r, n, m, n+da, lower)
		before, a0 := c.copy(), a.copy()
		run(v, c.x, c.ld, a.x, a.ld, n, m)
		message := fmt.Sprintf("n=%d m=%d lower=%v", n, m, lower)
		c.requireGuards(t, outside, message)
		requireSame(t, a0, a, message)
		for j := range m {
			for i := range n {
				if want := *before.at(i, j) + *a.at(i, j); !outside(i, j) && *c.at(i, j) != want {
					require.Fail(t, "wrong sum", "%s: i=%d j=%d: want %v, got %v", message, i, j, want, *c.at(i, j))
				}
			}
		}
	}
}

// TestAdd runs every size up to 40 rows and 24 columns, and larger ones.
func TestAdd(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := range 41 {
			for m := n % check.Few(1, 3); m < 25; m += check.Few(1, 3) {
				testAdd(t, r, v, n, m, n*m%3, (n+m)%3)
			}
		}
		for range 100 {
			n := r.IntN(300)
			testAdd(t, r, v, n, r.IntN(n+1), r.IntN(9), r.IntN(9))
		}
	})
}

// testSolve multiplies the solutions of SolveLower and SolveLowerT by L and Lᵀ:
// |L·y − b| ≤ n·eps·|L|·|y| by row, the bound of substitution in any order
// (Higham 2002 §8.1).
func testSolve(t *testing.T, r *rand.Rand, v variant, n, lead int) {
	t.Helper()
	l := newDense(n, max(n-1, 0), n+lead)
	for j := range n - 1 {
		for i := j + 1; i < n; i++ {
			*l.at(i, j) = r.NormFloat64() / math.Sqrt(float64(n))
		}
	}
	b, l0 := randomDense(r, n, 1, n, false), l.copy()
	for _, transposed := range []bool{false, true} {
		run := solveLower
		if transposed {
			run = solveLowerT
		}
		message := fmt.Sprintf("n=%d transposed=%v", n, transposed)
		y, again := b.copy(), b.copy()
		run(v, y.x, l.x, l.ld, n)
		y.requireGuards(t, nowhere, message)
		requireSame(t, l0, l, message)
		for i := range n {
			got, scale := y.x[i], math.Abs(y.x[i])
			for j := range n {
				var e float64
				switch {
				case !transposed && j < i:
					e = *l.at(i, j)
				case transposed && j > i:
					e = *l.at(j, i)
				}
				got += e * y.x[j]
				scale += math.Abs(e * y.x[j])
			}
			requireClose(t, b.x[i], got, float64(n+2)*eps*scale, message, i)
		}
		run(v, again.x, l.x, l.ld, n)
		requireSame(t, y, again, message)
	}
}

// TestSolve solves with triangles of every order up to 60 and some larger.
func TestSolve(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := range 61 {
			for lead := range 3 {
				testSolve(t, r, v, n, lead)
			}
		}
		for range 20 {
			testSolve(t, r, v, 60+r.IntN(200), r.IntN(9))
		}
	})
}
