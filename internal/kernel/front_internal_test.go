package kernel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// frontTol is a bound of the difference between Front and the three kernels that it stands for: rounding of 30 terms and
// ten pivots of about n, in entries of size n.
const frontTol = 1e-13

// frontCase is a front with the products of its leaves.
type frontCase struct {
	n, w, k            int
	f, u, t            *dense
	last               *dense // the last row of t
	groups             []uint8
	dinv, limit, shift []float64
}

func newFrontCase(n, w, k int, pivot float64) *frontCase {
	r := newRand()
	c := &frontCase{n: n, w: w, k: k, f: newDense(n, w, n), u: newDense(n-w, n-w-1, n-w), t: newDense(FrontRows, k, FrontRows)}
	for _, m := range []*dense{c.f, c.u} {
		for j := range m.columns {
			for i := j; i < m.rows; i++ {
				*m.at(i, j) = r.Float64() - 0.5
			}
		}
	}
	for p := range k {
		c.groups = append(c.groups, uint8(p*11%32))
		for i := range FrontRows {
			*c.t.at(i, p) = 0
			if i == n-1 || i < n && c.groups[p]>>(i/GroupRows)&1 != 0 {
				*c.t.at(i, p) = r.Float64()/4 - 1/8.
			}
		}
	}
	c.last = newDense(k, 1, k)
	for p := range k {
		c.last.x[p] = *c.t.at(n-1, p)
	}
	for p := range w {
		*c.f.at(p, p) = pivot * float64(n)
	}
	c.dinv, c.limit, c.shift = make([]float64, w), make([]float64, w), make([]float64, w)
	for p := range w {
		c.limit[p], c.shift[p] = -1, float64(2*n)
	}
	return c
}

// loads returns the last row of the front in the products, where another number takes its place.
func (c *frontCase) loads() (v []float64) {
	for p := range c.k {
		v = append(v, c.last.x[p])
		*c.t.at(c.n-1, p) = 1e9
	}
	return v
}

// apart does what Front does by the three kernels.
func (c *frontCase) apart() (f, u *dense, dinv, limit []float64) {
	f, u = c.f.copy(), c.u.copy()
	dinv, limit = make([]float64, c.w), append([]float64(nil), c.limit...)
	n, w, m := c.n, c.w, c.n-c.w
	Update(f.x, n, c.t.x, FrontRows, c.t.x, FrontRows, n, w, c.k)
	if m > 1 {
		Update(u.x, m, c.t.x[min(w, len(c.t.x)):], FrontRows, c.t.x[min(w, len(c.t.x)):], FrontRows, m, m-1, c.k)
	}
	ld := make([]float64, n*w)
	if Panel(f.x, n, n, w, 0, ld, n, dinv, limit, c.shift) < w {
		return nil, nil, nil, nil
	}
	if m > 1 {
		Update(u.x, m, f.x[w:], n, ld[w:], n, m, m-1, w)
	}
	return f, u, dinv, limit
}

// requireNear fails unless the elements of two matrices that are below a diagonal agree to frontTol times scale.
func requireNear(t *testing.T, want, got *dense, scale float64, message ...any) {
	t.Helper()
	for j := range want.columns {
		for i := range want.rows {
			require.InDelta(t, *want.at(i, j), *got.at(i, j), frontTol*scale, "%v: %d,%d", message, i, j)
		}
	}
}

// TestFront holds Front against Update, Panel and Update for every size, with pivots below their limits, and with pivots that
// are shifted.
func TestFront(t *testing.T) {
	for n := range FrontRows + 2 {
		for w := 1; w < n; w++ {
			for _, k := range []int{0, 1, 6, 12, 18} {
				for _, pivot := range []float64{-1, 1e-9} {
					if !HasFront(n, w) {
						continue
					}
					c := newFrontCase(n, w, k, pivot)
					f, u, dinv, limit := c.apart()
					done := Front(c.f.x, c.u.x, n, w, c.t.x, c.loads(), c.groups, c.dinv, c.limit, c.shift, nil, nil, 0)
					require.Equal(t, f != nil, done, "%d %d %d %g", n, w, k, pivot)
					if !done {
						continue
					}
					requireNear(t, f, c.f, float64(n), n, w, k)
					requireNear(t, u, c.u, float64(n), n, w, k)
					c.f.requireGuards(t, above, n, w, k)
					c.u.requireGuards(t, above, n, w, k)
					require.InDeltaSlice(t, dinv, c.dinv, frontTol, n, w, k)
					require.Equal(t, limit, c.limit)
				}
			}
		}
	}
}

// TestFrontStops is for pivots that may not be taken, and for those that are no numbers.
func TestFrontStops(t *testing.T) {
	for _, bad := range []float64{1, math.NaN()} {
		for w := range FrontRows {
			for p := range w {
				if !HasFront(FrontRows, w) {
					continue
				}
				c := newFrontCase(FrontRows, w, 6, -1)
				*c.f.at(p, p) = 40 * bad
				before := c.u.copy()
				require.False(t, Front(c.f.x, c.u.x, FrontRows, w, c.t.x, c.loads(), c.groups, c.dinv, c.limit, c.shift, nil, nil, 0))
				requireSame(t, before, c.u)
			}
		}
	}
}

// TestFrontBare holds a front that is made of its right side and the update matrix of a child against the same front in memory.
func TestFrontBare(t *testing.T) {
	for n := range FrontRows + 1 {
		for w := 1; w < n; w++ {
			for below := range min(FrontChild+1, n) {
				if !HasFront(n, w) {
					continue
				}
				c := newFrontCase(n, w, 12, 1)
				right, child := randomDense(newRand(), w, 1, w, false), randomDense(newRand(), below+1, below, below+1, true)
				for _, m := range []*dense{c.f, c.u} {
					for j := range m.columns {
						for i := j; i < m.rows; i++ {
							*m.at(i, j) = 0
						}
					}
				}
				at := func(i, j int) *float64 {
					if j < w {
						return c.f.at(i, j)
					}
					return c.u.at(i-w, j-w)
				}
				for j := range w {
					*at(n-1, j) = right.x[j]
				}
				for j := range below {
					for i := j; i < below; i++ {
						*at(i, j) += *child.at(i, j)
					}
					*at(n-1, j) += *child.at(below, j)
				}
				bare := *c
				bare.f, bare.u = newDense(n, w, n), newDense(n-w, n-w-1, n-w)
				bare.dinv, bare.limit = make([]float64, w), append([]float64(nil), c.limit...)
				matrix := child.x
				if below == 0 {
					matrix = nil
				}
				done := Front(c.f.x, c.u.x, n, w, c.t.x, c.loads(), c.groups, c.dinv, c.limit, c.shift, nil, nil, 0)
				require.Equal(t, done, Front(bare.f.x, bare.u.x, n, w, c.t.x, c.loads(), c.groups, bare.dinv, bare.limit, c.shift, right.x, matrix, below))
				if !done {
					continue
				}
				requireNear(t, c.f, bare.f, 10*float64(n), n, w, below)
				requireNear(t, c.u, bare.u, 10*float64(n), n, w, below)
				bare.f.requireGuards(t, above, n, w, below)
				bare.u.requireGuards(t, above, n, w, below)
				require.InDeltaSlice(t, c.dinv, bare.dinv, 10*frontTol, n, w, below)
			}
		}
	}
}

// TestFrontAssertions calls the assertion of the build tag check with what it refuses and with the least that it takes.
func TestFrontAssertions(t *testing.T) {
	type arguments struct {
		f, u                                  int
		n, w, t, loads, groups                int
		dinv, limit, shift, right, child, add int // lengths; 0 for no right side or child
	}
	call := func(a arguments) func() {
		z := func(n int) []float64 {
			if n == 0 {
				return nil
			}
			return make([]float64, n)
		}
		return func() {
			assertFront(
				z(a.f), z(a.u), a.n, a.w, z(a.t), z(a.loads), make([]uint8, a.groups), z(a.dinv), z(a.limit), z(a.shift), z(a.right), z(a.child), a.add)
		}
	}
	least := arguments{f: 36, u: 9 + 7*9, n: 12, w: 3, t: 32, loads: 2, groups: 2, dinv: 3, limit: 3, shift: 3, right: 3, child: 20, add: 4}
	if !HasFront(least.n, least.w) {
		require.PanicsWithValue(t, badSize, call(least))
		return
	}
	require.NotPanics(t, call(least))
	for name, change := range map[string]func(a *arguments){
		"f": func(a *arguments) { a.f-- }, "u": func(a *arguments) { a.u-- }, "t": func(a *arguments) { a.t-- },
		"groups": func(a *arguments) { a.groups-- }, "dinv": func(a *arguments) { a.dinv-- }, "limit": func(a *arguments) { a.limit-- },
		"shift": func(a *arguments) { a.shift-- }, "right": func(a *arguments) { a.right-- }, "child": func(a *arguments) { a.child-- },
	} {
		a := least
		change(&a)
		require.PanicsWithValue(t, badLength, call(a), name)
	}
	for name, change := range map[string]func(a *arguments){
		"size": func(a *arguments) { a.n = FrontRows + 1 }, "child alone": func(a *arguments) { a.right = 0 },
		"no rows": func(a *arguments) { a.add = 0 }, "too many rows": func(a *arguments) { a.add = FrontChild + 1 },
	} {
		a := least
		change(&a)
		require.PanicsWithValue(t, badSize, call(a), name)
	}
}
