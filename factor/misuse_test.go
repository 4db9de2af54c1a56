package factor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/sparse"
)

// TestMisuse: what the caller could know is a panic with a constant text.
func TestMisuse(t *testing.T) {
	p := sparse.NewPattern([]int8{6, 6, 3}, []int8{1, 1, -1}, []int32{0, 0, 0, 2}, []int32{0, 1})
	perm := order.Of(p, order.MinDegree)
	s := factor.Analyze(p, perm)
	for _, x := range []struct {
		want string
		do   func()
	}{
		{"factor: no pattern", func() { factor.Choose(nil, order.Auto, 1) }},
		{"factor: no pattern", func() { factor.Analyze(nil, nil) }},
		{"factor: no pattern", func() { _, _ = factor.AnalyzeSpanContext(t.Context(), nil, order.Auto, 1) }},
		{"factor: no pattern", func() { _, _ = factor.AnalyzeRowSpanContext(t.Context(), nil, order.Auto, 1) }},
		{"order: no pattern", func() { order.Of(nil, order.MinDegree) }},
		{"order: not a permutation", func() { order.BeforeJoints(p, nil) }},
		{"order: not a permutation", func() { order.BeforeJoints(p, make([]int32, 3)) }},
		{"factor: number of held nodes out of range", func() { factor.AnalyzeHeld(p, perm, -1) }},
		{"factor: number of held nodes out of range", func() { factor.CountHeld(p, perm, 4) }},
		{"factor: negative length", func() { factor.NewMixing(-1) }},
		{"factor: node out of range", func() { s.LeafRows(-1) }},
		{"factor: node out of range", func() { s.LeafRows(3) }},
	} {
		require.PanicsWithValue(t, x.want, x.do)
	}
}
