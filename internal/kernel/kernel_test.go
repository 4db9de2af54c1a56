package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/internal/kernel"
)

// TestSmallExample factors a 3×3 matrix by its first two columns and solves
// with it, by numbers that are exact.
func TestSmallExample(t *testing.T) {
	// F = L·D·Lᵀ with L = [1 0 0; 2 1 0; 3 4 1], D = diag(2, −1, 5).
	f := []float64{2, 4, 6, 99, 7, 8, 99, 99, 7}
	ld, dinv := make([]float64, 6), make([]float64, 2)
	limit := []float64{10, 10}
	assert.Equal(t, 2, kernel.Panel(f, 3, 3, 2, 0, ld, 3, dinv, limit, make([]float64, 2)))
	assert.Equal(t, []float64{2, 2, 3, 99, -1, 4, 99, 99, 7}, f)
	assert.Equal(t, []float64{0, 4, 6, 0, 0, -4}, ld)
	assert.Equal(t, []float64{0.5, -1}, dinv)

	kernel.Update(f[8:], 3, f[2:], 3, ld[2:], 3, 1, 1, 2)
	assert.Equal(t, 5.0, f[8])

	x, y := []float64{40}, []float64{1, 2}
	kernel.SubMul(x, f[2:], 3, 1, 2, y) // 40 − 3·1 − 4·2
	assert.Equal(t, []float64{29}, x)
	kernel.SubMulT(y, f[2:], 3, 1, 2, x) // 1 − 3·29, 2 − 4·29
	assert.Equal(t, []float64{-86, -114}, y)
}

// TestSmallExampleOfRows runs the kernels for rows of six and for triangles on
// numbers that are exact.
func TestSmallExampleOfRows(t *testing.T) {
	w := []float64{1, 2, 3, 4, 5, 6, -1, 0, 2, 0, 0, 1} // two rows
	x, y := []float64{1, 0, 0, 2, 0, 1}, []float64{10, 20}
	kernel.SubRows(y, w, 2, x) // 10 − 1 − 8 − 6, 20 + 1 − 1
	assert.Equal(t, []float64{-5, 20}, y)
	kernel.SubRowsT(x, w, 2, y)
	assert.Equal(t, []float64{26, 10, -25, 22, 25, 11}, x)

	c := []float64{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}
	kernel.Transpose(c, 3, w, 2)
	assert.Equal(t, []float64{1, -1, 9, 2, 0, 9, 3, 2, 9, 4, 0, 9, 5, 0, 9, 6, 1}, c)

	l := []float64{99, 2, 3, 99, 99, 4, 99, 99, 99} // below the diagonal 2, 3, 4
	y = []float64{1, 1, 1}
	kernel.SolveLower(y, l, 3, 3) // 1, 1 − 2, 1 − 3 + 4
	assert.Equal(t, []float64{1, -1, 2}, y)
	kernel.SolveLowerT(y, l, 3, 3) // 1 + 18 − 6, −1 − 8, 2
	assert.Equal(t, []float64{13, -9, 2}, y)

	kernel.AddLower(l, 3, []float64{1, 1, 1, 1, 1, 1}, 3, 3, 2)
	assert.Equal(t, []float64{100, 3, 4, 99, 100, 5, 99, 99, 99}, l)
	kernel.AddBlock(l, 3, []float64{1, 1, 1, 1}, 2, 2, 2)
	assert.Equal(t, []float64{101, 4, 4, 100, 101, 5, 99, 99, 99}, l)
}

// TestNothingToDo calls every kernel with sizes of zero and no slices.
func TestNothingToDo(t *testing.T) {
	kernel.Update(nil, 0, nil, 0, nil, 0, 0, 0, 0)
	assert.Zero(t, kernel.Panel(nil, 0, 0, 0, 0, nil, 0, nil, nil, nil))
	kernel.SubMul(nil, nil, 0, 0, 0, nil)
	kernel.SubMulT(nil, nil, 0, 0, 0, nil)

	kernel.SubRows(nil, nil, 0, nil)
	kernel.SubRowsT(nil, nil, 0, nil)
	kernel.Transpose(nil, 0, nil, 0)
	kernel.AddLower(nil, 0, nil, 0, 0, 0)
	kernel.AddLower(nil, 3, nil, 3, 3, 0)
	kernel.AddBlock(nil, 0, nil, 0, 0, 0)
	kernel.AddBlock(nil, 3, nil, 3, 3, 0)
	kernel.AddBlock(nil, 0, nil, 0, 0, 3)
	kernel.SolveLower(nil, nil, 0, 0)
	kernel.SolveLowerT(nil, nil, 0, 0)
	kernel.SubBlocks(nil, nil, make([]float64, 6), nil)
	kernel.SubBlocksT(make([]float64, 6), nil, nil, nil)
	kernel.SpreadBlocks(nil, 0, nil, nil)

	c, x := []float64{1, 2}, []float64{3, 4}
	kernel.SolveLower(c, nil, 1, 1)
	kernel.SolveLowerT(c, nil, 1, 1)
	kernel.Update(c, 2, nil, 2, nil, 1, 2, 1, 0)
	kernel.Update(c, 2, x, 2, x, 1, 2, 0, 1)
	kernel.SubMul(c, nil, 2, 2, 0, nil)
	kernel.SubMul(nil, nil, 0, 0, 2, x)
	kernel.SubMulT(c, nil, 0, 0, 2, nil)
	kernel.SubMulT(nil, nil, 2, 2, 0, x)
	assert.Equal(t, 1, kernel.Panel(c, 2, 2, 1, 1, nil, 2, nil, nil, nil))
	assert.Equal(t, []float64{1, 2}, c)
}

// TestAllocates requires no kernel to allocate.
func TestAllocates(t *testing.T) {
	const n, w = 40, 20
	f, ld := make([]float64, n*n), make([]float64, n*w)
	dinv, limit, shift := make([]float64, w), make([]float64, w), make([]float64, w)
	for i := range n {
		f[i+i*n] = 1
	}
	for i := range limit {
		limit[i] = 2
	}
	rows := make([]float64, 6*5)
	blocks := []kernel.Block{{W: 6, Row: 2, Res: 1, N: 3}, {Res: -1, N: 1}}
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		kernel.Panel(f, n, n, w, 0, ld, n, dinv, limit, shift)
		kernel.Update(f[w+w*n:], n, f[w:], n, ld[w:], n, n-w, n-w, w)
		kernel.SubMul(f[:w], ld, n, w, w, dinv)
		kernel.SubMulT(dinv, ld, n, w, w, f[:w])
		kernel.SubRows(limit, rows, 5, dinv)
		kernel.SubRowsT(limit, rows, 5, dinv)
		kernel.Transpose(ld, n, rows, 5)
		kernel.AddLower(f, n, ld, n, n, w)
		kernel.AddBlock(f, n, ld, n, n, w)
		kernel.SolveLower(f[:w], ld, n, w)
		kernel.SolveLowerT(f[:w], ld, n, w)
		kernel.SubBlocks(limit, rows, dinv, blocks)
		kernel.SubBlocksT(limit, rows, dinv, blocks)
		kernel.SpreadBlocks(ld, n, rows, blocks)
	}))
}
