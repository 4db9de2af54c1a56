package motion_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/spatial"
)

// TestBalanceReadsInputs changes inputs after a Balance has been created. Its steps are, to the bit, the steps of a Balance created with the
// changed inputs, as inputs are read at each computation.
func TestBalanceReadsInputs(t *testing.T) {
	m := generate(t, "road-train", 1, 1)
	at := func(name string) int {
		return slices.IndexFunc(m.Joints, func(j model.Joint) bool { return j.Name == name })
	}
	sprung, driven, free := at("traill0"), at("turn0"), at("spin_fl0")
	p := newPlan(t, m, order.Auto)
	for name, change := range map[string]func(in *mechanism.Inputs) error{
		"gravity":   func(in *mechanism.Inputs) error { return in.SetGravity(spatial.Vec3{0, 1, -5}) },
		"force":     func(in *mechanism.Inputs) error { return in.SetForce(free, 0, 3) },
		"stiffness": func(in *mechanism.Inputs) error { return in.SetStiffness(sprung, 0, 100) },
		"damping":   func(in *mechanism.Inputs) error { return in.SetDamping(sprung, 0, 50) },
		"rest":      func(in *mechanism.Inputs) error { return in.SetRest(sprung, 0, 0.01) },
		"motion": func(in *mechanism.Inputs) error {
			return in.SetMotion(driven, 0, joints.NewPolynomial([]float64{0, 0, 1}))
		},
		"no spring": func(in *mechanism.Inputs) error { return in.SetStiffness(sprung, 0, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			in := p.Mechanism().NewInputs()
			b := newBalance(t, p.With(in))
			step := func(b *motion.Balance) *mechanism.State {
				st := p.Initial()
				_, err := b.Try(p.Initial(), 0.02)
				require.NoError(t, err)
				b.AtTo(st, 1)
				return st
			}
			before := step(b)
			require.NoError(t, change(in))
			want := step(newBalance(t, p.With(in)))
			require.NotEqual(t, before.Bodies, want.Bodies)
			require.Equal(t, want.Bodies, step(b).Bodies)
			in.Reset()
			require.Equal(t, before.Bodies, step(b).Bodies, "as before")
		})
	}
}

// TestBalanceSpringOfInputs: a spring that inputs have taken away when a Balance is made acts once they have brought it back.
func TestBalanceSpringOfInputs(t *testing.T) {
	m := generate(t, "road-train", 1, 1)
	sprung := slices.IndexFunc(m.Joints, func(j model.Joint) bool { return j.Name == "traill0" })
	p := newPlan(t, m, order.Auto)
	in := p.Mechanism().NewInputs()
	require.NoError(t, in.SetStiffness(sprung, 0, 0))
	require.NoError(t, in.SetDamping(sprung, 0, 0))
	b := newBalance(t, p.With(in))
	in.Reset()
	got, want := p.Initial(), p.Initial()
	for st, b := range map[*mechanism.State]*motion.Balance{got: b, want: newBalance(t, p)} {
		_, err := b.Try(p.Initial(), 0.02)
		require.NoError(t, err)
		b.AtTo(st, 1)
	}
	require.Equal(t, want.Bodies, got.Bodies)
}
