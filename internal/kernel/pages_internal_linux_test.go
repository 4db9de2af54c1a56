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
		turn := [3]*fence{newFence(t, 9), newFence(t, 9), newFence(t, 9)}
		var three [6]*fence
		for i := range three {
			three[i] = newFence(t, 3)
		}
		weight := newFence(t, 6)
		pin := func(kind Pins, behind bool) {
			m := func(i int) *[9]float64 { return (*[9]float64)(turn[i].slice(r, 9, behind)) }
			u := func(i int) *[3]float64 { return (*[3]float64)(three[i].slice(r, 3, behind)) }
			n := kind.Rows()
			p := Pin{
				EP: m(0), ES: m(1), OmegaP: u(0), OmegaS: u(1), Axes: m(2), OriginP: u(2), OriginS: u(3),
				ComP: u(4), ComS: u(5), Weight: (*[6]float64)(weight.slice(r, 6, behind)), Base: limit.slice(r, n, behind),
			}
			pinRows(v, c.slice(r, 6*n, behind), a.slice(r, n, behind), b.slice(r, n, behind), &p, kind)
		}
		several := func(n, more, lead int, behind bool) {
			rows := n + more
			w, x := a.slice(r, 6*rows, behind), b.slice(r, 6, behind)
			// Both ends of all slices, and one block that has no place in r.
			blocks := []Block{{N: int32(n)}, {W: int64(6 * n), Row: int32(n), Res: int32(n), N: int32(more)}, {Res: -1, N: int32(n)}}
			subBlocks(v, dinv.slice(r, rows, behind), w, x, blocks)
			subBlocksT(v, x, w, dinv.slice(r, rows, behind), blocks)
			spreadBlocks(v, c.slice(r, length(rows, 6, rows+lead), behind), rows+lead, w, blocks)
		}
		for _, behind := range []bool{false, true} {
			for _, kind := range []Pins{Ball, Hinge, {Force: 3, Moments: 3}} {
				pin(kind, behind)
			}
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

// TestLanesStayInside gathers and scatters numbers that end or begin at a page that may not be touched.
func TestLanesStayInside(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		numbers, lanes := newFence(t, 20*Lanes), newFence(t, 20*Lanes)
		for n := 1; n <= 20; n++ {
			for _, behind := range []bool{false, true} {
				x, y := numbers.slice(r, n*Lanes, behind), lanes.slice(r, n*Lanes, behind)
				table := unsafe.Slice((*Lane)(unsafe.Pointer(&y[0])), n)
				var at [Lanes]int32
				for l := range at {
					at[l] = int32(l * n)
				}
				laneGather(v, table, x, &at)
				laneScatter(v, x, &at, table)
			}
		}
	})
}
