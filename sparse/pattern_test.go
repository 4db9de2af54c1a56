package sparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

func TestNewPatternPanics(t *testing.T) {
	const (
		length = "sparse: length mismatch"
		ends   = "sparse: row pointers do not match the indices"
		size   = "sparse: block size out of range"
		sign   = "sparse: signs must be +1 first, then −1"
		down   = "sparse: row pointers decrease or overshoot"
		column = "sparse: column indices must increase below the diagonal"
		couple = "sparse: a block must couple a −1 row with a +1 column"
	)
	type (
		i8  = []int8
		i32 = []int32
	)
	for _, c := range []struct {
		name       string
		size, sign []int8
		ptr, ind   []int32
		want       string
	}{
		{"signs missing", i8{6}, i8{}, i32{0, 0}, nil, length},
		{"pointers missing", i8{6}, i8{1}, i32{0}, nil, length},
		{"first pointer", i8{6}, i8{1}, i32{1, 1}, i32{0}, ends},
		{"last pointer", i8{6, 5}, i8{1, -1}, i32{0, 0, 1}, nil, ends},
		{"indices left over", i8{6, 5}, i8{1, -1}, i32{0, 0, 0}, i32{0}, ends},
		{"size zero", i8{0}, i8{1}, i32{0, 0}, nil, size},
		{"size seven", i8{7}, i8{1}, i32{0, 0}, nil, size},
		{"size negative", i8{-1}, i8{1}, i32{0, 0}, nil, size},
		{"sign zero", i8{6}, i8{0}, i32{0, 0}, nil, sign},
		{"sign two", i8{6}, i8{2}, i32{0, 0}, nil, sign},
		{"plus after minus", i8{6, 6}, i8{-1, 1}, i32{0, 0, 0}, nil, sign},
		{"pointers overshoot", i8{6, 6, 5, 5}, i8{1, 1, -1, -1}, i32{0, 0, 0, 2, 1}, i32{0}, down},
		{"pointers decrease", i8{6, 6, 5, 5, 5}, i8{1, 1, -1, -1, -1}, i32{0, 0, 0, 2, 1, 2}, i32{0, 1}, down},
		{"column negative", i8{6, 5}, i8{1, -1}, i32{0, 0, 1}, i32{-1}, column},
		{"column on the diagonal", i8{6, 5}, i8{1, -1}, i32{0, 0, 1}, i32{1}, column},
		{"column above", i8{6, 5, 5}, i8{1, -1, -1}, i32{0, 0, 1, 1}, i32{2}, column},
		{"column twice", i8{6, 5}, i8{1, -1}, i32{0, 0, 2}, i32{0, 0}, column},
		{"columns decrease", i8{6, 6, 5}, i8{1, 1, -1}, i32{0, 0, 0, 2}, i32{1, 0}, column},
		{"plus with plus", i8{6, 6}, i8{1, 1}, i32{0, 0, 1}, i32{0}, couple},
		{"minus with minus", i8{6, 5, 5}, i8{1, -1, -1}, i32{0, 0, 0, 1}, i32{1}, couple},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.PanicsWithValue(t, c.want, func() { sparse.NewPattern(c.size, c.sign, c.ptr, c.ind) })
		})
	}
}

func TestPatternCounts(t *testing.T) {
	p := sparse.NewPattern([]int8{6, 3, 5, 1}, []int8{1, 1, -1, -1}, []int32{0, 0, 0, 2, 3}, []int32{0, 1, 1})
	assert.Equal(t, 4, p.Len())
	assert.Equal(t, 15, p.Dim())
	assert.Equal(t, 2, p.Positive())
	assert.Equal(t, []int32{0, 6, 9, 14, 15}, p.Off)
	assert.Equal(t, []int64{0, 30, 45, 48}, p.Pos)
	assert.Equal(t, []int64{0, 36, 45, 45, 45}, p.Dia)
	assert.Equal(t, int64(48+21+6), p.NonZeros())

	for _, signs := range [][]int8{{}, {1}, {-1}, {1, 1}, {-1, -1}, {1, -1, -1}} {
		n := len(signs)
		size := make([]int8, n)
		want := 0
		for i := range size {
			size[i] = 1
			if signs[i] > 0 {
				want++
			}
		}
		p := sparse.NewPattern(size, signs, make([]int32, n+1), nil)
		assert.Equal(t, want, p.Positive())
		assert.Equal(t, n, p.Dim())
		assert.Equal(t, int64(want), p.NonZeros())
	}
}

func TestAt(t *testing.T) {
	sparsetest.EachMatrix(t, func(t *testing.T, _ uint64, m *sparse.Matrix) {
		n := m.Pattern.Dim()
		d := sparsetest.Dense(m, nil)
		for i := range n {
			for j := range n {
				require.Equal(t, d.At(i, j), m.At(i, j), "(%d, %d)", i, j)
			}
		}
		for _, ij := range [][2]int{{-1, 0}, {0, -1}, {n, 0}, {0, n}} {
			assert.PanicsWithValue(t, "sparse: index out of range", func() { m.At(ij[0], ij[1]) })
		}
	})
}

func TestNonZerosCountsTheLowerTriangle(t *testing.T) {
	sparsetest.EachMatrix(t, func(t *testing.T, _ uint64, m *sparse.Matrix) {
		d := sparsetest.Dense(m, nil)
		want := int64(0)
		for i := range m.Pattern.Dim() {
			for j := range i + 1 {
				if d.At(i, j) != 0 {
					want++
				}
			}
		}
		assert.Equal(t, want, m.Pattern.NonZeros())
	})
}

func TestMulVecTo(t *testing.T) {
	sparsetest.EachMatrix(t, func(t *testing.T, seed uint64, m *sparse.Matrix) {
		n := m.Pattern.Dim()
		x := sparsetest.Vec(check.Rand(seed), n)
		var want mat.VecDense
		want.MulVec(sparsetest.Dense(m, nil), mat.NewVecDense(n, x))
		got := sparsetest.Vec(check.Rand(seed+1), n)
		m.MulVecTo(got, x)
		scale := check.MaxAbs(want.RawVector().Data)
		check.CloseVec(t, got, want.RawVector().Data, sparsetest.Rounding, scale, "product")
	})
}

func TestResidualTo(t *testing.T) {
	sparsetest.EachMatrix(t, func(t *testing.T, seed uint64, m *sparse.Matrix) {
		n := m.Pattern.Dim()
		rnd := check.Rand(seed)
		x, b := sparsetest.Vec(rnd, n), sparsetest.Vec(rnd, n)
		d := sparsetest.Dense(m, nil)
		var want mat.VecDense
		want.MulVec(d, mat.NewVecDense(n, x))
		want.SubVec(mat.NewVecDense(n, b), &want)
		got := sparsetest.Vec(rnd, n)
		m.ResidualTo(got, b, x)
		scale := check.MaxAbs(want.RawVector().Data)
		check.CloseVec(t, got, want.RawVector().Data, sparsetest.Rounding, scale, "residual")
		check.Close(t, m.BackwardError(b, x), check.Residual(d, x, b), sparsetest.Rounding, 1, "backward error")

		// Without b, and in place of b.
		minus := make([]float64, n)
		m.ResidualTo(minus, nil, x)
		for i := range minus {
			minus[i] += b[i]
		}
		check.CloseVec(t, minus, got, sparsetest.Rounding, scale, "without b")
		m.ResidualTo(b, b, x)
		assert.Equal(t, got, b)
	})
}

func TestResidualOfAnExactSolution(t *testing.T) {
	p := sparse.NewPattern([]int8{1, 1}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0})
	m := sparse.NewMatrix(p)
	m.Dia[0], m.Val[0] = 2, 1
	r := make([]float64, 2)
	m.ResidualTo(r, []float64{7, 3}, []float64{3, 1})
	assert.Equal(t, []float64{0, 0}, r)
	assert.Zero(t, m.BackwardError([]float64{7, 3}, []float64{3, 1}))
	assert.Zero(t, m.BackwardError(r, r), "zero solves the zero system")
	// r = (7−1, 3), ‖m‖₁ = 3, ‖x‖∞ = 1, ‖b‖∞ = 7.
	assert.Equal(t, 0.6, m.BackwardError([]float64{7, 3}, []float64{0, 1}))
}

func TestProductsCheckLengths(t *testing.T) {
	p, _ := ladder(1)
	m := sparse.NewMatrix(p)
	n := p.Dim()
	v := func(n int) []float64 { return make([]float64, n) }
	for _, f := range []func(){
		func() { m.MulVecTo(v(n-1), v(n)) },
		func() { m.MulVecTo(v(n), v(n+1)) },
		func() { m.ResidualTo(v(n), v(n-1), v(n)) },
		func() { m.ResidualTo(v(n+1), v(n), v(n)) },
		func() { m.ResidualTo(v(n), nil, v(n-1)) },
	} {
		assert.PanicsWithValue(t, "sparse: length mismatch", f)
	}
}

func TestProductsDoNotAllocate(t *testing.T) {
	m := sparsetest.Matrix(3, 20, 30)
	n := m.Pattern.Dim()
	x, b, r := sparsetest.Vec(check.Rand(1), n), sparsetest.Vec(check.Rand(2), n), make([]float64, n)
	assert.Zero(t, testing.AllocsPerRun(20, func() { m.MulVecTo(r, x) }))
	assert.Zero(t, testing.AllocsPerRun(20, func() { m.ResidualTo(r, b, x) }))
	v := m.View(sparsetest.Perm(check.Rand(3), m.Pattern.Len()))
	assert.Zero(t, testing.AllocsPerRun(20, func() { v.VecTo(r, x) }))
}
