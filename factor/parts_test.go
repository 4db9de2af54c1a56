package factor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
)

// TestSetParts: a residual counts relative to what has been taken off the right side too. A row that contradicts the one
// before it by 1 is off by all of its terms, or by a tenth of those of a solution whose parts had the norm 10.
func TestSetParts(t *testing.T) {
	p := sparse.NewPattern([]int8{1, 2}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0})
	m := sparse.NewUnitMatrix(p)
	m.Val[0], m.Val[1] = 1, 1
	scale := []float64{0, 1, 1}
	b := []float64{0, 0, 1}
	f := factor.Analyze(p, []int32{0, 1}).NewFactor()
	x, r := make([]float64, 3), make([]float64, 3)
	ratio := func() float64 {
		require.NoError(t, f.Factorize(m, scale, 1e-12, factor.WhereWeak))
		w := f.SolveRefinedTo(x, r, b, m, 0).Worst
		require.Equal(t, 1, w.Node)
		return w.Ratio
	}
	alone := ratio()
	require.Greater(t, alone, 0.3)
	f.SetParts([]float64{0, 100})
	with := ratio()
	require.Less(t, with, 0.11)
	require.Greater(t, with, 0.05)
	f.SetParts(nil)
	require.Equal(t, alone, ratio())
	require.PanicsWithValue(t, "factor: length mismatch", func() { f.SetParts([]float64{1}) })
}
