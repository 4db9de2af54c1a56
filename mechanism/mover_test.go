package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
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
	composites := map[string]*model.Model{}
	names := check.GoldenModels(t)
	for seed := range uint64(6) {
		m := modeltest.Composites(seed, 5, 0)
		composites[m.Name] = m
		names = append(names, m.Name)
	}
	rolling := modeltest.Rolling(1)
	composites[rolling.Name] = rolling
	beads, cams := modeltest.Beads(1), modeltest.Cams(1)
	composites[beads.Name], composites[cams.Name] = beads, cams
	names = append(names, rolling.Name, beads.Name, cams.Name)
	for _, name := range names {
		m := composites[name]
		if m == nil {
			var err error
			m, err = model.ReadFile(check.ModelPath(t, name))
			require.NoError(t, err)
		}
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		mech, st := p.Mechanism(), p.Initial()
		if mech.NumBodies() > 60 || name == "random-10-far" {
			continue
		}
		v := mechanism.NewMover(mech)
		driven := false
		for j := range mech.Joints {
			driven = driven || mech.Joints[j].Motion != nil
			kinds[mech.Joints[j].Kind.Type()] = true
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
		require.NoError(t, v.MoveTo(to, st, d, step))
		for i := range st.Bodies {
			travel, phi := mech.Displacement(i, st, to)
			want, turn := spatial.Vec3(d[6*i+3:6*i+6]), spatial.Vec3(d[6*i:6*i+3])
			assert.InDelta(t, 0, travel.Scale(1/step).Sub(want).Norm(), stepTol*(1+want.Norm()), "%s: body %d", name, i)
			assert.InDelta(t, 0, phi.Scale(1/step).Sub(turn).Norm(), stepTol*(1+turn.Norm()), "%s: body %d", name, i)
		}
		if !v.Loops() {
			require.NoError(t, v.MoveTo(to, st, d, 0.3))
			assert.LessOrEqual(t, v.Gap(to), closedTol, name)
		}
	}
	for k, seen := range kinds {
		assert.True(t, seen || joints.Kind(k) == joints.Free, "no joint of type %v", joints.Kind(k))
	}
}
