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
	assert.Equal(t, 2, kernel.Panel(f, 3, 3, 2, 0, ld, 3, dinv, limit))
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

// TestNothingToDo calls every kernel with sizes of zero and no slices.
func TestNothingToDo(t *testing.T) {
	kernel.Update(nil, 0, nil, 0, nil, 0, 0, 0, 0)
	assert.Zero(t, kernel.Panel(nil, 0, 0, 0, 0, nil, 0, nil, nil))
	kernel.SubMul(nil, nil, 0, 0, 0, nil)
	kernel.SubMulT(nil, nil, 0, 0, 0, nil)

	c, x := []float64{1, 2}, []float64{3, 4}
	kernel.Update(c, 2, nil, 2, nil, 1, 2, 1, 0)
	kernel.Update(c, 2, x, 2, x, 1, 2, 0, 1)
	kernel.SubMul(c, nil, 2, 2, 0, nil)
	kernel.SubMul(nil, nil, 0, 0, 2, x)
	kernel.SubMulT(c, nil, 0, 0, 2, nil)
	kernel.SubMulT(nil, nil, 2, 2, 0, x)
	assert.Equal(t, 1, kernel.Panel(c, 2, 2, 1, 1, nil, 2, nil, nil))
	assert.Equal(t, []float64{1, 2}, c)
}

// TestAllocates requires no kernel to allocate.
func TestAllocates(t *testing.T) {
	const n, w = 40, 20
	f, ld := make([]float64, n*n), make([]float64, n*w)
	dinv, limit := make([]float64, w), make([]float64, w)
	for i := range n {
		f[i+i*n] = 1
	}
	for i := range limit {
		limit[i] = 2
	}
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		kernel.Panel(f, n, n, w, 0, ld, n, dinv, limit)
		kernel.Update(f[w+w*n:], n, f[w:], n, ld[w:], n, n-w, n-w, w)
		kernel.SubMul(f[:w], ld, n, w, w, dinv)
		kernel.SubMulT(dinv, ld, n, w, w, f[:w])
	}))
}
