package rung_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
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
	rung.SetState(m, p.Mechanism(), st)
	got := newPlan(t, m, order.Auto).Initial()
	for i := range st.Bodies {
		require.Equal(t, st.Bodies[i].Position, got.Bodies[i].Position)
		require.Equal(t, st.Bodies[i].Velocity, got.Bodies[i].Velocity)
		require.Equal(t, st.Bodies[i].Omega, got.Bodies[i].Omega)
		check.CloseVec(t, got.Bodies[i].Rotation[:], st.Bodies[i].Rotation[:], 1e-15, 1, "rotation")
	}
	require.PanicsWithValue(t, "rung: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { rung.SetState(m, p.Mechanism(), &mechanism.State{}) })
	m.Joints = m.Joints[1:]
	require.PanicsWithValue(t, "rung: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { rung.SetState(m, p.Mechanism(), st) })
}

// TestSetStateWinds: a model that is written in a state has the turns of the angles that the state carries, with a spring or without.
func TestSetStateWinds(t *testing.T) {
	for name, stiffness := range map[string][]float64{"spring": {0.5}, "none": nil} {
		m := model.New("drum")
		m.Bodies = []model.Body{{Name: "drum", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
		m.Joints = []model.Joint{{Name: "hinge", Type: joints.Revolute, Predecessor: model.World, Successor: "drum", Stiffness: stiffness}}
		mech := newPlan(t, m, order.Auto).Mechanism()
		st := mech.Initial()
		const turned = 20
		st.Bodies[0].Rotation = spatial.Exp(spatial.Vec3{2: turned})
		st.Angles = []float64{turned}
		rung.SetState(m, mech, st)
		require.Equal(t, []int64{3}, m.Joints[0].Turns, name)
		again := newPlan(t, m, order.Auto)
		q, _ := again.Mechanism().Coordinate(mechanism.Freedom{}, again.Initial())
		require.InDelta(t, turned, q, 1e-12, name)
	}
}
