package kkt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestWelded solves a mechanism that cannot move: accelerations are rounding
// relative to gravity, and no relative error of theirs is asked for.
func TestWelded(t *testing.T) {
	const tol = 1e-14 // of gravity
	for _, n := range []int{1, 2, 30} {
		b := rung.NewBuilder("welded")
		last := rung.World
		for i := range n {
			box, err := bodies.Box(1+float64(i), spatial.Vec3{1, 2, 0.5})
			require.NoError(t, err)
			place := rung.At(float64(i), 0.1, 0).WithZ(spatial.Vec3{1, float64(i), 2})
			next := b.Body(string(rune('a'+i)), box, place)
			b.Joint(string(rune('a'+i)), model.Fixed, last, next, place)
			last = next
		}
		b.Joint("end", model.Spherical, last, rung.World, rung.At(float64(n), 1, 0))
		m, err := b.Model()
		require.NoError(t, err)
		r, err := rung.Accelerate(m, kkt.Options{})
		require.NoError(t, err)
		require.Equal(t, 3, r.Constraints.Redundant)
		require.False(t, r.Constraints.NearSingular)
		for i := range r.Bodies {
			check.CloseVec(t, r.Bodies[i].ComAcceleration[:], make([]float64, 3), tol, float64(n)*9.81, "body %d", i)
			check.CloseVec(t, r.Bodies[i].AngularAcceleration[:], make([]float64, 3), tol, float64(n*n)*9.81, "body %d", i)
		}
	}
}
