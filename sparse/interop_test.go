package sparse_test

import (
	"testing"

	jbsparse "github.com/james-bowman/sparse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sparse"
)

func TestDenseAndMatrixView(t *testing.T) {
	eachRandom(t, func(t *testing.T, seed uint64, m *sparse.Matrix) {
		perm := randomPerm(check.Rand(seed), m.P.Len())
		for name, c := range map[string]struct {
			got  mat.Symmetric
			want *mat.Dense
		}{
			"dense":          {m.Dense(), denseOf(m, nil)},
			"view":           {sparse.AsMatrix(m), denseOf(m, nil)},
			"permuted dense": {m.View(perm).Dense(), denseOf(m, perm)},
			"permuted view":  {m.View(perm), denseOf(m, perm)},
		} {
			assert.True(t, mat.Equal(c.want, c.got), name)
			assert.True(t, mat.Equal(c.want, c.got.T()), name)
			rows, cols := c.got.Dims()
			assert.Equal(t, [3]int{m.P.Dim(), m.P.Dim(), m.P.Dim()}, [3]int{rows, cols, c.got.SymmetricDim()}, name)
		}
	})
}

func TestViewSharesTheValues(t *testing.T) {
	m := randomMatrix(2, 3, 4)
	v, d := sparse.AsMatrix(m), m.Dense()
	old := m.Dia[0]
	m.Dia[0] = 99
	assert.Equal(t, 99.0, v.At(0, 0))
	assert.Equal(t, old, d.At(0, 0))
}

func TestCSC(t *testing.T) {
	eachRandom(t, func(t *testing.T, seed uint64, m *sparse.Matrix) {
		n := m.P.Dim()
		rnd := check.Rand(seed)
		perm := randomPerm(rnd, m.P.Len())
		x, prox := randomVec(rnd, n), randomVec(rnd, n)
		want, wantPermuted := denseOf(m, nil), denseOf(m, perm)
		shifted, shiftedPermuted := denseOf(m, nil), denseOf(m, perm)
		moved := make([]float64, n)
		m.View(perm).VecTo(moved, negative(m, prox))
		for i, e := range negative(m, prox) {
			shifted.Set(i, i, shifted.At(i, i)-e)
			shiftedPermuted.Set(i, i, shiftedPermuted.At(i, i)-moved[i])
		}
		for name, c := range map[string]struct {
			got  *jbsparse.CSC
			want *mat.Dense
		}{
			"plain":         {m.CSC(), want},
			"proximal":      {m.CSCWith(prox), shifted},
			"permuted":      {m.View(perm).CSC(nil), wantPermuted},
			"permuted prox": {m.View(perm).CSC(prox), shiftedPermuted},
		} {
			canonical(t, name, c.got)
			assert.True(t, mat.Equal(c.want, c.got.ToDense()), name)
			var b mat.VecDense
			b.MulVec(c.want, mat.NewVecDense(n, x))
			got := make([]float64, n)
			c.got.MulVecTo(got, false, x)
			check.CloseVec(t, got, b.RawVector().Data, rounding, check.MaxAbs(b.RawVector().Data), "%s", name)
		}
	})
}

// negative is prox with zeros in the rows of sign +1.
func negative(m *sparse.Matrix, prox []float64) []float64 {
	e := append([]float64(nil), prox...)
	clear(e[:m.P.Off[m.P.Positive()]])
	return e
}

// canonical requires increasing rows in each column and pointers that fit.
func canonical(t *testing.T, name string, c *jbsparse.CSC) {
	t.Helper()
	raw := c.RawMatrix()
	n, _ := c.Dims()
	require.Len(t, raw.Indptr, n+1, name)
	require.Zero(t, raw.Indptr[0], name)
	require.Equal(t, len(raw.Ind), raw.Indptr[n], name)
	require.Len(t, raw.Data, len(raw.Ind), name)
	require.Equal(t, cap(raw.Data), len(raw.Data), "%s: the capacity was known", name)
	for j := range n {
		col := raw.Ind[raw.Indptr[j]:raw.Indptr[j+1]]
		for k, i := range col {
			require.Less(t, i, n, name)
			require.True(t, k == 0 || col[k-1] < i, name)
		}
	}
}

func TestCSCStructureDoesNotDependOnValues(t *testing.T) {
	m := randomMatrix(6, 8, 14)
	full, zero := m.CSC().RawMatrix(), sparse.NewMatrix(m.P).CSC().RawMatrix()
	assert.Equal(t, full.Ind, zero.Ind)
	assert.Equal(t, full.Indptr, zero.Indptr)
	prox := make([]float64, m.P.Dim())
	assert.Equal(t, m.CSC().NNZ()+m.P.Dim()-int(m.P.Off[m.P.Positive()]), m.CSCWith(prox).NNZ())
}

func TestEmptyMatrix(t *testing.T) {
	m := sparse.NewMatrix(sparse.NewPattern(nil, nil, []int32{0}, nil))
	assert.True(t, m.Dense().IsEmpty())
	assert.Zero(t, m.CSC().NNZ())
	rows, cols := sparse.AsMatrix(m).Dims()
	assert.Equal(t, [2]int{0, 0}, [2]int{rows, cols})
	m.CSCWith(nil)
	m.View([]int32{}).VecTo(nil, nil)
}

func TestInteropPanics(t *testing.T) {
	m := randomMatrix(3, 2, 3)
	n := m.P.Dim()
	const length = "sparse: length mismatch"
	for name, c := range map[string]struct {
		want string
		f    func()
	}{
		"prox":             {length, func() { m.CSCWith(make([]float64, n-1)) }},
		"no prox":          {length, func() { m.CSCWith(nil) }},
		"order short":      {length, func() { m.View([]int32{0}) }},
		"order twice":      {"sparse: not a permutation", func() { m.View([]int32{0, 1, 2, 3, 3}) }},
		"order negative":   {"sparse: not a permutation", func() { m.View([]int32{0, 1, 2, 3, -1}) }},
		"order too large":  {"sparse: not a permutation", func() { m.View([]int32{0, 1, 2, 3, 5}) }},
		"row":              {"sparse: index out of range", func() { m.View(nil).At(n, 0) }},
		"column":           {"sparse: index out of range", func() { m.View(nil).At(0, -1) }},
		"vector":           {length, func() { m.View(nil).VecTo(make([]float64, n), make([]float64, n+1)) }},
		"vector to, short": {length, func() { m.View(nil).VecTo(make([]float64, n-1), make([]float64, n)) }},
	} {
		t.Run(name, func(t *testing.T) { assert.PanicsWithValue(t, c.want, c.f) })
	}
}

// TestPermutedSystemHasThePermutedSolution ties the order of views and vectors
// together: P·A·Pᵀ·(P·x) = P·(A·x).
func TestPermutedSystemHasThePermutedSolution(t *testing.T) {
	m := randomMatrix(6, 8, 14)
	n := m.P.Dim()
	x, b := randomVec(check.Rand(6), n), make([]float64, n)
	m.MulVecTo(b, x)
	v := m.View(randomPerm(check.Rand(7), m.P.Len()))
	px, pb := make([]float64, n), make([]float64, n)
	v.VecTo(px, x)
	v.VecTo(pb, b)
	assert.Less(t, check.Residual(v, px, pb), rounding)
}
