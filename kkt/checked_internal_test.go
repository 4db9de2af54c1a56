package kkt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLeaveOutChecked: a system begins without spare rows, and goes on to all rows in the same way, with the bits of a system that has them
// from the start; and back for the next matrix.
func TestLeaveOutChecked(t *testing.T) {
	p := NewPlan(leanModel(t, "hoberman", 20), Options{})
	w := p.NewWorkspace()
	y := p.layout.NewWeighted()
	require.NoError(t, y.FillTo(p.Initial()))
	f := NewFactored(w.Factor(), y.Matrix, y.Right, y.Scale, p.epsilon, KeepAll, nil)
	want, x := make([]float64, len(y.Right)), make([]float64, len(y.Right))
	require.NoError(t, f.Factorize(DropWeak))
	f.SolveTo(want, y.Right)
	require.Equal(t, DropWeakest, f.NextWay())

	f.LeaveOutChecked(w)
	for range 2 {
		f.Changed()
		require.NoError(t, f.Factorize(DropWeak))
		require.True(t, f.isLean() && f.Current())
		require.Equal(t, DropWeak, f.NextWay())
		require.NoError(t, f.Factorize(DropWeak))
		require.True(t, !f.isLean() && f.Current())
		f.SolveTo(x, y.Right)
		require.Equal(t, want, x)
		require.Equal(t, DropWeakest, f.NextWay())
	}

	f = NewFactored(w.Factor(), y.Matrix, y.Right, y.Scale, p.epsilon, KeepAll, nil)
	f.LeaveOutChecked(NewPlan(leanModel(t, "ladder", 10), Options{}).NewWorkspace())
	require.Nil(t, f.lean)
}
