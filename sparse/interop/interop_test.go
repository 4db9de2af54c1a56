package interop_test

import (
	"testing"

	jbsparse "github.com/james-bowman/sparse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/sparse/interop"
)

func TestDenseAndMatrixView(t *testing.T) {
	sparsetest.EachMatrix(t, func(t *testing.T, seed uint64, m *sparse.Matrix) {
		perm := sparsetest.Perm(check.Rand(seed), m.Pattern.Len())
		for name, c := range map[string]struct {
			got  mat.Symmetric
			want *mat.Dense
		}{
			"dense":          {interop.Dense(m, nil), sparsetest.Dense(m, nil)},
			"view":           {interop.Symmetric(m, nil), sparsetest.Dense(m, nil)},
			"permuted dense": {interop.Dense(m, perm), sparsetest.Dense(m, perm)},
			"permuted view":  {interop.Symmetric(m, perm), sparsetest.Dense(m, perm)},
		} {
			assert.True(t, mat.Equal(c.want, c.got), name)
			assert.True(t, mat.Equal(c.want, c.got.T()), name)
			rows, cols := c.got.Dims()
			assert.Equal(t, [3]int{m.Pattern.Dim(), m.Pattern.Dim(), m.Pattern.Dim()}, [3]int{rows, cols, c.got.SymmetricDim()}, name)
		}
	})
}

func TestViewSharesTheValues(t *testing.T) {
	m := sparsetest.Matrix(2, 3, 4)
	v, d := interop.Symmetric(m, nil), interop.Dense(m, nil)
	old := m.Dia[0]
	m.Dia[0] = 99
	assert.Equal(t, 99.0, v.At(0, 0))
	assert.Equal(t, old, d.At(0, 0))
}

func TestCSC(t *testing.T) {
	sparsetest.EachMatrix(t, func(t *testing.T, seed uint64, m *sparse.Matrix) {
		n := m.Pattern.Dim()
		rnd := check.Rand(seed)
		perm := sparsetest.Perm(rnd, m.Pattern.Len())
		x, prox := sparsetest.Vec(rnd, n), sparsetest.Vec(rnd, n)
		want, wantPermuted := sparsetest.Dense(m, nil), sparsetest.Dense(m, perm)
		shifted, shiftedPermuted := sparsetest.Dense(m, nil), sparsetest.Dense(m, perm)
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
			"plain":         {interop.CSC(m, nil, nil), want},
			"proximal":      {interop.CSC(m, nil, prox), shifted},
			"permuted":      {interop.CSC(m, perm, nil), wantPermuted},
			"permuted prox": {interop.CSC(m, perm, prox), shiftedPermuted},
		} {
			canonical(t, name, c.got)
			assert.True(t, mat.Equal(c.want, c.got.ToDense()), name)
			var b mat.VecDense
			b.MulVec(c.want, mat.NewVecDense(n, x))
			got := make([]float64, n)
			c.got.MulVecTo(got, false, x)
			check.CloseVec(t, got, b.RawVector().Data, sparsetest.Rounding, check.MaxAbs(b.RawVector().Data), "%s", name)
		}
	})
}

// negative is prox with zeros in the rows of sign +1.
func negative(m *sparse.Matrix, prox []float64) []float64 {
	e := append([]float64(nil), prox...)
	clear(e[:m.Pattern.Off[m.Pattern.Positive()]])
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
	m := sparsetest.Matrix(6, 8, 14)
	full, zero := interop.CSC(m, nil, nil).RawMatrix(), interop.CSC(sparse.NewMatrix(m.Pattern), nil, nil).RawMatrix()
	assert.Equal(t, full.Ind, zero.Ind)
	assert.Equal(t, full.Indptr, zero.Indptr)
	prox := make([]float64, m.Pattern.Dim())
	assert.Equal(t, interop.CSC(m, nil, nil).NNZ()+m.Pattern.Dim()-int(m.Pattern.Off[m.Pattern.Positive()]), interop.CSC(m, nil, prox).NNZ())
}

func TestEmptyMatrix(t *testing.T) {
	m := sparse.NewMatrix(sparse.NewPattern(nil, nil, []int32{0}, nil))
	assert.True(t, interop.Dense(m, nil).IsEmpty())
	assert.Zero(t, interop.CSC(m, nil, nil).NNZ())
	rows, cols := interop.Symmetric(m, nil).Dims()
	assert.Equal(t, [2]int{0, 0}, [2]int{rows, cols})
	interop.CSC(m, nil, []float64{})
	m.View([]int32{}).VecTo(nil, nil)
}

func TestInteropPanics(t *testing.T) {
	m := sparsetest.Matrix(3, 2, 3)
	n := m.Pattern.Dim()
	const length = "sparse: length mismatch"
	for name, c := range map[string]struct {
		want string
		f    func()
	}{
		"prox":             {length, func() { interop.CSC(m, nil, make([]float64, n-1)) }},
		"no prox":          {length, func() { interop.CSC(m, nil, []float64{}) }},
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
	m := sparsetest.Matrix(6, 8, 14)
	n := m.Pattern.Dim()
	x, b := sparsetest.Vec(check.Rand(6), n), make([]float64, n)
	m.MulVecTo(b, x)
	perm := sparsetest.Perm(check.Rand(7), m.Pattern.Len())
	v := m.View(perm)
	px, pb := make([]float64, n), make([]float64, n)
	v.VecTo(px, x)
	v.VecTo(pb, b)
	assert.Less(t, check.Residual(interop.Symmetric(m, perm), px, pb), sparsetest.Rounding)
}
