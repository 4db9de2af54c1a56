package mechanism_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestSetFriction: with another friction, a freedom has the forces of a mechanism that is built with it, to the bit; so it
// has after Values have gone to other inputs, and Reset restores the values of the model.
func TestSetFriction(t *testing.T) {
	hold := contact.Hold{Travel: 0.01, Damping: 0.1}
	for name, c := range map[string]struct {
		kind     model.JointType
		was, now model.Friction
	}{
		"constant":   {model.Revolute, model.Friction{Force: 3}, model.Friction{Force: 5, Speed: 0.2}},
		"defaults":   {model.Prismatic, model.Friction{Force: 3, Speed: 1}, model.Friction{Force: 4}},
		"Stribeck":   {model.Prismatic, model.Friction{Force: 3}, model.Friction{Force: 3, Static: 1.5, Stribeck: 0.3}},
		"bearing":    {model.Revolute, model.Friction{Coefficient: 0.1, Radius: 0.02}, model.Friction{Coefficient: 0.3, Radius: 0.05}},
		"ball":       {model.Spherical, model.Friction{Coefficient: 0.1, Radius: 0.02}, model.Friction{Coefficient: 0.2, Radius: 0.03, Speed: 0.5}},
		"bristles":   {model.Revolute, model.Friction{Force: 3, Hold: hold}, model.Friction{Force: 7, Static: 1.2, Stribeck: 0.1, Hold: hold}},
		"less to it": {model.Revolute, model.Friction{Force: 3, Static: 2, Stribeck: 0.1}, model.Friction{Force: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			was, now := resisted(t, c.kind, nil, c.was), resisted(t, c.kind, nil, c.now)
			internal := make([]float64, was.NumInternal())
			for i := range internal {
				internal[i] = 0.004
			}
			look := func(m *mechanism.Mechanism) any {
				list, w := at(t, m, 0.3, spatial.Vec3{0.1, -0.2, 0.7}, internal)
				return []any{list, w}
			}
			want, before := look(now), look(was)
			require.NotEqual(t, want, before)
			in := was.NewInputs()
			require.NoError(t, in.SetFriction(0, 0, c.now))
			require.Equal(t, want, look(in.Mechanism()))
			require.Equal(t, before, look(was), "the mechanism stays as it is")
			got, ok := in.Mechanism().Friction(0, 0)
			require.True(t, ok)
			fresh, _ := now.Friction(0, 0)
			require.Equal(t, fresh, got)
			require.NoError(t, in.SetFriction(0, 0, got), "what it has is what it may have")
			require.Equal(t, want, look(in.Mechanism().NewInputs().Mechanism()), "inputs of inputs")

			other := was.NewInputs()
			require.NoError(t, other.CheckValues(in.Values()))
			other.SetValues(in.Values())
			require.Equal(t, want, look(other.Mechanism()))
			in.Reset()
			require.Equal(t, before, look(in.Mechanism()))
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = in.SetFriction(0, 0, c.now) }))
			none := c.now
			none.Force, none.Coefficient = 0, 0
			require.NoError(t, in.SetFriction(0, 0, none))
			_, w := at(t, in.Mechanism(), 0.3, spatial.Vec3{0.1, -0.2, 0.7}, internal)
			require.Equal(t, 0.0, math.Abs(w[0])+math.Abs(w[1])+math.Abs(w[2])+math.Abs(w[5]))
		})
	}
}

// TestSetFrictionRefused: what is no friction of the kind of the model is refused, and nothing changes.
func TestSetFrictionRefused(t *testing.T) {
	constant := resisted(t, model.Revolute, &model.Limit{Lower: -1, Upper: 1, Stop: model.Stop{Normal: contact.Normal{Stiffness: 100, Exponent: 1}}}, model.Friction{Force: 3})
	bearing := resisted(t, model.Revolute, nil, model.Friction{Coefficient: 0.1, Radius: 0.02})
	free := resisted(t, model.Revolute, &model.Limit{Lower: -1, Upper: 1, Stop: model.Stop{Normal: contact.Normal{Stiffness: 100, Exponent: 1}}}, model.Friction{})
	for _, c := range []struct {
		m    *mechanism.Mechanism
		i    int
		f    model.Friction
		says string
	}{
		{constant, 0, model.Friction{Force: -1}, "force -1 is negative or not finite"},
		{constant, 0, model.Friction{Force: math.NaN()}, "force NaN is negative or not finite"},
		{constant, 0, model.Friction{Force: 1, Speed: math.Inf(1)}, "speed +Inf is negative"},
		{constant, 0, model.Friction{Coefficient: 0.1, Radius: 0.1}, "is not of a constant friction"},
		{constant, 0, model.Friction{Force: 1, Static: 0.5}, "static 0.5 is below 1"},
		{constant, 0, model.Friction{Force: 1, Static: 2}, "stribeck 0 with static 2"},
		{constant, 0, model.Friction{Force: 1, Hold: contact.Hold{Travel: 1}}, "hold {1 0} is not that of the model"},
		{constant, 1, model.Friction{Force: 1}, "freedom 1 has no friction in the model"},
		{bearing, 0, model.Friction{Force: 1, Radius: 1}, "is not of a friction that grows with the reaction"},
		{bearing, 0, model.Friction{Coefficient: 1}, "radius 0 is not of a friction that grows"},
		{free, 0, model.Friction{Force: 1}, "freedom 0 has no friction in the model"},
	} {
		in := c.m.NewInputs()
		before := in.Values()
		err := in.SetFriction(0, c.i, c.f)
		require.ErrorIs(t, err, mechanism.ErrInput)
		require.ErrorContains(t, err, `joint "joint"`)
		require.ErrorContains(t, err, c.says)
		require.Equal(t, before, in.Values())
	}
	in := constant.NewInputs()
	values := in.Values()
	for k, says := range map[int]string{3: "force -1", 6: "speed -1", 7: "static -1"} {
		bad := append([]float64(nil), values...)
		bad[k] = -1
		require.ErrorContains(t, in.CheckValues(bad), says)
		bad[k] = 0
		require.Equal(t, k == 3, in.CheckValues(bad) == nil, "a speed is never zero, nor what is static")
	}
	require.PanicsWithValue(t, "mechanism: joint out of range", func() { _ = in.SetFriction(7, 0, model.Friction{}) })
}
