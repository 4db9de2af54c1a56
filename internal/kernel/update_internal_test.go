package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// testUpdate compares one call with the sum written out, |Δ| ≤ (k+2)·eps·(|C|+|A||B|ᵀ):
// k products and additions in any order, and one subtraction.
func testUpdate(t *testing.T, r *rand.Rand, v variant, s size, dc, da, db int) {
	t.Helper()
	c := randomDense(r, s.n, s.m, s.n+dc, true)
	a := randomDense(r, s.n, s.k, s.n+da, false)
	b := randomDense(r, s.m, s.k, s.m+db, false)
	before, a0, b0 := c.copy(), a.copy(), b.copy()
	again := c.copy()

	update(v, c.x, c.ld, a.x, a.ld, b.x, b.ld, s.n, s.m, s.k)

	c.requireGuards(t, above, s)
	requireSame(t, a0, a, s)
	requireSame(t, b0, b, s)
	for j := range s.m {
		for i := j; i < s.n; i++ {
			want := *before.at(i, j)
			scale := math.Abs(want)
			for p := range s.k {
				term := *a.at(i, p) * *b.at(j, p)
				want -= term
				scale += math.Abs(term)
			}
			requireClose(t, want, *c.at(i, j), float64(s.k+2)*eps*scale, s, i, j)
		}
	}

	update(v, again.x, again.ld, a.x, a.ld, b.x, b.ld, s.n, s.m, s.k)
	requireSame(t, c, again, s)
}

// TestUpdateSmall runs every size up to 26 rows, 13 columns and 7 terms.
func TestUpdateSmall(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := range 27 {
			for m := range min(n, 13) + 1 {
				for k := range 8 {
					d := n * m * k % 3
					testUpdate(t, r, v, size{n, m, k}, d, (d+1)%3, (d+2)%3)
				}
			}
		}
	})
}

// TestUpdateRandom runs random sizes and leading dimensions, and square ones
// up to 40.
func TestUpdateRandom(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		cases := 1500
		if testing.Short() {
			cases = 150
		}
		for range cases {
			n := r.IntN(41)
			testUpdate(t, r, v, size{n, r.IntN(n + 1), r.IntN(41)}, r.IntN(9), r.IntN(9), r.IntN(9))
		}
		for n := range 41 {
			testUpdate(t, r, v, size{n, n, 5}, 0, 0, 0)
		}
	})
}

// TestUpdateLarge runs sizes beyond every block of the kernels, multiples of
// them and not, and leading dimensions that are powers of two.
func TestUpdateLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large sizes")
	}
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for _, s := range []size{{192, 192, 64}, {193, 50, 129}, {400, 397, 3}, {511, 30, 300}, {601, 601, 17}, {230, 229, 600}} {
			testUpdate(t, r, v, s, 0, 1, 2)
		}
		testUpdate(t, r, v, size{250, 250, 70}, 6, 6, 6)
	})
}

// TestUpdateAliasedPanels runs Update as a multifrontal step does: C, A and B
// are parts of two arrays with one leading dimension.
func TestUpdateAliasedPanels(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		const n, w = 21, 6
		f, ld := randomDense(r, n, n, n, true), randomDense(r, n, w, n, false)
		before := f.copy()
		update(v, f.x[w+w*n:], n, f.x[w:], n, ld.x[w:], n, n-w, n-w, w)
		f.requireGuards(t, above)
		for j := range n {
			for i := j; i < n; i++ {
				want, scale := *before.at(i, j), math.Abs(*before.at(i, j))
				for p := range w {
					if j >= w {
						want -= *before.at(i, p) * *ld.at(j, p)
						scale += math.Abs(*before.at(i, p) * *ld.at(j, p))
					}
				}
				requireClose(t, want, *f.at(i, j), 8*eps*scale, i, j)
			}
		}
	})
}

// TestUpdateNotFinite requires NaN and infinity to reach the elements that
// they belong to and no others.
func TestUpdateNotFinite(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := 1; n < 30; n++ {
			const k = 6
			c, a, b := randomDense(r, n, n, n, true), randomDense(r, n, k, n, false), randomDense(r, n, k, n, false)
			row, column := r.IntN(n), r.IntN(n)
			*a.at(row, 3) = math.NaN()
			*b.at(column, 5) = math.Inf(1)
			update(v, c.x, n, a.x, n, b.x, n, n, n, k)
			for j := range n {
				for i := j; i < n; i++ {
					finite := !math.IsNaN(*c.at(i, j)) && !math.IsInf(*c.at(i, j), 0)
					if finite != (i != row && j != column) {
						t.Fatalf("n=%d: NaN in row %d, infinity in column %d, at %d,%d: %v", n, row, column, i, j, *c.at(i, j))
					}
				}
			}
		}
	})
}
