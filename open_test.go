package rung_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// TestSetState takes a state through a model file's structs.
func TestSetState(t *testing.T) {
	m := golden(t, "random-10")
	p := newPlan(t, m, order.Auto)
	st := p.Initial()
	rng := check.Rand(4)
	random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	for i := range st.Bodies {
		b := &st.Bodies[i]
		b.Position, b.Rotation = b.Position.Add(random()), b.Rotation.Integrate(random(), 0.1)
	}
	rung.SetState(m, st)
	got := newPlan(t, m, order.Auto).Initial()
	for i := range st.Bodies {
		require.Equal(t, st.Bodies[i].Position, got.Bodies[i].Position)
		require.Equal(t, st.Bodies[i].Velocity, got.Bodies[i].Velocity)
		require.Equal(t, st.Bodies[i].Omega, got.Bodies[i].Omega)
		check.CloseVec(t, got.Bodies[i].Rotation[:], st.Bodies[i].Rotation[:], 1e-15, 1, "rotation")
	}
	require.PanicsWithValue(t, "rung: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { rung.SetState(m, &mechanism.State{}) })
}
