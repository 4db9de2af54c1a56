package kkt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestRefineAgain: the system without spare rows takes a right side that has changed since it was factored and solved.
func TestRefineAgain(t *testing.T) {
	p := NewPlan(leanModel(t, "scissor", 10), Options{})
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	require.True(t, s.whole.isLean())
	want, got := make([]float64, len(s.x)), make([]float64, len(s.x))
	s.whole.Refine(want, s.whole.r, s.free)
	for i := range s.sys.Right {
		s.sys.Right[i] *= 2
	}
	s.whole.Refine(got, s.whole.r, 2*s.free)
	for i := range want {
		want[i] *= 2
	}
	check.CloseVec(t, got, want, 1e-12, check.MaxAbs(want), "solution")
}
