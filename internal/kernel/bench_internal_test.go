package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// benchVariants runs a benchmark for every set of kernels and reports its
// floating-point operations a second.
func benchVariants(b *testing.B, name string, flops float64, run func(v variant)) {
	for _, v := range variants() {
		b.Run(fmt.Sprintf("%s/%v", name, v), func(b *testing.B) {
			for b.Loop() {
				run(v)
			}
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
		})
	}
}

// updateFlops returns the operations of Update.
func updateFlops(s size) float64 { return float64(s.k) * float64(s.m) * float64(2*s.n-s.m+1) }

// BenchmarkUpdate measures Update of front-like sizes.
func BenchmarkUpdate(b *testing.B) {
	r := newRand()
	for _, s := range []size{
		{3, 3, 3}, {3, 3, 6}, {6, 6, 6}, {9, 9, 3}, {9, 9, 6}, {10, 10, 6}, {12, 12, 6}, {15, 15, 6}, {12, 12, 12}, {24, 24, 12},
		{60, 60, 12}, {200, 200, 32}, {500, 500, 64}, {512, 512, 64}, {2000, 2000, 128}, {500, 6, 6},
	} {
		x, y := randomDense(r, s.n, s.k, s.n, false), randomDense(r, s.n, s.k, s.n, false)
		for i := range x.x {
			x.x[i] *= 1e-30 // C stays what it is over any number of calls
		}
		// Small ones in turn, so that a call does not wait for the stores of the one before.
		c := []*dense{randomDense(r, s.n, s.m, s.n, true)}
		for s.n <= 24 && len(c) < 8 {
			c = append(c, c[0].copy())
		}
		turn := 0
		benchVariants(b, fmt.Sprintf("n=%d/m=%d/k=%d", s.n, s.m, s.k), updateFlops(s), func(v variant) {
			if turn++; turn >= len(c) {
				turn = 0
			}
			update(v, c[turn].x, s.n, x.x, s.n, y.x, s.n, s.n, s.m, s.k)
		})
	}
}

// BenchmarkFront measures what a front costs: a copy of it, Panel of its first
// w columns, Update of the rest.
func BenchmarkFront(b *testing.B) {
	r := newRand()
	for _, s := range [][2]int{{3, 3}, {6, 3}, {6, 6}, {9, 3}, {9, 6}, {12, 6}, {15, 6}, {12, 12}, {18, 6}, {18, 12}, {24, 12}, {200, 32}, {500, 64}, {1000, 128}} {
		n, w := s[0], s[1]
		start := newPanelCase(r, n, n, 0, 0, none)
		f, ld, dinv, limit, shift := start.f.copy().x, start.ld.x, start.dinv.x, start.limit.x, start.shift.x
		flops := updateFlops(size{n - w, n - w, w})
		for p := range w {
			flops += float64(n-p-1) * float64(2+min(n, w)-p-1)
		}
		benchVariants(b, fmt.Sprintf("n=%d/w=%d", n, w), flops, func(v variant) {
			copy(f, start.f.x)
			panel(v, f, n, n, w, 0, ld, n, dinv, limit, shift)
			if w < n {
				update(v, f[w+w*n:], n, f[w:], n, ld[w:], n, n-w, n-w, w)
			}
		})
	}
}

// BenchmarkPanel measures Panel alone, of small sizes in turn. The trapezoid is
// diagonal, so that factoring it again and again does not change it.
func BenchmarkPanel(b *testing.B) {
	for _, s := range [][2]int{{3, 3}, {6, 6}, {9, 6}, {12, 6}, {12, 12}, {24, 6}, {500, 64}, {2000, 128}} {
		n, w := s[0], s[1]
		copies := 1
		if n <= 24 {
			copies = 8
		}
		f, ld := make([][]float64, copies), make([][]float64, copies)
		for i := range f {
			f[i], ld[i] = make([]float64, n*w), make([]float64, n*w)
		}
		dinv, limit, shift := make([]float64, w), make([]float64, w), make([]float64, w)
		flops := 0.0
		for p := range w {
			for i := range f {
				f[i][p+p*n] = 2
			}
			limit[p] = 3
			flops += float64(n-p-1)*2 + float64(w-p-1)*float64(2*n-w-p)
		}
		turn := 0
		benchVariants(b, fmt.Sprintf("n=%d/w=%d", n, w), flops, func(v variant) {
			if turn++; turn >= copies {
				turn = 0
			}
			panel(v, f[turn], n, n, w, 0, ld[turn], n, dinv, limit, shift)
		})
	}
}

// BenchmarkSolve measures SubMul and SubMulT.
func BenchmarkSolve(b *testing.B) {
	r := newRand()
	for _, s := range [][2]int{{3, 3}, {6, 6}, {9, 6}, {12, 6}, {24, 12}, {500, 64}, {2000, 128}} {
		n, k := s[0], s[1]
		a, x, y := randomDense(r, n, k, n, false), randomDense(r, n, 1, n, false), randomDense(r, k, 1, k, false)
		for i := range a.x {
			a.x[i] *= 1e-30
		}
		flops := float64(2 * n * k)
		benchVariants(b, fmt.Sprintf("SubMul/n=%d/k=%d", n, k), flops, func(v variant) { subMul(v, x.x, a.x, n, n, k, y.x) })
		benchVariants(b, fmt.Sprintf("SubMulT/n=%d/k=%d", n, k), flops, func(v variant) { subMulT(v, y.x, a.x, n, n, k, x.x) })
	}
}

// BenchmarkMachine measures what the others can be compared with: the call of
// an empty kernel, the rate of the best tile with all in the first cache, and
// the bandwidth of memory, of a copy and of x −= a·y.
func BenchmarkMachine(b *testing.B) {
	r := newRand()
	benchVariants(b, "call", 0, func(v variant) { update(v, nil, 0, nil, 0, nil, 0, 0, 0, 0) })
	const n, m, k = 24, 6, 96
	c, x, y := randomDense(r, n, m, n, false), randomDense(r, n, k, n, false), randomDense(r, m, k, 8, false)
	for i := range x.x {
		x.x[i] *= 1e-30
	}
	benchVariants(b, "peak", updateFlops(size{n, m, k}), func(v variant) { update(v, c.x, n, x.x, n, y.x, 8, n, m, k) })

	const long = 1 << 23
	from, to, one := make([]float64, long), make([]float64, long), []float64{1e-30}
	b.Run("copy", func(b *testing.B) {
		b.SetBytes(16 * long)
		for b.Loop() {
			copy(to, from)
		}
	})
	for _, v := range variants() {
		b.Run(fmt.Sprintf("axpy/%v", v), func(b *testing.B) {
			b.SetBytes(24 * long)
			for b.Loop() {
				subMul(v, to, from, long, long, 1, one)
			}
		})
	}
}

// calls is the number of calls of a kernel in one turn of benchCalls.
const calls = 64

// benchCalls runs a benchmark of calls in a row, on the data of 0 … 7 in turn so
// that a call does not wait for the stores of the one before, and reports the
// time of one.
func benchCalls(b *testing.B, name string, run func(v variant)) {
	for _, v := range variants() {
		b.Run(fmt.Sprintf("%s/%v", name, v), func(b *testing.B) {
			for b.Loop() {
				run(v)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
		})
	}
}

// BenchmarkPanelChain measures Panel alone in calls of which each needs the last
// pivot of the one before, as those of a front and its parent do.
func BenchmarkPanelChain(b *testing.B) {
	for _, s := range [][2]int{
		{5, 5}, {6, 6}, {8, 8}, {11, 5}, {11, 11}, {12, 6}, {16, 6}, {16, 9}, {16, 10}, {16, 16}, {20, 5}, {24, 12},
		{30, 15}, {32, 32}, {45, 20}, {60, 15}, {60, 32},
	} {
		n, w := s[0], s[1]
		var f [2][]float64
		ld, dinv, limit, shift := make([]float64, n*w), make([]float64, w), make([]float64, w), make([]float64, w)
		for i := range f {
			f[i] = make([]float64, n*w)
			for p := range w {
				f[i][p+p*n], limit[p] = 3, 4
			}
		}
		turn := uint64(0)
		benchCalls(b, fmt.Sprintf("n=%d/w=%d", n, w), func(v variant) {
			for range calls {
				turn ^= 1 + math.Float64bits(dinv[w-1])>>63 // plus the sign, which is not set
				panel(v, f[turn&1], n, n, w, 0, ld, n, dinv, limit, shift)
			}
		})
	}
}

// eight returns eight random matrices, with all elements times a scale.
func eight(r *rand.Rand, rows, columns int, scale float64) (x [8][]float64) {
	for k := range x {
		x[k] = randomDense(r, rows, columns, rows, false).x
		for i := range x[k] {
			x[k][i] *= scale
		}
	}
	return x
}

// BenchmarkRows measures SubRows, SubRowsT and Transpose.
func BenchmarkRows(b *testing.B) {
	r := newRand()
	for _, n := range []int{3, 5, 6} {
		w, x, y := eight(r, 6, n, 1e-30), eight(r, 6, 1, 1), eight(r, n, 1, 1)
		dst := eight(r, 12, 6, 1)
		benchCalls(b, fmt.Sprintf("SubRows/n=%d", n), func(v variant) {
			for i := range calls {
				subRows(v, y[i&7], w[i&7], n, x[i&7])
			}
		})
		benchCalls(b, fmt.Sprintf("SubRowsT/n=%d", n), func(v variant) {
			for i := range calls {
				subRowsT(v, x[i&7], w[i&7], n, y[i&7])
			}
		})
		benchCalls(b, fmt.Sprintf("Transpose/n=%d", n), func(v variant) {
			for i := range calls {
				transpose(v, dst[i&7], 12, w[i&7], n)
			}
		})
	}
}

// BenchmarkAdd measures AddLower and AddBlock.
func BenchmarkAdd(b *testing.B) {
	r := newRand()
	for _, s := range [][2]int{{3, 3}, {5, 5}, {6, 6}, {6, 3}, {9, 6}, {12, 12}, {15, 15}, {200, 200}} {
		n, m := s[0], s[1]
		c, a := eight(r, n, m, 1), eight(r, n, m, 1e-30)
		benchCalls(b, fmt.Sprintf("AddLower/n=%d/m=%d", n, m), func(v variant) {
			for i := range calls {
				addLower(v, c[i&7], n, a[i&7], n, n, m)
			}
		})
		benchCalls(b, fmt.Sprintf("AddBlock/n=%d/m=%d", n, m), func(v variant) {
			for i := range calls {
				addBlock(v, c[i&7], n, a[i&7], n, n, m)
			}
		})
	}
}

// BenchmarkTriangle measures SolveLower and SolveLowerT.
func BenchmarkTriangle(b *testing.B) {
	r := newRand()
	for _, n := range []int{3, 5, 6, 9, 10, 12, 15, 16, 24, 100} {
		l, y := eight(r, n, n, 1e-30), eight(r, n, 1, 1)
		benchCalls(b, fmt.Sprintf("SolveLower/n=%d", n), func(v variant) {
			for i := range calls {
				solveLower(v, y[i&7], l[i&7], n, n)
			}
		})
		benchCalls(b, fmt.Sprintf("SolveLowerT/n=%d", n), func(v variant) {
			for i := range calls {
				solveLowerT(v, y[i&7], l[i&7], n, n)
			}
		})
	}
}
