package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// panelCase is a trapezoid to factor, with what Panel fills.
type panelCase struct {
	n, w               int
	f, ld              *dense
	dinv, limit, shift *dense
	before             *dense
}

// newPanelCase returns a trapezoid with pivots of about n, negative where
// negative says so, limits that no pivot exceeds, and shifts that are never made.
func newPanelCase(r *rand.Rand, n, w, df, dd int, negative func(p int) bool) *panelCase {
	c := &panelCase{
		n: n, w: w,
		f:  randomDense(r, n, w, n+df, true),
		ld: newDense(n, w, n+dd), dinv: newDense(w, 1, w), limit: newDense(w, 1, w), shift: newDense(w, 1, w),
	}
	for p := range w {
		d := float64(n) + r.Float64()
		if negative(p) {
			d = -d
		}
		*c.f.at(p, p) = d
		c.limit.x[p], c.shift.x[p] = math.Inf(1), math.NaN()
	}
	c.before = c.f.copy()
	return c
}

// run calls Panel of the set v.
func (c *panelCase) run(v variant, from int) int {
	return panel(v, c.f.x, c.f.ld, c.n, c.w, from, c.ld.x, c.ld.ld, c.dinv.x, c.limit.x, c.shift.x)
}

// requireFactored fails unless the first done columns are factored and applied
// to the others: L·D·Lᵀ of them and what is left add up to what was, within
// 4·(done+1)·eps·(|F|+|L||D||L|ᵀ), and nothing else has changed.
func (c *panelCase) requireFactored(t *testing.T, done int, message ...any) {
	t.Helper()
	c.f.requireGuards(t, above, message...)
	c.ld.requireGuards(t, func(i, j int) bool { return i <= j || j >= done }, message...)
	c.dinv.requireGuards(t, func(i, _ int) bool { return i >= done }, message...)
	c.limit.requireGuards(t, nowhere, message...)
	c.shift.requireGuards(t, nowhere, message...)
	for p := range done {
		d := *c.f.at(p, p)
		require.Equal(t, 1/d, c.dinv.x[p], "%v: 1/d of %d", message, p)
		for i := p + 1; i < c.n; i++ {
			require.Equal(t, *c.ld.at(i, p)*c.dinv.x[p], *c.f.at(i, p), "%v: L of %d,%d", message, i, p)
		}
	}
	for j := range c.w {
		for i := j; i < c.n; i++ {
			want, got := *c.before.at(i, j), 0.0
			scale := math.Abs(want)
			for p := range min(j, done) {
				got += *c.f.at(i, p) * *c.ld.at(j, p)
				scale += math.Abs(*c.f.at(i, p) * *c.ld.at(j, p))
			}
			switch {
			case j >= done || i == j:
				got += *c.f.at(i, j)
				scale += math.Abs(*c.f.at(i, j))
			default:
				got += *c.ld.at(i, j)
				scale += math.Abs(*c.ld.at(i, j))
			}
			requireClose(t, want, got, 4*float64(min(j, done)+1)*eps*scale, message, i, j)
		}
	}
}

// none and odd say which pivots are negative.
func none(int) bool  { return false }
func odd(p int) bool { return p%2 == 1 }

// TestPanelSmall factors every size up to 27 rows and 14 columns, twice.
func TestPanelSmall(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := 1; n < 28; n++ {
			for w := 1; w <= min(n, 14); w++ {
				c := newPanelCase(r, n, w, n*w%3, (n+w)%3, none)
				again := *c
				again.f, again.ld, again.dinv = c.f.copy(), c.ld.copy(), c.dinv.copy()
				require.Equal(t, w, c.run(v, 0))
				c.requireFactored(t, w, n, w)
				require.Equal(t, w, again.run(v, 0))
				requireSame(t, c.f, again.f, n, w)
				requireSame(t, c.ld, again.ld, n, w)
				requireSame(t, c.dinv, again.dinv, n, w)
			}
		}
	})
}

// TestPanelRandom factors random sizes, pivots of both signs among them.
func TestPanelRandom(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for range check.Few(500, 150) {
			n := 1 + r.IntN(60)
			w := 1 + r.IntN(n)
			c := newPanelCase(r, n, w, r.IntN(9), r.IntN(9), odd)
			require.Equal(t, w, c.run(v, 0))
			c.requireFactored(t, w, n, w)
		}
	})
}

// TestPanelLarge factors a few large panels.
func TestPanelLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large sizes")
	}
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for _, s := range [][2]int{{301, 128}, {200, 200}, {530, 60}, {777, 13}} {
			c := newPanelCase(r, s[0], s[1], 1, 0, none)
			require.Equal(t, s[1], c.run(v, 0))
			c.requireFactored(t, s[1], s)
		}
	})
}

// TestPanelStops stops before every pivot in turn, at a limit below it and at
// NaN, looks at what is there, and goes on after the pivot was replaced.
func TestPanelStops(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for _, s := range [][2]int{{1, 1}, {3, 3}, {6, 6}, {7, 5}, {9, 6}, {12, 12}, {18, 7}, {25, 13}, {33, 26}, {70, 40}} {
			n, w := s[0], s[1]
			for stop := 0; stop < w; stop += check.Few(1, 3) {
				message := fmt.Sprintf("n=%d w=%d stop=%d", n, w, stop)
				c := newPanelCase(r, n, w, 1, 2, none)
				c.limit.x[stop] = -1
				require.Equal(t, stop, c.run(v, 0), message)
				c.requireFactored(t, stop, message)

				require.Equal(t, stop, c.run(v, stop), "%s: nothing was changed", message)
				c.requireFactored(t, stop, message)

				c.limit.x[stop] = math.Inf(1)
				raised := 3.5 * *c.f.at(stop, stop)
				*c.before.at(stop, stop) += raised - *c.f.at(stop, stop)
				*c.f.at(stop, stop) = raised
				require.Equal(t, w, c.run(v, stop), message)
				c.requireFactored(t, w, message)
			}
		}
	})
}

// TestPanelStopsTwice stops at two pivots of one call after the other.
func TestPanelStopsTwice(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		const n, w = 30, 20
		for first := 0; first < w; first += check.Few(1, 3) {
			for second := first + 1; second < w; second++ {
				c := newPanelCase(r, n, w, 0, 0, odd)
				c.limit.x[first], c.limit.x[second] = -1e9, -1e9
				require.Equal(t, first, c.run(v, 0))
				c.limit.x[first] = math.Inf(1)
				require.Equal(t, second, c.run(v, first))
				c.requireFactored(t, second, first, second)
				c.limit.x[second] = math.Inf(1)
				require.Equal(t, w, c.run(v, second))
				c.requireFactored(t, w, first, second)
			}
		}
	})
}

// requireLike fails unless what two calls have written is close, and all else
// is the same: a guard is too large to be close to another number.
func (c *panelCase) requireLike(t *testing.T, want *panelCase, message string, args ...any) {
	t.Helper()
	for k, m := range [][2]*dense{{want.f, c.f}, {want.ld, c.ld}, {want.dinv, c.dinv}, {want.limit, c.limit}, {want.shift, c.shift}} {
		for i, x := range m[0].memory {
			if y := m[1].memory[i]; !(math.Abs(y-x) <= 1e-12*(1+float64(c.n))) && !same(x, y) {
				require.Fail(t, "not like plain", "%s: argument %d, offset %d: %v, %v", fmt.Sprintf(message, args...), k, i-margin, x, y)
			}
		}
	}
}

// copy returns a copy with memory of its own.
func (c *panelCase) copy() *panelCase {
	return &panelCase{c.n, c.w, c.f.copy(), c.ld.copy(), c.dinv.copy(), c.limit.copy(), c.shift.copy(), c.before}
}

// TestPanelEveryPivot compares every size up to 40 rows with the plain set, at a
// stop and at a shift of every pivot, at all pivots shifted, and after going on.
func TestPanelEveryPivot(t *testing.T) {
	most := 40
	if testing.Short() {
		most = 18
	}
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		both := func(c *panelCase, from, stop int, message string, args ...any) *panelCase {
			want := c.copy()
			require.Equal(t, stop, want.run(plain, from))
			if got := c.run(v, from); got != stop {
				require.Fail(t, "wrong stop", "%s: want %d, got %d", fmt.Sprintf(message, args...), stop, got)
			}
			c.requireLike(t, want, message, args...)
			return c
		}
		for n := 1; n <= most; n++ {
			for w := 1; w <= n; w++ {
				start := newPanelCase(r, n, w, n%2, w%3, odd)
				all := start.copy()
				for p := range w {
					*start.f.at(p, p) *= 4
					start.limit.x[p] = 1e3
					*all.f.at(p, p) = float64(4*n) + 1
					all.limit.x[p], all.shift.x[p] = -1, float64(8*n)
				}
				both(all, 0, w, "n=%d w=%d all shifted", n, w)
				for p := range w {
					stopped := start.copy()
					stopped.limit.x[p] = -1e3
					both(stopped, 0, p, "n=%d w=%d stop at %d", n, w, p)
					stopped.limit.x[p] = math.Inf(1)
					both(stopped, p, w, "n=%d w=%d go on at %d", n, w, p)

					shifted := start.copy()
					shifted.limit.x[p], shifted.shift.x[p] = -1e3, 1e3
					both(shifted, 0, w, "n=%d w=%d shift at %d", n, w, p)
				}
			}
		}
	})
}

// same reports whether two numbers have the same bits, or both are not numbers.
func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

// TestPanelShifts shifts some pivots at every size up to 27 rows and 14 columns
// and at some larger ones, in one call, and looks at what is there.
func TestPanelShifts(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		shifted := func(n, w int, which func(p int) bool) {
			c := newPanelCase(r, n, w, 1, 2, none)
			for p := range w {
				if which(p) {
					c.limit.x[p], c.shift.x[p] = -1, 2*float64(n)+2 // leaves about −n
				} else {
					c.limit.x[p] = 1e9
				}
			}
			limit, shift := c.limit.copy(), c.shift.copy()
			for p := range w {
				if which(p) {
					*c.before.at(p, p) -= c.shift.x[p]
					limit.x[p] = math.Inf(1)
				}
			}
			message := fmt.Sprintf("n=%d w=%d", n, w)
			require.Equal(t, w, c.run(v, 0), message)
			c.requireFactored(t, w, message)
			requireSame(t, limit, c.limit, message)
			requireSame(t, shift, c.shift, message)
		}
		for n := 1; n < 28; n += check.Few(1, 5) { // 5 has another remainder by 8 each time
			for w := 1; w <= min(n, 14); w++ {
				for one := range w {
					shifted(n, w, func(p int) bool { return p == one })
				}
				shifted(n, w, odd)
				shifted(n, w, func(int) bool { return true })
			}
		}
		for range 50 {
			n := 28 + r.IntN(60)
			shifted(n, 1+r.IntN(n), odd)
		}
	})
}

// TestPanelShiftsAndStops shifts pivots in turn with ones at which it stops, and
// goes on.
func TestPanelShiftsAndStops(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for _, s := range [][2]int{{3, 3}, {6, 6}, {7, 5}, {9, 6}, {12, 12}, {18, 7}, {25, 13}, {33, 26}, {70, 40}} {
			n, w := s[0], s[1]
			for first := 0; first < w; first += check.Few(1, 3) {
				second := (first + 1 + r.IntN(w-1)) % w
				from, to := min(first, second), max(first, second)
				message := fmt.Sprintf("n=%d w=%d shift and stop at %d and %d", n, w, first, second)
				c := newPanelCase(r, n, w, 0, 1, none)
				c.limit.x[from], c.limit.x[to] = -1, -1
				shiftAt, stopAt := first, second
				c.shift.x[shiftAt] = 2*float64(n) + 2
				*c.before.at(shiftAt, shiftAt) -= c.shift.x[shiftAt]
				if stopAt < shiftAt { // not yet shifted when it stops
					*c.before.at(shiftAt, shiftAt) += c.shift.x[shiftAt]
				}
				require.Equal(t, stopAt, c.run(v, 0), message)
				c.requireFactored(t, stopAt, message)
				require.Equal(t, -1.0, c.limit.x[stopAt], message)
				require.Equal(t, stopAt > shiftAt, math.IsInf(c.limit.x[shiftAt], 1), message)

				if stopAt < shiftAt {
					*c.before.at(shiftAt, shiftAt) -= c.shift.x[shiftAt]
				}
				c.limit.x[stopAt] = math.Inf(1)
				require.Equal(t, w, c.run(v, stopAt), message)
				c.requireFactored(t, w, message)
				require.True(t, math.IsInf(c.limit.x[shiftAt], 1), message)
			}
		}
	})
}

// TestPanelLimits compares pivots with limits and shifts as Go does, the special
// numbers too, at every place of a block of columns.
func TestPanelLimits(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, 4.0 / 3, -4.0 / 3, math.MaxFloat64, inf, -inf, nan}
	eachVariant(t, func(t *testing.T, v variant) {
		for _, n := range []int{1, 4, 6, 9, 14, 20, 31} {
			for p := range min(n, 7) {
				w := p + 1
				f, ld, dinv, limits, shifts := make([]float64, n*w), make([]float64, n*w), make([]float64, w), make([]float64, w), make([]float64, w)
				for _, d := range numbers {
					for _, limit := range numbers {
						for _, shift := range numbers {
							clear(f)
							for i := range w {
								f[i+i*n], limits[i], shifts[i] = 2, 2, nan
							}
							f[p+p*n], limits[p], shifts[p] = d, limit, shift
							want, pivot, limitAfter := p, d, limit
							if d <= limit {
								want = w
							} else if d-shift < -0.25*shift {
								want, pivot, limitAfter = w, d-shift, inf
							}
							got := panel(v, f, n, n, w, 0, ld, n, dinv, limits, shifts)
							if got != want || !same(pivot, f[p+p*n]) || !same(limitAfter, limits[p]) || want == w && !same(1/pivot, dinv[p]) {
								require.Fail(t, "wrong pivot", "n=%d p=%d: %v, limit %v, shift %v: %d, %v, %v", n, p, d, limit, shift, got, f[p+p*n], limits[p])
							}
						}
					}
				}
			}
		}
	})
}

// TestPanelNotFinite puts NaN below the diagonal, which is found as the pivot
// that it makes, and infinity as a pivot, which has the reciprocal 0.
func TestPanelNotFinite(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for n := 2; n < 30; n++ {
			for row := 1; row < n; row++ {
				c := newPanelCase(r, n, n, 0, 0, none)
				*c.f.at(row, 0) = math.NaN()
				require.Equal(t, row, c.run(v, 0), "n=%d", n)
				require.True(t, math.IsNaN(*c.f.at(row, row)))
			}
		}
		f, ld, dinv := []float64{math.Inf(1), 3, 0, 5}, make([]float64, 4), make([]float64, 2)
		require.Equal(t, 2, panel(v, f, 2, 2, 2, 0, ld, 2, dinv, []float64{math.Inf(1), 9}, []float64{0, 0}))
		require.Equal(t, []float64{math.Inf(1), 0, 0, 5}, f)
		require.Equal(t, []float64{0, 0.2}, dinv)
	})
}
