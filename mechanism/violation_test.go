package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
)

// TestViolation: lengths count in the unit given, angles as they are.
func TestViolation(t *testing.T) {
	var v mechanism.Violation
	v.Note(false, -2e-3, 1e-3)
	v.Note(true, 4e-3, -5e-3)
	v.Note(false, 1e-3, -3e-3)
	require.Equal(t, mechanism.Violation{Length: 2e-3, Angle: 4e-3, Speed: 3e-3, Turn: 5e-3}, v)
	w := mechanism.Violation{Turn: 6e-3}
	v.Widen(&w)
	p, r := v.In(1)
	require.Equal(t, []float64{4e-3, 6e-3}, []float64{p, r})
	p, r = v.In(0.25)
	require.Equal(t, []float64{8e-3, 12e-3}, []float64{p, r})
}
