package sparse_test

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sparse"
)

// rounding bounds the error of sums of at most a few hundred products of
// numbers of order one, relative to the largest sum.
const rounding = 1e-14

// randomMatrix returns a matrix with np nodes of sign +1 and nn of sign −1, all
// block sizes, and up to four couplings a −1 node.
func randomMatrix(seed uint64, np, nn int) *sparse.Matrix {
	rnd := check.Rand(seed)
	n := np + nn
	size, sign := make([]int8, n), make([]int8, n)
	ptr, ind := make([]int32, n+1), []int32{}
	for i := range n {
		size[i], sign[i] = int8(1+rnd.IntN(sparse.MaxBlock)), 1
		if rnd.IntN(3) == 0 {
			size[i] = 6
		}
		if i >= np {
			sign[i] = -1
			cols := []int32{}
			for k := rnd.IntN(5); k > 0 && np > 0; k-- {
				cols = append(cols, int32(rnd.IntN(np)))
			}
			slices.Sort(cols)
			ind = append(ind, slices.Compact(cols)...)
		}
		ptr[i+1] = int32(len(ind))
	}
	m := sparse.NewMatrix(sparse.NewPattern(size, sign, ptr, ind))
	fill(m, rnd)
	return m
}

// fill gives m random values in (−1, 1), diagonal blocks diagonally dominant.
func fill(m *sparse.Matrix, rnd *rand.Rand) {
	for i := range m.Val {
		m.Val[i] = 2*rnd.Float64() - 1
	}
	for i := range m.P.Len() {
		s := int(m.P.Size[i])
		d := m.Dia[m.P.Dia[i]:m.P.Dia[i+1]]
		if len(d) == 0 {
			continue
		}
		for a := range s {
			for b := range a {
				d[a*s+b] = 2*rnd.Float64() - 1
				d[b*s+a] = d[a*s+b]
			}
			d[a*s+a] = 7 + rnd.Float64()
		}
	}
}

// denseOf copies m block by block, in the order perm, without the code under
// test; nil keeps the order.
func denseOf(m *sparse.Matrix, perm []int32) *mat.Dense {
	p := m.P
	at := make([]int, p.Len()) // first new scalar of each old node
	o := 0
	for c := range p.Len() {
		u := c
		if perm != nil {
			u = int(perm[c])
		}
		at[u] = o
		o += int(p.Size[u])
	}
	d := mat.NewDense(p.Dim(), p.Dim(), nil)
	for i := range p.Len() {
		si := int(p.Size[i])
		for k, v := range m.Dia[p.Dia[i]:p.Dia[i+1]] {
			d.Set(at[i]+k/si, at[i]+k%si, v)
		}
		for b := p.Ptr[i]; b < p.Ptr[i+1]; b++ {
			j := p.Ind[b]
			sj := int(p.Size[j])
			for k, v := range m.Val[p.Pos[b]:p.Pos[b+1]] {
				d.Set(at[i]+k/sj, at[j]+k%sj, v)
				d.Set(at[j]+k%sj, at[i]+k/sj, v)
			}
		}
	}
	return d
}

func randomVec(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*rnd.Float64() - 1
	}
	return x
}

func randomPerm(rnd *rand.Rand, n int) []int32 {
	perm := make([]int32, n)
	for i, v := range rnd.Perm(n) {
		perm[i] = int32(v)
	}
	return perm
}

// ladder is the pattern of a ladder of the given levels with revolute joints
// and an order that goes up level by level, L l R m r: level k has the bodies
// L and R, l and m join them to those of the level before, r to each other.
func ladder(levels int) (p *sparse.Pattern, perm []int32) {
	nb, nj := 2*levels, 3*levels
	size, sign := make([]int8, nb+nj), make([]int8, nb+nj)
	ptr, ind := make([]int32, nb+nj+1), []int32{}
	for i := range size {
		size[i], sign[i] = 6, 1
		if i >= nb {
			size[i], sign[i] = 5, -1
		}
	}
	for k := range levels {
		L, R, joint := int32(2*k), int32(2*k+1), int32(nb+3*k)
		for j, cols := range [3][]int32{{L - 2, L}, {R - 2, R}, {L, R}} {
			for _, c := range cols {
				if c >= 0 {
					ind = append(ind, c)
				}
			}
			ptr[int(joint)+j+1] = int32(len(ind))
		}
		perm = append(perm, L, joint, R, joint+1, joint+2)
	}
	return sparse.NewPattern(size, sign, ptr, ind), perm
}

// factorBlocks eliminates the reordered pattern node by node and returns the
// blocks of L, diagonal left out.
func factorBlocks(p *sparse.Pattern, perm []int32) (blocks [][2]int32) {
	inv := make([]int32, len(perm))
	for c, u := range perm {
		inv[u] = int32(c)
	}
	below := make([]map[int32]bool, len(perm))
	for c := range below {
		below[c] = map[int32]bool{}
	}
	for i := range perm {
		for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			a, b := inv[i], inv[j]
			below[min(a, b)][max(a, b)] = true
		}
	}
	for c := range below {
		rows := []int32{}
		for r := range below[c] {
			rows = append(rows, r)
		}
		slices.Sort(rows)
		for k, r := range rows {
			blocks = append(blocks, [2]int32{r, int32(c)})
			for _, q := range rows[k+1:] {
				below[r][q] = true
			}
		}
	}
	return blocks
}
