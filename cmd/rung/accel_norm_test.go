package main

import (
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/state"
	"github.com/stretchr/testify/require"
)

// TestAccelLeastNorm prints the same choice by every method, and how far it is from least norm.
func TestAccelLeastNorm(t *testing.T) {
	path := generated(t, "scissor", "3")
	want := accelJSON(t, path)
	require.True(t, want.Constraints.LeastNorm)
	require.Less(t, want.Constraints.NormResidual, 1e-14)
	for _, method := range []string{"tree-direct", "tree-lambda", "tree-projection"} {
		got := accelJSON(t, path, "--method", method)
		require.Equal(t, want.Constraints.LeastNorm, got.Constraints.LeastNorm)
		for j := range want.Joints {
			w, g := &want.Joints[j].TotalWrench, &got.Joints[j].TotalWrench
			for k := range 3 {
				require.InDelta(t, w.Force[k], g.Force[k], goldenTol*10, "%s, %s", method, want.Joints[j].Name)
				require.InDelta(t, w.Moment[k], g.Moment[k], goldenTol*10, "%s, %s", method, want.Joints[j].Name)
			}
		}
	}
	text := strings.Join(strings.Fields(ok(t, "accel", path)), " ")
	require.Contains(t, text, "one choice of many (least norm, to")
}

// TestReactionsWithoutLeastNorm says so where the choice is not that of least norm.
func TestReactionsWithoutLeastNorm(t *testing.T) {
	r := accelJSON(t, generated(t, "scissor", "1"))
	r.Constraints.LeastNorm, r.Constraints.NormResidual = false, 0.5
	require.Contains(t, state.Reactions(3, len(r.Joints), &r.Constraints), "SOME CHOICE of many: that of least norm could not be computed (residual 0.5)")
}
