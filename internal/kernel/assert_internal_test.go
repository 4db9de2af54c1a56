package kernel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAssertions calls the assertions of the build tag check with what they
// refuse and with the least that they take.
func TestAssertions(t *testing.T) {
	z := func(n int) []float64 { return make([]float64, n) }

	assert.NotPanics(t, func() { assertUpdate(z(6), 3, z(9), 3, z(8), 3, 3, 2, 3) })
	assert.PanicsWithValue(t, badLength, func() { assertUpdate(z(5), 3, z(9), 3, z(8), 3, 3, 2, 3) })
	assert.PanicsWithValue(t, badLength, func() { assertUpdate(z(6), 3, z(8), 3, z(8), 3, 3, 2, 3) })
	assert.PanicsWithValue(t, badLength, func() { assertUpdate(z(6), 3, z(9), 3, z(7), 3, 3, 2, 3) })
	assert.PanicsWithValue(t, badLead, func() { assertUpdate(z(9), 2, z(9), 3, z(9), 3, 3, 2, 3) })
	assert.PanicsWithValue(t, badSize, func() { assertUpdate(z(9), 3, z(9), 3, z(9), 3, 2, 3, 3) })
	assert.PanicsWithValue(t, badSize, func() { assertUpdate(z(9), 3, z(9), 3, z(9), 3, 3, 2, -1) })

	assert.NotPanics(t, func() { assertPanel(z(4), 2, 2, 2, 0, z(2), 2, z(2), z(2), z(2)) })
	assert.PanicsWithValue(t, badLength, func() { assertPanel(z(3), 2, 2, 2, 0, z(2), 2, z(2), z(2), z(2)) })
	assert.PanicsWithValue(t, badLength, func() { assertPanel(z(4), 2, 2, 2, 0, z(1), 2, z(2), z(2), z(2)) })
	assert.PanicsWithValue(t, badLength, func() { assertPanel(z(4), 2, 2, 2, 0, z(2), 2, z(1), z(2), z(2)) })
	assert.PanicsWithValue(t, badLength, func() { assertPanel(z(4), 2, 2, 2, 0, z(2), 2, z(2), z(1), z(2)) })
	assert.PanicsWithValue(t, badLength, func() { assertPanel(z(4), 2, 2, 2, 0, z(2), 2, z(2), z(2), z(1)) })
	assert.PanicsWithValue(t, badLead, func() { assertPanel(z(4), 1, 2, 2, 0, z(2), 2, z(2), z(2), z(2)) })
	assert.PanicsWithValue(t, badSize, func() { assertPanel(z(9), 3, 2, 3, 0, z(9), 3, z(3), z(3), z(3)) })
	assert.PanicsWithValue(t, badSize, func() { assertPanel(z(9), 3, 3, 2, 3, z(9), 3, z(3), z(3), z(3)) })

	assert.NotPanics(t, func() { assertProduct(z(2), z(5), 3, 2, 2, z(2)) })
	assert.PanicsWithValue(t, badLength, func() { assertProduct(z(1), z(5), 3, 2, 2, z(2)) })
	assert.PanicsWithValue(t, badLength, func() { assertProduct(z(2), z(4), 3, 2, 2, z(2)) })
	assert.PanicsWithValue(t, badLength, func() { assertProduct(z(2), z(5), 3, 2, 2, z(1)) })
	assert.PanicsWithValue(t, badSize, func() { assertProduct(z(2), z(5), 3, 2, -1, z(2)) })

	assert.NotPanics(t, func() { assertEights(z(16), z(5), 1, 3, 2, 2, z(16)) })
	assert.PanicsWithValue(t, badLength, func() { assertEights(z(15), z(5), 1, 3, 2, 2, z(16)) })
	assert.PanicsWithValue(t, badLength, func() { assertEights(z(16), z(4), 1, 3, 2, 2, z(16)) })
	assert.PanicsWithValue(t, badLength, func() { assertEights(z(16), z(5), 1, 3, 2, 2, z(15)) })
	assert.PanicsWithValue(t, badSize, func() { assertEights(z(16), z(5), 1, 3, 2, -1, z(16)) })
	assert.PanicsWithValue(t, badSize, func() { assertEights(z(16), z(5), -1, 3, 2, 2, z(16)) })
	assert.NotPanics(t, func() { assertEights(nil, nil, 1, 1, 0, 2, z(16)) })

	one := []Block{{W: 6, Row: 1, Res: 2, N: 2}}
	assert.NotPanics(t, func() { assertBlocks(z(6), z(18), z(3), nil, one) })
	assert.NotPanics(t, func() { assertBlocks(z(6), z(18), nil, z(4), one) })
	assert.PanicsWithValue(t, badLength, func() { assertBlocks(z(5), z(18), z(3), nil, one) })
	assert.PanicsWithValue(t, badLength, func() { assertBlocks(z(6), z(17), z(3), nil, one) })
	assert.PanicsWithValue(t, badLength, func() { assertBlocks(z(6), z(18), z(2), nil, one) })
	assert.PanicsWithValue(t, badLength, func() { assertBlocks(z(6), z(18), nil, z(3), one) })
	assert.NotPanics(t, func() { assertBlocks(z(6), z(18), nil, z(3), []Block{{W: 6, Row: 1, Res: -1, N: 2}}) })
	assert.PanicsWithValue(t, badSize, func() { assertBlocks(z(6), z(18), z(3), nil, []Block{{N: -1}}) })

	assert.NotPanics(t, func() { assertSpread(z(18), 3, z(18), one) })
	assert.PanicsWithValue(t, badLength, func() { assertSpread(z(17), 3, z(18), one) })
	assert.PanicsWithValue(t, badLength, func() { assertSpread(z(18), 3, z(17), one) })
	assert.PanicsWithValue(t, badLead, func() { assertSpread(z(18), 2, z(18), one) })
	assert.PanicsWithValue(t, badSize, func() { assertSpread(z(18), 3, z(18), []Block{{N: -1}}) })

	assert.NotPanics(t, func() { assertAdd(z(5), 3, z(6), 4, 2, 2, 2) })
	assert.PanicsWithValue(t, badLength, func() { assertAdd(z(4), 3, z(6), 4, 2, 2, 2) })
	assert.PanicsWithValue(t, badLength, func() { assertAdd(z(5), 3, z(5), 4, 2, 2, 2) })
	assert.PanicsWithValue(t, badLead, func() { assertAdd(z(5), 1, z(6), 4, 2, 2, 2) })
	assert.PanicsWithValue(t, badLead, func() { assertAdd(z(5), 3, z(6), 1, 2, 2, 2) })
	assert.PanicsWithValue(t, badSize, func() { assertAdd(z(9), 3, z(9), 3, 2, 3, 2) })
	assert.PanicsWithValue(t, badSize, func() { assertAdd(z(9), 3, z(9), 3, 2, -1, 2) })
	assert.PanicsWithValue(t, badSize, func() { assertAdd(z(9), 3, z(9), 3, -1, 2, 2) })

	assert.NotPanics(t, func() { assertSolve(z(3), z(7), 4, 3) })
	assert.NotPanics(t, func() { assertSolve(z(1), z(0), 0, 1) })
	assert.NotPanics(t, func() { assertSolve(z(0), z(0), 0, 0) })
	assert.PanicsWithValue(t, badLength, func() { assertSolve(z(2), z(7), 4, 3) })
	assert.PanicsWithValue(t, badLength, func() { assertSolve(z(3), z(6), 4, 3) })
	assert.PanicsWithValue(t, badLead, func() { assertSolve(z(3), z(7), 2, 3) })
	assert.PanicsWithValue(t, badSize, func() { assertSolve(z(3), z(7), 4, -1) })
}
