package kernel

import (
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// fence is memory between two pages that may be neither read nor written.
type fence struct{ middle []float64 }

// newFence maps memory for some numbers.
func newFence(t *testing.T, numbers int) *fence {
	t.Helper()
	page := syscall.Getpagesize()
	size := (8*numbers + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(memory)) })
	require.NoError(t, syscall.Mprotect(memory[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(memory[page+size:], syscall.PROT_NONE))
	return &fence{unsafe.Slice((*float64)(unsafe.Pointer(&memory[page])), size/8)}
}

// slice returns random numbers against the page behind or before.
func (f *fence) slice(r *rand.Rand, n int, behind bool) []float64 {
	s := f.middle[:n:n]
	if behind {
		s = f.middle[len(f.middle)-n:]
	}
	for i := range s {
		s[i] = r.NormFloat64()
	}
	return s
}

// TestStaysInside calls every kernel with slices that end or begin at a page
// that may not be touched: a read or write outside ends the program.
func TestStaysInside(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		const large = 60
		c, a, b := newFence(t, large*large), newFence(t, large*large), newFence(t, large*large)
		dinv, limit, shift := newFence(t, large), newFence(t, large), newFence(t, large)
		length := func(n, m, ld int) int {
			if m == 0 {
				return 0
			}
			return n + (m-1)*ld
		}
		run := func(n, m, k, lead int, behind bool) {
			ld := n + lead
			update(v, c.slice(r, length(n, m, ld), behind), ld, a.slice(r, length(n, k, ld), behind), ld, b.slice(r, length(m, k, ld), behind), ld, n, m, k)
			subMul(v, c.slice(r, n, behind), a.slice(r, length(n, k, ld), behind), ld, n, k, b.slice(r, k, behind))
			subMulT(v, b.slice(r, k, behind), a.slice(r, length(n, k, ld), behind), ld, n, k, c.slice(r, n, behind))
			f, limits, shifts := c.slice(r, length(n, m, ld), behind), limit.slice(r, m, behind), shift.slice(r, m, behind)
			for i := range limits {
				f[i+i*ld] = float64(4 * n)
				limits[i] = math.Inf(1)
				if shifts[i] = 0; i%2 == 1 { // to be shifted
					limits[i], shifts[i] = -1, float64(8*n)
				}
			}
			require.Equal(t, m, panel(v, f, ld, n, m, 0, a.slice(r, length(n, min(m, n-1), ld), behind), ld, dinv.slice(r, m, behind), limits, shifts))
			if m > 0 {
				f[0], limits[m/2], shifts[m/2] = float64(4*n), -1e9, math.NaN()
				require.LessOrEqual(t, panel(v, f, ld, n, m, 0, a.slice(r, length(n, min(m, n-1), ld), behind), ld, dinv.slice(r, m, behind), limits, shifts), m/2)
			}
		}
		small := func(n, m, lead int, behind bool) {
			ld := n + lead
			addBlock(v, c.slice(r, length(n, m, ld), behind), ld, a.slice(r, length(n, m, ld), behind), ld, n, m)
			addLower(v, c.slice(r, length(n, min(n, m), ld), behind), ld, a.slice(r, length(n, min(n, m), ld), behind), ld, n, min(n, m))
			w, x, y := a.slice(r, 6*n, behind), b.slice(r, 6, behind), dinv.slice(r, n, behind)
			subRows(v, y, w, n, x)
			subRowsT(v, x, w, n, y)
			transpose(v, c.slice(r, length(n, 6, ld), behind), ld, w, n)
			l := a.slice(r, length(n, n-1, ld), behind)
			solveLower(v, y, l, ld, n)
			solveLowerT(v, y, l, ld, n)
		}
		for _, behind := range []bool{false, true} {
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
