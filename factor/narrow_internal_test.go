package factor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sparse"
)

// narrowPattern is a graph of n bodies of the given sizes in turn, three joints of any two of
// them for each two, and one of four bodies; many is the number of joints of the first body
// with others.
func narrowPattern(sizes []int8, n, many int, rng *rand.Rand) *sparse.Pattern {
	var size, sign []int8
	for i := range n {
		size, sign = append(size, sizes[i%len(sizes)]), append(sign, 1)
	}
	ptr, ind := make([]int32, n+1), []int32(nil)
	join := func(rows int, bodies ...int32) {
		size, sign = append(size, int8(rows)), append(sign, -1)
		ind = append(ind, bodies...)
		ptr = append(ptr, int32(len(ind)))
	}
	for range 3 * n / 2 {
		a := rng.Int32N(int32(n - 1))
		join(1+rng.IntN(6), a, a+1+rng.Int32N(int32(n-1)-a))
	}
	for i := range many {
		join(1+rng.IntN(6), 0, int32(1+i%(n-1)))
	}
	join(5, 0, 1, int32(n-2), int32(n-1))
	return sparse.NewPattern(size, sign, ptr, ind)
}

// denseOf returns m − diag(e), the +1 blocks of m units.
func denseOf(m *sparse.Matrix, e []float64) *mat.SymDense {
	p := m.Pattern
	a := mat.NewSymDense(p.Dim(), nil)
	for i := range p.Dim() {
		a.SetSym(i, i, -e[i])
	}
	for i := range int(p.Off[p.Positive()]) {
		a.SetSym(i, i, 1)
	}
	for i := p.Positive(); i < p.Len(); i++ {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			body, n := p.Ind[k], int(p.Size[p.Ind[k]])
			for j, v := range m.Val[p.Pos[k]:p.Pos[k+1]] {
				a.SetSym(int(p.Off[i])+j/n, int(p.Off[body])+j%n, v)
			}
		}
	}
	return a
}

// countLeaves adds up the blocks but the first of the leaves of s, by their columns.
func countLeaves(s *Symbolic, spread, alone *[sparse.MaxBlock + 1]int) {
	for i := range s.fronts {
		to := alone
		if s.fronts[i].spread {
			to = spread
		}
		for _, l := range s.leaves[s.fronts[i].leafLo:s.fronts[i].leafHi] {
			to[l.size] += int(l.hi - l.lo - 1)
		}
	}
}

// Leaves of any number of columns, each with several joints, added spread over their front
// and alone, and beside wider ones.
func TestNarrowLeaves(t *testing.T) {
	check.Long(t)
	var spread, alone [sparse.MaxBlock + 1]int
	for _, sizes := range [][]int8{{1}, {2}, {3}, {4}, {5}, {6}, {2, 1}, {1, 2, 3, 4, 5, 6}} {
		for _, many := range []int{0, 30} {
			rng := rand.New(rand.NewPCG(uint64(sizes[0]), uint64(10*len(sizes)+many)))
			p := narrowPattern(sizes, 14, many, rng)
			m := sparse.NewUnitMatrix(p)
			for i := range m.Val {
				m.Val[i] = rng.NormFloat64()
			}
			b, scale := make([]float64, p.Dim()), make([]float64, p.Dim())
			for i := range b {
				b[i] = rng.NormFloat64()
				if i >= int(p.Off[p.Positive()]) {
					scale[i] = 1
				}
			}
			for _, o := range []order.Ordering{order.LeafFirst, order.MinDegree, order.Banded, order.Natural} {
				s := Analyze(p, order.Of(p, o))
				countLeaves(s, &spread, &alone)
				f := s.NewFactor()
				t.Run(fmt.Sprintf("sizes %v/many %d/%v", sizes, many, o), func(t *testing.T) {
					requireSolves(t, f, m, scale, b)
				})
			}
		}
	}
	for k := 1; k <= sparse.MaxBlock; k++ {
		require.Positive(t, spread[k], "leaves of %d columns with several joints, spread", k)
		require.Positive(t, alone[k], "leaves of %d columns with several joints, alone", k)
	}
}

// requireSolves requires solutions of f to be those of a dense LU, whether the right side is
// eliminated with the matrix or not, residuals to be those of the dense matrix, corrections
// to be solves for them, and no step to allocate.
func requireSolves(t *testing.T, f *Factor, m *sparse.Matrix, scale, b []float64) {
	const (
		tol   = 1e-12 // of the solution; K − Γ has no eigenvalue in (−1, 1)
		terms = 1e-13 // of the residual's terms
	)
	n, np := len(b), int(m.Pattern.Off[m.Pattern.Positive()])
	var want mat.VecDense
	require.NoError(t, want.SolveVec(denseOf(m, scale), mat.NewVecDense(n, b)))
	size := mat.Norm(&want, 2)
	x, r, z := make([]float64, n), make([]float64, n), make([]float64, n)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		require.NoError(t, f.FactorizeFor(b, m, scale, 1, Everywhere))
		f.SolveTo(x, b) // begun by FactorizeFor
	}))
	f.solve(z, b, r)
	for i := range n {
		require.InDelta(t, want.AtVec(i), x[i], tol*size, "row %d", i)
		require.InDelta(t, want.AtVec(i), z[i], tol*size, "row %d", i)
	}
	// What solve has left out of r is found by residual.
	f.residual(r, b, z, &Refinement{})
	exact := denseOf(m, make([]float64, n))
	for i := np; i < n; i++ {
		left, sum := b[i], 1.0
		for j, v := range z {
			left -= exact.At(i, j) * v
			sum += math.Abs(exact.At(i, j) * v)
		}
		require.InDelta(t, left, r[i], terms*sum, "row %d", i)
	}
	f.beginCorrection(r)
	f.backward(solution{x: z, b: b, r: make([]float64, n), add: true})
	clear(r[:np])
	require.NoError(t, want.SolveVec(denseOf(m, scale), mat.NewVecDense(n, r)))
	for i := range n {
		require.InDelta(t, x[i]+want.AtVec(i), z[i], tol*size, "row %d", i)
	}
}
