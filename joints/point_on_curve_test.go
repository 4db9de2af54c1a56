package joints_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// A bead on a circle: forces along the radius and the axis, T˚·V̂ is the centripetal acceleration with its sign turned, and errors are how far
// the point is off along both.
func TestBeadOnACircle(t *testing.T) {
	const radius, rate = 2.0, 1.5
	s := onCurve(false, &curves.Curve{Kind: curves.Circle, Radius: radius})
	f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: spatial.Vec3{0, radius, 0}, V: spatial.Vec3{-radius * rate, 0, 0}}
	rows := eval(t, &s, f, 0)
	require.Equal(t, 2, rows.N)
	want := [2]spatial.Force{{3: 0, 4: -1}, {5: 1}} // z×t, t×n₀
	for k := range want {
		for i := range want[k] {
			require.InDelta(t, want[k][i], rows.T[k][i], roundTol)
		}
	}
	require.InDelta(t, -radius*rate*rate, rows.TDot[0], roundTol)
	require.InDelta(t, 0, rows.TDot[1], roundTol)
	f.R = spatial.Vec3{0, radius + 0.1, -0.2}
	var e, q [6]float64
	s.PositionErrorTo(&e, f, 0)
	require.InDeltaSlice(t, []float64{-0.1, -0.2, 0, 0, 0, 0}, e[:], roundTol)
	f.R, f.V = spatial.Vec3{0, radius, 0}, spatial.Vec3{-radius * rate, 0, 0}
	s.NearTo(&q, f)
	require.InDelta(t, math.Pi/2, q[0], roundTol)
	s.NearRatesTo(&q, f)
	require.InDelta(t, rate, q[0], roundTol)
	require.Equal(t, 1, s.NumNear())
	f.Near = []float64{8}
	s.NearTo(&q, f)
	require.InDelta(t, math.Pi/2+2*math.Pi, q[0], roundTol)
}

// At the centre of curvature, and where a curve has no tangent, a point has no foot: no rows, a name for the reason, and nothing that is not finite.
func TestNoFoot(t *testing.T) {
	circle := &curves.Curve{Kind: curves.Circle, Radius: 2}
	cusp := &curves.Curve{Kind: curves.Function, X: "u^2", Y: "u^3", Range: [2]float64{-1, 1}}
	upright := &curves.Curve{Ends: [2]spatial.Vec3{{0, 0, -1}, {0, 0, 1}}}
	for name, c := range map[string]struct {
		spec joints.Spec
		at   spatial.Vec3
		near float64
		fine bool
	}{
		"centre":        {onCurve(false, circle), spatial.Vec3{}, 1, false},
		"almost":        {onCurve(false, circle), spatial.Vec3{1.9e-6, 0, 0}, 0, false},
		"beside":        {onCurve(false, circle), spatial.Vec3{2.1e-6, 0, 0}, 0, true},
		"cusp":          {onCurve(false, cusp), spatial.Vec3{}, 0, false},
		"upright":       {onCurve(true, upright), spatial.Vec3{}, 0, false},
		"not so":        {onCurve(false, upright), spatial.Vec3{}, 0, true},
		"plane, centre": {onCurve(true, circle), spatial.Vec3{0, 0, 3}, 1, false},
	} {
		f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: c.at, V: spatial.Vec3{1, 2, 3}, Near: []float64{c.near}}
		err := c.spec.EvalTo(new(joints.Rows), f, 0)
		if c.fine {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, joints.ErrFoot, name)
		require.ErrorIs(t, c.spec.NoRows(), joints.ErrFoot)
		var S [6]spatial.Motion
		var e, q [6]float64
		require.Equal(t, c.spec.Kind.Dof(), c.spec.MotionSubspaceTo(&S, f))
		c.spec.PositionErrorTo(&e, f, 0)
		c.spec.NearRatesTo(&q, f)
		require.Zero(t, q[0])
		var B [36]float64
		c.spec.BendTo(&B, &spatial.Force{3: 1, 4: 2}, f)
		for i := range 6 {
			require.False(t, math.IsNaN(e[i]), name)
			for k := range 6 {
				require.False(t, math.IsNaN(S[i][k]), name)
			}
		}
	}
}
