package kernel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestStaysInside calls every kernel with slices that end or begin at a page
// that may not be touched: a read or write outside ends the program.
func TestStaysInside(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		const large = 60
		c, a, b := check.NewFence(t, large*large), check.NewFence(t, large*large), check.NewFence(t, large*large)
		dinv, limit, shift := check.NewFence(t, large), check.NewFence(t, large), check.NewFence(t, large)
		length := func(n, m, ld int) int {
			if m == 0 {
				return 0
			}
			return n + (m-1)*ld
		}
		run := func(n, m, k, lead int, behind bool) {
			ld := n + lead
			update(v, c.Random(r, length(n, m, ld), behind), ld, a.Random(r, length(n, k, ld), behind), ld, b.Random(r, length(m, k, ld), behind), ld, n, m, k)
			subMul(v, c.Random(r, n, behind), a.Random(r, length(n, k, ld), behind), ld, n, k, b.Random(r, k, behind))
			subMulT(v, b.Random(r, k, behind), a.Random(r, length(n, k, ld), behind), ld, n, k, c.Random(r, n, behind))
			f, limits, shifts := c.Random(r, length(n, m, ld), behind), limit.Random(r, m, behind), shift.Random(r, m, behind)
			for i := range limits {
				f[i+i*ld] = float64(4 * n)
				limits[i] = math.Inf(1)
				if shifts[i] = 0; i%2 == 1 { // to be shifted
					limits[i], shifts[i] = -1, float64(8*n)
				}
			}
			require.Equal(t, m, panel(v, f, ld, n, m, 0, a.Random(r, length(n, min(m, n-1), ld), behind), ld, dinv.Random(r, m, behind), limits, shifts))
			if m > 0 {
				f[0], limits[m/2], shifts[m/2] = float64(4*n), -1e9, math.NaN()
				require.LessOrEqual(t, panel(v, f, ld, n, m, 0, a.Random(r, length(n, min(m, n-1), ld), behind), ld, dinv.Random(r, m, behind), limits, shifts), m/2)
			}
		}
		small := func(n, m, lead int, behind bool) {
			ld := n + lead
			addBlock(v, c.Random(r, length(n, m, ld), behind), ld, a.Random(r, length(n, m, ld), behind), ld, n, m)
			addLower(v, c.Random(r, length(n, min(n, m), ld), behind), ld, a.Random(r, length(n, min(n, m), ld), behind), ld, n, min(n, m))
			w, x, y := a.Random(r, 6*n, behind), b.Random(r, 6, behind), dinv.Random(r, n, behind)
			subRows(v, y, w, n, x)
			subRowsT(v, x, w, n, y)
			transpose(v, c.Random(r, length(n, 6, ld), behind), ld, w, n)
			l := a.Random(r, length(n, n-1, ld), behind)
			solveLower(v, y, l, ld, n)
			solveLowerT(v, y, l, ld, n)
		}
		several := func(n, more, lead int, behind bool) {
			rows := n + more
			w, x := a.Random(r, 6*rows, behind), b.Random(r, 6, behind)
			// Both ends of all slices, and one block that has no place in r.
			blocks := []Block{{N: int32(n)}, {W: int64(6 * n), Row: int32(n), Res: int32(n), N: int32(more)}, {Res: -1, N: int32(n)}}
			subBlocks(v, dinv.Random(r, rows, behind), w, x, blocks)
			subBlocksT(v, x, w, dinv.Random(r, rows, behind), blocks)
			spreadBlocks(v, c.Random(r, length(rows, 6, rows+lead), behind), rows+lead, w, blocks)
		}
		for _, behind := range []bool{false, true} {
			for n := 1; n <= 8; n++ {
				for more := 1; more <= 8; more++ {
					several(n, more, n*more%2, behind)
				}
			}
			for n := 1; n <= 40; n++ {
				for m := range 8 {
					small(n, m, n*m%2, behind)
				}
			}
			for n := 1; n <= 30; n++ {
				for m := range min(n, 15) + 1 {
					for _, k := range []int{1, 2, 3, 6} {
						run(n, m, k, n*m%2, behind)
					}
				}
			}
			for n := 31; n <= 50; n++ {
				run(n, n, n-25, 0, behind)
			}
		}
	})
}

// TestFrontPages: Front touches nothing beyond its arguments, of which each ends or begins where memory does.
func TestFrontPages(t *testing.T) {
	const large = FrontRows * FrontRows
	var fences [8]*check.Fence
	for i := range fences {
		fences[i] = check.NewFence(t, large)
	}
	r := newRand()
	for n := range FrontRows + 1 {
		for w := 1; w < n; w++ {
			for below := 1; below <= min(FrontChild, n-1) && HasFront(n, w); below++ {
				for _, behind := range []bool{false, true} {
					next := 0
					random := func(length int) []float64 {
						next++
						return fences[next-1].Random(r, length, behind)
					}
					f, u, loads, dinv := random(n*w), random((n-w)*(n-w-1)), random(3), random(w)
					limit, shift, right, child := random(w), random(w), random(w), random(below*(below+1))
					for p := range w {
						limit[p], shift[p] = -1, float64(40*n)
					}
					Front(f, u, n, w, make([]float64, 3*FrontRows), loads, []uint8{31, 31, 31}, dinv, limit, shift, right, child, below)
					Front(f, u, n, w, make([]float64, 3*FrontRows), loads, []uint8{31, 31, 31}, dinv, limit, shift, nil, nil, 0)
				}
			}
		}
	}
}
