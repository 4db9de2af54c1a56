package derive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestForcesThatComeLater: forces that inputs set count, whenever they are first set. Forces on universal joints were once ignored if set
// after New, and forces on all joints if set after the first derivatives.
func TestForcesThatComeLater(t *testing.T) {
	const tol = 1e-12 // relative to the largest derivative: rounding
	m, err := model.ReadFile("../reference/derivatives/type-universal.model.json")
	require.NoError(t, err)
	for j := range m.Joints { // so that no force acts at first
		x := &m.Joints[j]
		x.Force, x.Stiffness, x.Damping, x.Rest = nil, nil, nil, nil
	}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	in := mech.NewInputs()
	gradient := func(d *derive.Derivatives) []float64 {
		require.NoError(t, d.At(plan.Initial()))
		rng := check.Rand(1)
		w, g := d.NewWeights(), d.NewGradient()
		for i := range mech.NumBodies() {
			w.Body(i).ComAcceleration = spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		}
		require.NoError(t, d.AdjointTo(g, w, derive.Options{Follow: true}))
		x := make([]float64, 12*mech.NumBodies())
		g.TakeMotion(x)
		return x
	}
	early, used := derive.New(plan.With(in), m), derive.New(plan.With(in), m)
	without := gradient(used)
	for j := range mech.Joints {
		for i := range mech.Joints[j].Kind.Freedoms() {
			require.NoError(t, in.SetForce(j, i, 10+float64(i+j)))
		}
	}
	want, most := gradient(derive.New(plan.With(in), m)), 0.0
	for _, x := range want {
		most = max(most, x, -x)
	}
	require.NotEqual(t, without, want)
	require.InDeltaSlice(t, want, gradient(early), tol*most)
	require.InDeltaSlice(t, want, gradient(used), tol*most)
}
