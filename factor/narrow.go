package factor

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/kernel"
)

// subBlocksT is kernel.SubBlocksT for any number of columns.
func subBlocksT(x, w, y []float64, blocks []kernel.Block) {
	if len(x) == 6 {
		kernel.SubBlocksT(x, w, y, blocks)
	} else {
		subNarrowT(x, w, y, blocks)
	}
}

// subBlocks is kernel.SubBlocks for any number of columns.
func subBlocks(r, w, x []float64, blocks []kernel.Block) {
	if len(x) == 6 {
		kernel.SubBlocks(r, w, x, blocks)
	} else {
		subNarrow(r, w, x, blocks)
	}
}

// The functions of this file do for blocks W of leaves with fewer than six columns what kernel.SpreadBlocks, SubBlocksT and
// SubBlocks do for six.

// spreadNarrow stores blocks of k columns, which are row-major in w, column by column in dst,
//
//	dst[Row+a+c·ld] = w[W+k·a+c],  0 ≤ a < N, 0 ≤ c < k.
func spreadNarrow(dst []float64, ld int, w []float64, blocks []kernel.Block, k int) {
	for i := range blocks {
		b := &blocks[i]
		transpose(dst[b.Row:], ld, w[b.W:], int(b.N), k)
	}
}

// subNarrowT subtracts from x the products of transposed blocks of len(x) columns and a
// vector,
//
//	x[c] −= Σ_blocks Σ_a w[W+k·a+c]·y[Row+a],  0 ≤ a < N, 0 ≤ c < k = len(x).
func subNarrowT(x, w, y []float64, blocks []kernel.Block) {
	if len(x) == 2 {
		subPairsT((*[2]float64)(x), w, y, blocks)
		return
	}
	for i := range blocks {
		b := &blocks[i]
		subColumns(x, w[b.W:], y[b.Row:b.Row+b.N])
	}
}

// subNarrow subtracts from r the products of blocks of len(x) columns and one vector,
//
//	r[Res+a] −= Σ_c w[W+k·a+c]·x[c],  0 ≤ a < N, 0 ≤ c < k,
//
// with k = len(x), for the blocks whose Res is not negative.
func subNarrow(r, w, x []float64, blocks []kernel.Block) {
	if len(x) == 2 {
		subPairs(r, w, (*[2]float64)(x), blocks)
		return
	}
	for i := range blocks {
		if b := &blocks[i]; b.Res >= 0 {
			subRows(r[b.Res:b.Res+b.N], w[b.W:], x)
		}
	}
}

// subPairsT is subNarrowT for two columns.
func subPairsT(x *[2]float64, w, y []float64, blocks []kernel.Block) {
	x0, x1 := x[0], x[1]
	for i := range blocks {
		b := &blocks[i]
		u := w[b.W : b.W+2*int64(b.N)]
		s0, s1 := 0.0, 0.0
		for _, t := range y[b.Row : b.Row+b.N] {
			if len(u) < 2 {
				break
			}
			s0 += u[0] * t
			s1 += u[1] * t
			u = u[2:]
		}
		x0 -= s0
		x1 -= s1
	}
	x[0], x[1] = x0, x1
}

// subPairs is subNarrow for two columns.
func subPairs(r, w []float64, x *[2]float64, blocks []kernel.Block) {
	x0, x1 := x[0], x[1]
	for i := range blocks {
		b := &blocks[i]
		if b.Res < 0 {
			continue
		}
		u := w[b.W : b.W+2*int64(b.N)]
		z := r[b.Res : b.Res+b.N]
		for a := range z {
			if len(u) < 2 {
				break
			}
			z[a] -= u[0]*x0 + u[1]*x1
			u = u[2:]
		}
	}
}

// transpose stores the n×k matrix w, row-major, in dst column by column, with leading dimension ld.
func transpose(dst []float64, ld int, w []float64, n, k int) {
	w = w[:n*k]
	switch k {
	case 1:
		copy(dst, w)
	case 2:
		d0, d1 := dst[:n], dst[ld:ld+n]
		for a := range d0 {
			d0[a], d1[a] = w[2*a], w[2*a+1]
		}
	case 3:
		d0, d1, d2 := dst[:n], dst[ld:ld+n], dst[2*ld:2*ld+n]
		for a := range d0 {
			d0[a], d1[a], d2[a] = w[3*a], w[3*a+1], w[3*a+2]
		}
	case 6:
		kernel.Transpose(dst, ld, w, n)
	default:
		for c := range k {
			for a := range dst[c*ld : c*ld+n] {
				dst[c*ld+a] = w[k*a+c]
			}
		}
	}
}

// subRows subtracts W·x from y, with W of len(y)×len(x), row-major.
func subRows(y, w, x []float64) {
	w = w[:len(y)*len(x)]
	switch len(x) {
	case 1:
		for a := range y {
			y[a] -= w[a] * x[0]
		}
	case 2:
		x0, x1 := x[0], x[1]
		for a := range y {
			y[a] -= w[2*a]*x0 + w[2*a+1]*x1
		}
	case 3:
		x0, x1, x2 := x[0], x[1], x[2]
		for a := range y {
			y[a] -= w[3*a]*x0 + w[3*a+1]*x1 + w[3*a+2]*x2
		}
	case 6:
		kernel.SubRows(y, w, len(y), x)
	default:
		for a := range y {
			y[a] -= algebra.Dot(x, w[a*len(x):])
		}
	}
}

// subColumns subtracts Wᵀ·y from x, with W of len(y)×len(x), row-major.
func subColumns(x, w, y []float64) {
	w = w[:len(y)*len(x)]
	switch len(x) {
	case 1:
		x[0] -= algebra.Dot(w, y)
	case 2:
		x0, x1 := x[0], x[1]
		for a, t := range y {
			x0 -= w[2*a] * t
			x1 -= w[2*a+1] * t
		}
		x[0], x[1] = x0, x1
	case 3:
		x0, x1, x2 := x[0], x[1], x[2]
		for a, t := range y {
			x0 -= w[3*a] * t
			x1 -= w[3*a+1] * t
			x2 -= w[3*a+2] * t
		}
		x[0], x[1], x[2] = x0, x1, x2
	case 6:
		kernel.SubRowsT(x, w, len(y), y)
	default:
		for a, t := range y {
			for c := range x {
				x[c] -= w[a*len(x)+c] * t
			}
		}
	}
}
