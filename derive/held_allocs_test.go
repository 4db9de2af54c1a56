package derive_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
)

// TestHeldAllocatesNothing: residuals of Hold allocate nothing.
func TestHeldAllocatesNothing(t *testing.T) {
	d, st := open(t, referenceDir+"/four-bar.model.json")
	n := 6*len(st.Bodies) + d.NumRows()
	u, lambda, r, dx := make([]float64, 6*len(st.Bodies)), make([]float64, d.NumRows()), make([]float64, n), make([]float64, n)
	in, g := d.NewDirections(1), d.NewGradient()
	in.Body(0, 0).Rotation[2] = 1
	for _, kind := range []derive.HeldKind{derive.HeldDynamics, derive.HeldRates} {
		step := func() {
			require.NoError(t, d.Hold(st, u, lambda, kind))
			require.NoError(t, d.ResidualTo(r, in, dx))
			require.NoError(t, d.ResidualBack(g, dx, r))
		}
		step()
		assert.Zero(t, testing.AllocsPerRun(10, step), "kind %d", kind)
	}
}

// TestHeldMisuse: what the caller could know panics.
func TestHeldMisuse(t *testing.T) {
	d, st := open(t, referenceDir+"/four-bar.model.json")
	n := 6*len(st.Bodies) + d.NumRows()
	u, lambda, r := make([]float64, 6*len(st.Bodies)), make([]float64, d.NumRows()), make([]float64, n)
	in, g := d.NewDirections(1), d.NewGradient()
	require.PanicsWithValue(t, "derive: no state of Hold, or foreign directions", func() { _ = d.ResidualTo(r, in, nil) })
	require.PanicsWithValue(t, "derive: length mismatch", func() { _ = d.Hold(st, u, lambda[1:], derive.HeldRates) })
	require.NoError(t, d.Hold(st, u, lambda, derive.HeldRates))
	require.PanicsWithValue(t, "derive: no state of Hold, or foreign directions", func() { _ = d.ResidualTo(r[1:], in, nil) })
	require.PanicsWithValue(t, "derive: no state of Hold, or a foreign gradient", func() { _ = d.ResidualBack(g, r, r[1:]) })
	require.PanicsWithValue(t, "derive: no state; call At", func() { d.State() })
	require.NoError(t, d.At(st))
	require.PanicsWithValue(t, "derive: no state of Hold, or foreign directions", func() { _ = d.ResidualTo(r, in, nil) })
}
