package factor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/sparse/interop"
)

// resized returns the graph of p with 1 to 6 rows in every node.
func resized(p *sparse.Pattern, rng *rand.Rand) *sparse.Pattern {
	size := make([]int8, p.Len())
	for i := range size {
		size[i] = sparsetest.Rows(rng)
	}
	return sparse.NewPattern(size, p.Sign, p.Ptr, p.Ind)
}

// randomMatrix fills p with +1 blocks G·Gᵀ + 1 and −1 rows of normal numbers.
func randomMatrix(p *sparse.Pattern, rng *rand.Rand) *sparse.Matrix {
	m := sparse.NewMatrix(p)
	fillBodies(m, rng)
	for i := range m.Val {
		m.Val[i] = rng.NormFloat64()
	}
	return m
}

// fillBodies fills the +1 blocks of m with G·Gᵀ + 1, exactly symmetric.
func fillBodies(m *sparse.Matrix, rng *rand.Rand) {
	var g [sparse.MaxBlock * sparse.MaxBlock]float64
	for i := range m.Pattern.Positive() {
		s := int(m.Pattern.Size[i])
		d := m.Dia[m.Pattern.Dia[i]:m.Pattern.Dia[i+1]]
		for k := range s * s {
			g[k] = rng.NormFloat64()
		}
		for r := range s {
			for c := range r + 1 {
				t := 0.0
				for k := range s {
					t += g[r*s+k] * g[c*s+k]
				}
				d[r*s+c], d[c*s+r] = t, t
			}
			d[r*s+r]++
		}
	}
}

// incidenceMatrix fills p, a graph of bodies of six rows, so that every joint
// says Q·(x_a − x_b) = …, or Q·x_a with the world, for one random Q; a joint of
// fewer rows takes the first rows of Q. The rows of a loop then depend on each
// other exactly.
func incidenceMatrix(p *sparse.Pattern, rng *rand.Rand) *sparse.Matrix {
	m := sparse.NewMatrix(p)
	fillBodies(m, rng)
	var q [36]float64
	for k := range q {
		q[k] = rng.NormFloat64()
	}
	for i := p.Positive(); i < p.Len(); i++ {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			sign := 1.0
			if k > p.Ptr[i] {
				sign = -1
			}
			for a := range m.Val[p.Pos[k]:p.Pos[k+1]] {
				m.Val[int(p.Pos[k])+a] = sign * q[a]
			}
		}
	}
	return m
}

// loops returns the number of joints of p, with one or two bodies each, that
// close a loop, possibly through the world.
func loops(p *sparse.Pattern) int {
	nb := p.Positive()
	up := make([]int, nb+1) // the world is nb
	for i := range up {
		up[i] = i
	}
	root := func(i int) int {
		for up[i] != i {
			i = up[i]
		}
		return i
	}
	n := 0
	for i := nb; i < p.Len(); i++ {
		ends := [2]int{nb, nb}
		for k, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			ends[k] = int(b)
		}
		a, b := root(ends[0]), root(ends[1])
		if a == b {
			n++
		}
		up[a] = b
	}
	return n
}

// ones returns the scale 1 for every row.
func ones(m *sparse.Matrix) []float64 {
	s := make([]float64, m.Pattern.Dim())
	for i := range s {
		s[i] = 1
	}
	return s
}

// prox returns the diagonal of E: eps·scale in −1 rows, zero in the others.
func prox(m *sparse.Matrix, scale []float64, eps float64) []float64 {
	e := make([]float64, m.Pattern.Dim())
	for i := positiveRows(m.Pattern); i < len(e); i++ {
		e[i] = eps * scale[i]
	}
	return e
}

func positiveRows(p *sparse.Pattern) int { return int(p.Off[p.Positive()]) }

// dense returns m − diag(e).
func dense(m *sparse.Matrix, e []float64) *mat.SymDense {
	a := interop.Dense(m, nil)
	for i, v := range e {
		if v != 0 {
			a.SetSym(i, i, a.At(i, i)-v)
		}
	}
	return a
}

// parts returns the blocks of m as dense matrices: M of the +1 rows, J of the
// −1 rows.
func parts(m *sparse.Matrix) (M *mat.SymDense, J *mat.Dense) {
	a := interop.Dense(m, nil)
	n, np := m.Pattern.Dim(), positiveRows(m.Pattern)
	return a.SliceSym(0, np).(*mat.SymDense), mat.DenseCopyOf(a).Slice(np, n, 0, np).(*mat.Dense)
}

// schur returns J·M⁻¹·Jᵀ and the Cholesky factor of M.
func schur(t testing.TB, m *sparse.Matrix) (*mat.Dense, *mat.Cholesky) {
	M, J := parts(m)
	var chol mat.Cholesky
	require.True(t, chol.Factorize(M), "the +1 part is positive definite")
	var x, s mat.Dense
	require.NoError(t, chol.SolveTo(&x, J.T()))
	s.Mul(J, &x)
	return &s, &chol
}

// scales returns the diagonal of J·M⁻¹·Jᵀ in the −1 rows, zero in the others.
func scales(t testing.TB, m *sparse.Matrix) []float64 {
	s, _ := schur(t, m)
	np := positiveRows(m.Pattern)
	scale := make([]float64, m.Pattern.Dim())
	for i := np; i < len(scale); i++ {
		scale[i] = s.At(i-np, i-np)
	}
	return scale
}

// rankCut separates the eigenvalues of the scaled Schur complement that are
// rounding from those that are not; the systems of these tests leave a gap of
// some orders on both sides.
const rankCut = 1e-10

// constrained solves m·x = b in the least-squares sense by a dense
// eigendecomposition: the +1 part is unique, the −1 part has least norm in the
// metric of the scales. It returns x and the rank of J.
func constrained(t testing.TB, m *sparse.Matrix, scale, b []float64) ([]float64, int) {
	s, chol := schur(t, m)
	_, J := parts(m)
	n, np := m.Pattern.Dim(), positiveRows(m.Pattern)
	nc := n - np
	// D·S·D·z = D·(J·M⁻¹·b₁ − b₂), y = D·z.
	d := make([]float64, nc)
	scaled := mat.NewSymDense(nc, nil)
	for i := range nc {
		d[i] = 1 / math.Sqrt(scale[np+i])
		for j := range i + 1 {
			scaled.SetSym(i, j, d[i]*s.At(i, j)*d[j])
		}
	}
	var eig mat.EigenSym
	require.True(t, eig.Factorize(scaled, true))
	var V mat.Dense
	eig.VectorsTo(&V)
	free, rhs := new(mat.VecDense), mat.NewVecDense(nc, nil)
	require.NoError(t, chol.SolveVecTo(free, mat.NewVecDense(np, b[:np])))
	rhs.MulVec(J, free)
	for i := range nc {
		rhs.SetVec(i, d[i]*(rhs.AtVec(i)-b[np+i]))
	}
	rank := 0
	y := mat.NewVecDense(nc, nil)
	for k, v := range eig.Values(nil) {
		if v > rankCut {
			rank++
			y.AddScaledVec(y, mat.Dot(V.ColView(k), rhs)/v, V.ColView(k))
		}
	}
	x := make([]float64, n)
	for i := range nc {
		y.SetVec(i, d[i]*y.AtVec(i))
		x[np+i] = y.AtVec(i)
	}
	var body, load mat.VecDense
	load.MulVec(J.T(), y)
	load.SubVec(mat.NewVecDense(np, b[:np]), &load)
	require.NoError(t, chol.SolveVecTo(&body, &load))
	copy(x, body.RawVector().Data)
	return x, rank
}

// denseLDL factors a = L·D·Lᵀ without pivoting in the order of s and returns,
// in the original order, the pivots and the diagonal of |L|·|D|·|Lᵀ|.
func denseLDL(s *factor.Symbolic, a mat.Symmetric) (pivots, growth []float64) {
	var sequence []int
	for _, node := range s.Order() {
		for i := s.Pattern.Off[node]; i < s.Pattern.Off[node+1]; i++ {
			sequence = append(sequence, int(i))
		}
	}
	n := len(sequence)
	u := make([][]float64, n) // the lower triangle of what is left
	for i := range n {
		u[i] = make([]float64, i+1)
		for j := range u[i] {
			u[i][j] = a.At(sequence[i], sequence[j])
		}
	}
	pivots, growth = make([]float64, n), make([]float64, n)
	for k := range n {
		p := u[k][k]
		pivots[sequence[k]] = p
		growth[sequence[k]] += math.Abs(p)
		for i := k + 1; i < n; i++ {
			l := u[i][k] / p
			growth[sequence[i]] += l * l * math.Abs(p)
			for j := k + 1; j <= i; j++ {
				u[i][j] -= l * u[j][k]
			}
		}
	}
	return pivots, growth
}

// unitBlocks returns C⁻¹·a·C⁻ᵀ, C the Cholesky factors of the +1 blocks.
func unitBlocks(t testing.TB, p *sparse.Pattern, a *mat.SymDense) mat.Symmetric {
	n := p.Dim()
	C := mat.NewDense(n, n, nil)
	for i := range p.Len() {
		lo, hi := int(p.Off[i]), int(p.Off[i+1])
		block := C.Slice(lo, hi, lo, hi).(*mat.Dense)
		if p.Sign[i] < 0 {
			for k := range hi - lo {
				block.Set(k, k, 1)
			}
			continue
		}
		var chol mat.Cholesky
		require.True(t, chol.Factorize(a.SliceSym(lo, hi)))
		var L mat.TriDense
		chol.LTo(&L)
		block.Copy(&L)
	}
	var left, both mat.Dense
	require.NoError(t, left.Solve(C, a))
	require.NoError(t, both.Solve(C, left.T()))
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			out.SetSym(i, j, both.At(i, j))
		}
	}
	return out
}

// randomVector returns n normal numbers.
func randomVector(n int, rng *rand.Rand) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// consistentSide returns a right side whose −1 rows are met by some x.
func consistentSide(m *sparse.Matrix, rng *rand.Rand) []float64 {
	n, np := m.Pattern.Dim(), positiveRows(m.Pattern)
	x := randomVector(n, rng)
	b := make([]float64, n)
	m.MulVecTo(b, x)
	copy(b[:np], randomVector(np, rng))
	return b
}

// scaledResidual returns ‖b − (m−E)·x‖∞ / (‖m−E‖₁·‖x‖∞ + ‖b‖∞) and ‖m−E‖₁.
func scaledResidual(m *sparse.Matrix, e, x, b []float64) (residual, norm float64) {
	n := m.Pattern.Dim()
	r, col := make([]float64, n), make([]float64, n)
	m.ResidualTo(r, b, x)
	size := &sparse.Matrix{Pattern: m.Pattern, Dia: magnitudes(m.Dia), Val: magnitudes(m.Val)}
	one := ones(m)
	size.MulVecTo(col, one)
	top, wide, high := 0.0, 0.0, 0.0
	for i := range n {
		top = math.Max(top, math.Abs(r[i]+e[i]*x[i]))
		norm = math.Max(norm, col[i]+e[i])
		wide, high = math.Max(wide, math.Abs(x[i])), math.Max(high, math.Abs(b[i]))
	}
	if top == 0 {
		return 0, norm
	}
	return top / (norm*wide + high), norm
}

func magnitudes(v []float64) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = math.Abs(x)
	}
	return w
}

// shuffled returns a random permutation of n nodes.
func shuffled(n int, rng *rand.Rand) []int32 {
	perm := make([]int32, n)
	for i, v := range rng.Perm(n) {
		perm[i] = int32(v)
	}
	return perm
}

// order is an elimination order with a name for messages.
type namedOrder struct {
	name string
	perm []int32
}

// orders returns all orderings of p and two random permutations.
func orders(p *sparse.Pattern, rng *rand.Rand) []namedOrder {
	var list []namedOrder
	for _, o := range order.All() {
		list = append(list, namedOrder{o.String(), order.Of(p, o)})
	}
	for _, name := range []string{"random 1", "random 2"} {
		list = append(list, namedOrder{name, shuffled(p.Len(), rng)})
	}
	return list
}

// smallGraphs are graphs of every kind, small enough for dense oracles.
func smallGraphs() map[string]*sparse.Pattern {
	rng := rand.New(rand.NewPCG(1, 7))
	g := map[string]*sparse.Pattern{
		"empty":          sparsetest.New(0, nil),
		"bodies":         sparsetest.New(3, nil),
		"world joint":    sparsetest.New(1, []sparsetest.Joint{sparsetest.Link(5, 0, sparsetest.World)}),
		"no body":        sparsetest.New(0, []sparsetest.Joint{{Rows: 3}, {Rows: 1}}),
		"parallel":       sparsetest.New(2, []sparsetest.Joint{sparsetest.Link(5, 0, 1), sparsetest.Link(3, 1, 0), sparsetest.Link(2, 0, 1), sparsetest.Link(6, 0, sparsetest.World)}),
		"parallel world": sparsetest.New(1, []sparsetest.Joint{sparsetest.Link(5, 0, sparsetest.World), sparsetest.Link(1, 0, sparsetest.World), sparsetest.Link(1, 0, sparsetest.World)}),
		"three bodies":   sparsetest.New(4, []sparsetest.Joint{sparsetest.Link(5, 0, 1, 2), sparsetest.Link(3, 3, 2), sparsetest.Link(3, 3, 2)}),
		"chain":          sparsetest.Chain(12, false),
		"closed chain":   sparsetest.Chain(12, true),
		"ladder":         sparsetest.Ladder(6),
		"grid":           sparsetest.Grid(4),
		"star":           sparsetest.Star(8, 0, 0),
		"petals":         sparsetest.Star(6, 1, 0),
		"wheel":          sparsetest.Star(9, 3, 5),
		"islands":        sparsetest.Islands(4),
		"tree":           sparsetest.Tree(15, rng),
		"dense":          sparsetest.Random(8, 20, 2, 0, rng),
		"gears":          sparsetest.Random(12, 10, 5, 6, rng),
	}
	for name, p := range g {
		if p.Len() == 0 {
			continue
		}
		// Each graph has its own sequence, whatever the order of the map.
		g[name+", sizes"] = resized(p, rand.New(rand.NewPCG(uint64(len(name)), uint64(p.Len()))))
	}
	return g
}
