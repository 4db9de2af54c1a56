package factor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
)

// TestZeroValues: what has not been made says how it is made.
func TestZeroValues(t *testing.T) {
	const text = "factor: zero Factor; use Symbolic.NewFactor"
	require.PanicsWithValue(t, text, func() { _ = new(factor.Factor).Factorize(nil, nil, 1, factor.WhereWeak) })
	require.PanicsWithValue(t, text, func() { (*factor.Factor)(nil).SolveTo(nil, nil) })
	require.PanicsWithValue(t, text, func() { new(factor.Factor).SolveRefinedTo(nil, nil, nil, nil, 0) })
	require.PanicsWithValue(t, "factor: zero Symbolic; use Analyze", func() { new(factor.Symbolic).NewFactor() })
	require.PanicsWithValue(t, "factor: zero Symbolic; use Analyze", func() { (*factor.Symbolic)(nil).NewFactor() })
}
