package closing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// TestCloseAgain: closing with stiffened bodies leaves no trace. A closer that has done it gives the
// same bits as a new one, for poses and for velocities, and so does one that has to do it twice.
func TestCloseAgain(t *testing.T) {
	again := 0
	for seed := range uint64(20) {
		m, err := bench.Generate("random", 15, seed)
		require.NoError(t, err)
		for i := range m.Bodies {
			I := &m.Bodies[i].Inertia
			for _, x := range []*float64{&I.XX, &I.YY, &I.ZZ, &I.XY, &I.XZ, &I.YZ} {
				*x *= 1e-6
			}
		}
		p, err := newPlan(m, kkt.Options{})
		require.NoError(t, err)
		rng := check.Rand(seed)
		off := func(size float64) *mechanism.State {
			st := p.Initial()
			for i := range st.Bodies {
				b := &st.Bodies[i]
				for k := range 3 {
					b.Position[k] += size * rng.NormFloat64()
				}
				b.Rotation = b.Rotation.Integrate(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, size)
			}
			return st
		}
		far, near := off(0.05), off(1e-7)
		run := func(c *Closer, from *mechanism.State) *mechanism.State {
			st := from.Clone()
			require.NoError(t, c.ClosePositions(st), "seed %d", seed)
			require.NoError(t, c.ProjectVelocities(st), "seed %d", seed)
			return st
		}
		used, fresh := NewCloser(p, Options{}), NewCloser(p, Options{})
		want := run(fresh, near)
		require.Nil(t, fresh.stiff, "seed %d: near", seed)
		wantFar := run(used, far)
		if used.stiff != nil {
			again++
		}
		require.Equal(t, want, run(used, near), "seed %d", seed)
		require.Equal(t, wantFar, run(used, far), "seed %d", seed)
	}
	require.Greater(t, again, 5, "starts that need stiffened bodies")
}
