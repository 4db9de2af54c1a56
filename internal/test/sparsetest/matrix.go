package sparsetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sparse"
)

// Rounding bounds the error of sums of at most a few hundred products of
// numbers of order one, relative to the largest sum.
const Rounding = 1e-14

// Matrix returns a random matrix with np nodes of sign +1 and nn nodes of sign −1. Nodes have
// random sizes, and a −1 node has up to four couplings.
func Matrix(seed uint64, np, nn int) *sparse.Matrix {
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

// fill sets the elements of m to random values in (−1, 1). Diagonal elements are between 7 and 8, so diagonal blocks
// are diagonally dominant.
func fill(m *sparse.Matrix, rnd *rand.Rand) {
	for i := range m.Val {
		m.Val[i] = 2*rnd.Float64() - 1
	}
	for i := range m.Pattern.Len() {
		s := int(m.Pattern.Size[i])
		d := m.Dia[m.Pattern.Dia[i]:m.Pattern.Dia[i+1]]
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

// Dense returns m as a dense matrix with the nodes in the order perm, or in their own order if perm is nil. It does not
// use the code under test.
func Dense(m *sparse.Matrix, perm []int32) *mat.Dense {
	p := m.Pattern
	at := make([]int, p.Len()) // by node: its first row in the dense matrix
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

// Vec returns n random numbers in (−1, 1).
func Vec(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*rnd.Float64() - 1
	}
	return x
}

// Perm returns a random permutation of n nodes.
func Perm(rnd *rand.Rand, n int) []int32 {
	perm := make([]int32, n)
	for i, v := range rnd.Perm(n) {
		perm[i] = int32(v)
	}
	return perm
}

// sizes are the numbers of nodes of sign +1 and of sign −1 of the random matrices in EachMatrix.
var sizes = [][2]int{{1, 0}, {0, 1}, {1, 1}, {2, 3}, {7, 0}, {0, 5}, {8, 14}, {20, 30}}

// EachMatrix calls f in a subtest for each of several random matrices.
func EachMatrix(t *testing.T, f func(t *testing.T, seed uint64, m *sparse.Matrix)) {
	for seed, s := range sizes {
		t.Run(fmt.Sprintf("%dx%d", s[0], s[1]), func(t *testing.T) {
			f(t, uint64(seed), Matrix(uint64(seed), s[0], s[1]))
		})
	}
}
