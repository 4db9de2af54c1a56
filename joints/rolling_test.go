package joints_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

func TestSlips(t *testing.T) {
	for slip, want := range []struct {
		name           string
		rows, from, to int
	}{{"none", 3, 1, 3}, {"along", 2, 1, 2}, {"across", 2, 1, 2}, {"both", 1, 1, 1}} {
		s := joints.Slip(slip)
		k := joints.RollingKind(s)
		from, to := k.VelocityRows()
		assert.Equal(t, want.name, s.String())
		assert.True(t, s.Valid())
		assert.Equal(t, s, k.Slip())
		assert.Equal(t, joints.Rolling, k.Type())
		assert.True(t, k.Valid())
		assert.Equal(t, "rolling", k.String())
		assert.Equal(t, []int{want.rows, want.from, want.to}, []int{k.Constraints(), from, to})
	}
	require.Equal(t, joints.SlipNone, joints.Composite.Slip())
	require.Equal(t, joints.Composite, (joints.RollingKind(joints.SlipAlong) - 1).Type())
	require.Equal(t, joints.SlipNone, joints.PointOnCurveKind(true).Slip())
	require.Equal(t, joints.PointOnCurve, joints.PointOnCurveKind(true).Type())
	require.Equal(t, "point_on_curve", joints.PointOnCurveKind(true).String())
	require.Equal(t, joints.CurveOnCurve, joints.CurveOnCurveKind(true).Type())
	require.Equal(t, joints.CurveOnCurve, joints.CurveOnCurveKind(false))
	require.Equal(t, "curve_on_curve", joints.CurveOnCurveKind(true).String())
	require.False(t, (joints.CurveOnCurveKind(true) + 1).Valid())
	require.PanicsWithValue(t, "joints: unknown slip", func() { joints.RollingKind(4) })
	for k := range joints.NumKinds {
		from, to := k.VelocityRows()
		require.Equal(t, k.Constraints(), to)
		require.Equal(t, k != joints.Rolling && k != joints.NoSlip, from == to, "%v", k)
	}
}

// A wheel that stands upright: contact below the axle, heading and across by hand.
func TestUprightWheel(t *testing.T) {
	s := &joints.Spec{Kind: joints.Rolling, Radius: 0.5, Tyre: 0.1}
	y := spatial.FromAxisAngle(spatial.Vec3{1}, -math.Pi/2).Mat() // z of S is y of P
	f := &joints.Frames{EP: spatial.Identity3(), ES: y, R: spatial.Vec3{3, -2, 0.5}, V: spatial.Vec3{2, 0, 0}, OmegaS: spatial.Vec3{0, 4, 0.7}}
	var rows joints.Rows
	require.NoError(t, s.EvalTo(&rows, f, 0))
	want := [3]spatial.Force{{0, 0, 0, 0, 0, 1}, {0, -0.5, 0, 1, 0, 0}, {0.5, 0, 0, 0, 1, 0}}
	for k := range want {
		for i := range want[k] {
			assert.InDelta(t, want[k][i], rows.T[k][i], roundTol)
		}
	}
	var delta, rate [6]float64
	s.PositionErrorTo(&delta, f, 0)
	require.NoError(t, s.VelocityErrorTo(&rate, f, 0))
	for k := range 6 {
		assert.InDelta(t, 0, delta[k], roundTol)
		assert.InDelta(t, 0, rate[k], roundTol, "rolls")
	}
	// T˚·V̂ at a plane at rest is by how much a body that turns on at its rates leaves the row: with the acceleration (0, 2·0.7, 0) of
	// the centre, the acceleration of a point on a circle, and ω̇ = ω×axle·spin = (−0.7·4, 0, 0), everything holds.
	a := spatial.Motion{-0.7 * 4, 0, 0, 0, 2 * 0.7, 0}
	for k := range want {
		assert.InDelta(t, 0, a.Dot(&rows.T[k])+rows.TDot[k], roundTol, "row %d", k)
	}
}

// A wheel that lies flat has no rows, and says so; nothing is NaN. Its height is the height of its middle plane.
func TestFlatWheel(t *testing.T) {
	for _, lean := range []float64{0, 0.9e-6, math.Pi} {
		s := &joints.Spec{Kind: joints.Rolling, Radius: 0.5, Tyre: 0.1}
		f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.FromAxisAngle(spatial.Vec3{1}, lean).Mat(), R: spatial.Vec3{0, 0, 0.25}, OmegaS: spatial.Vec3{1, 2, 3}}
		require.ErrorIs(t, s.EvalTo(new(joints.Rows), f, 0), joints.ErrFlat)
		require.ErrorIs(t, s.NoRows(), joints.ErrFlat)
		var e [6]float64
		require.ErrorIs(t, s.VelocityErrorTo(&e, f, 0), joints.ErrFlat)
		s.PositionErrorTo(&e, f, 0)
		assert.InDelta(t, 0.15, e[0], 1e-6)
		var S [6]spatial.Motion
		require.Equal(t, 3, s.MotionSubspaceTo(&S, f))
		for i := range S {
			for _, x := range S[i] {
				require.False(t, math.IsNaN(x))
			}
		}
		ball := &joints.Spec{Kind: joints.Rolling, Radius: 0.25, Tyre: 0.25}
		require.NoError(t, ball.EvalTo(new(joints.Rows), f, 0), "a sphere has a lowest point however it lies")
	}
	s := &joints.Spec{Kind: joints.Rolling, Radius: 0.5}
	f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.FromAxisAngle(spatial.Vec3{1}, 1.1e-6).Mat()}
	require.NoError(t, s.EvalTo(new(joints.Rows), f, 0))
}
