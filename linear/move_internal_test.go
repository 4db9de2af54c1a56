package linear

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestMoveOnTree moves the reference models along their velocities: to first order that is the
// displacement, and joints of a tree stay closed however far.
func TestMoveOnTree(t *testing.T) {
	const (
		closedTol = 1e-12
		step      = 1e-6
		stepTol   = 1e-4 // its first order error for rates of order 10
	)
	var kinds [joints.NumKinds]bool
	for _, name := range check.GoldenModels(t) {
		m, err := model.ReadFile(check.ModelPath(t, name))
		require.NoError(t, err)
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		mech, st := p.Mechanism(), p.Initial()
		if mech.NumBodies() > 60 || name == "random-10-far" {
			continue
		}
		v := newMover(mech)
		require.Len(t, v.links, mech.NumBodies(), name)
		driven := false
		for j := range mech.Joints {
			driven = driven || mech.Joints[j].Motion != nil
			kinds[mech.Joints[j].Kind] = true
		}
		d := make([]float64, 6*mech.NumBodies())
		for i := range st.Bodies {
			b := &st.Bodies[i]
			c := b.Velocity.Add(b.Omega.Cross(b.Rotation.Rotate(mech.Bodies[i].Com)))
			copy(d[6*i:], b.Omega[:])
			copy(d[6*i+3:], c[:])
		}
		if driven {
			continue // prescribed freedoms are held
		}
		to := st.Clone()
		require.NoError(t, v.moveTo(to, st, d, step))
		for i := range st.Bodies {
			travel, phi := mech.Displacement(i, st, to)
			want, turn := spatial.Vec3(d[6*i+3:6*i+6]), spatial.Vec3(d[6*i:6*i+3])
			assert.InDelta(t, 0, travel.Scale(1/step).Sub(want).Norm(), stepTol*(1+want.Norm()), "%s: body %d", name, i)
			assert.InDelta(t, 0, phi.Scale(1/step).Sub(turn).Norm(), stepTol*(1+turn.Norm()), "%s: body %d", name, i)
		}
		if !v.loops {
			require.NoError(t, v.moveTo(to, st, d, 0.3))
			assert.LessOrEqual(t, v.gap(to), closedTol, name)
		}
	}
	for k, seen := range kinds {
		assert.True(t, seen || joints.Kind(k) == joints.Free, "no joint of type %v", joints.Kind(k))
	}
}

// TestClampBlock takes the negative part from random symmetric blocks.
func TestClampBlock(t *testing.T) {
	rng := check.Rand(2)
	for range 20 {
		var A [36]float64
		for r := range 6 {
			for c := range r + 1 {
				A[6*r+c] = rng.NormFloat64()
				A[6*c+r] = A[6*r+c]
			}
		}
		root := [6]float64{1, 2, 3, 1, 0.5, 1}
		clamped := A
		require.NoError(t, clampBlock(&clamped, &root, 0))
		for range 5 {
			q, before := 0.0, 0.0
			var x [6]float64
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			for r := range 6 {
				for c := range 6 {
					q += x[r] * clamped[6*r+c] * x[c]
					before += x[r] * A[6*r+c] * x[c]
				}
			}
			assert.GreaterOrEqual(t, q, max(before, 0)-1e-12)
		}
	}
}
