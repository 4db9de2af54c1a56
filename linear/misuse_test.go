package linear_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/linear"
)

// TestMisuse: programming errors of the caller panic with a constant text.
func TestMisuse(t *testing.T) {
	var none context.Context
	p := random(t, 4, 1)
	s := linearized(t, p, resting(p))
	const zero = "linear: zero System; use NewSystem"
	for _, x := range []struct {
		want string
		do   func()
	}{
		{"linear: no mode", func() { s.EnergyPartsTo(make([]float64, 4), nil) }},
		{"linear: unknown method", func() { s.Price(linear.ModeOptions{Method: 9}) }},
		{"linear: negative number of modes", func() { s.Price(linear.ModeOptions{Count: -1}) }},
		{zero, func() { new(linear.System).Dim() }},
		{zero, func() { new(linear.System).Rows() }},
		{zero, func() { new(linear.System).Price(linear.ModeOptions{}) }},
		{"rung: nil context", func() { _, _ = linear.EquilibrateContext(none, p, p.Initial(), linear.EquilibriumOptions{}) }},
	} {
		require.PanicsWithValue(t, x.want, x.do)
	}
}
