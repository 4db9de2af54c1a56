package factor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/sparse"
)

func TestAssertions(t *testing.T) {
	m := sparse.NewMatrix(sparse.NewPattern([]int8{2, 1}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0}))
	short := &sparse.Matrix{Pattern: m.Pattern, Dia: m.Dia, Val: m.Val[:1]}
	good := []float64{-1, -1, 0} // scales of +1 rows are not used
	v := make([]float64, 6)
	for _, c := range []struct {
		text string // empty if all is well
		call func()
	}{
		{"", func() { assertInput(m, good, 1, WhereWeak) }},
		{"", func() { assertInput(m, []float64{0, 0, math.NaN()}, 1e-12, Everywhere) }},
		{"factor: matrix does not fit its pattern", func() { assertInput(short, good, 1, WhereWeak) }},
		{"factor: eps out of range", func() { assertInput(m, good, 0, WhereWeak) }},
		{"factor: eps out of range", func() { assertInput(m, good, 1.1, WhereWeak) }},
		{"factor: eps out of range", func() { assertInput(m, good, math.NaN(), WhereWeak) }},
		{"factor: unknown policy", func() { assertInput(m, good, 1, Everywhere+1) }},
		{"factor: negative scale", func() { assertInput(m, []float64{0, 0, -1}, 1, Everywhere) }},
		{"", func() { assertDisjoint(v[:2:2], v[2:4:4], v[4:], nil, nil) }},
		{"factor: vectors overlap", func() { assertDisjoint(v, good, v) }},
		{"factor: vectors overlap", func() { assertDisjoint(v, v[3:]) }},
	} {
		if c.text == "" {
			require.NotPanics(t, c.call)
		} else {
			require.PanicsWithValue(t, c.text, c.call)
		}
	}
}

// The build tag turns the assertions on; the default build has none.
func TestChecksFollowTheTag(t *testing.T) {
	m := sparse.NewMatrix(sparse.NewPattern([]int8{1, 1}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0}))
	m.Dia[0], m.Val[0] = 2, 1
	f := Analyze(m.Pattern, []int32{0, 1}).NewFactor()
	call := func() { _ = f.Factorize(m, []float64{0, 1}, 2, Everywhere) }
	if checks {
		require.PanicsWithValue(t, "factor: eps out of range", call)
	} else {
		require.NotPanics(t, call)
	}
}
