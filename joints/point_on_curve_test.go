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

// Two circles touch from outside and from inside: on the line of the centres, with both curvatures about the normal of the first, and the rates of the
// places are those of gears. Beside a gap its rate is that of the distance of the centres.
func TestCirclesTouch(t *testing.T) {
	const R, r = 2.0, 0.5
	for _, c := range []struct {
		name  string
		axis  spatial.Vec3 // of the smaller circle
		at    float64      // of its centre
		bends [2]float64
		side  float64
	}{
		{"outside", spatial.Vec3{0, 0, 1}, R + r, [2]float64{1 / R, -1 / r}, 1},
		{"inside", spatial.Vec3{0, 0, 1}, R - r, [2]float64{1 / R, 1 / r}, -1},
		{"the other way round", spatial.Vec3{0, 0, -1}, R + r, [2]float64{1 / R, -1 / r}, 1},
		{"a gap", spatial.Vec3{0, 0, 1}, R + r + 0.1, [2]float64{1 / R, -1 / r}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := touching(&curves.Curve{Kind: curves.Circle, Radius: R}, &curves.Curve{Kind: curves.Circle, Axis: c.axis, Radius: r})
			require.NoError(t, s.Check())
			require.Equal(t, 3, s.NumNear())
			f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: spatial.Vec3{0, c.at, 0.3}}
			var at joints.Touch
			s.TouchTo(&at, f)
			require.True(t, at.Holds)
			require.InDelta(t, math.Pi/2, at.U, roundTol)
			require.InDeltaSlice(t, c.bends[:], at.Curvatures[:], roundTol)
			require.Equal(t, c.side, at.Side)
			near := r
			if c.name != "inside" {
				near = -r
			}
			require.InDelta(t, 0, at.Point.Sub(spatial.Vec3{0, near}).Norm(), roundTol)
			require.InDelta(t, 0, at.Normal.Sub(spatial.Vec3{0, -1}).Norm(), roundTol, "to the left of the direction of u")
			gap := 0.0
			if c.name == "a gap" {
				gap = -0.1 // against the normal
			}
			require.InDelta(t, gap, at.Gap, roundTol)
			f.V, f.OmegaS = spatial.Vec3{-c.at * 3, 0.7, 9}, spatial.Vec3{0, 0, 8}
			var rate, q [6]float64
			require.NoError(t, s.VelocityErrorTo(&rate, f, 0))
			require.InDelta(t, -0.7, rate[0], roundTol)
			s.NearRatesTo(&q, f)
			require.InDelta(t, 3, q[0], roundTol, "the line of the centres turns")
			w := -5.0 // turns of the line as seen from S
			if c.axis[2] < 0 {
				w = 5
			}
			require.InDelta(t, w, q[1], roundTol)
			f.Near = []float64{7, at.W + 0.1, at.Side}
			s.NearTo(&q, f)
			require.InDelta(t, math.Pi/2+2*math.Pi, q[0], roundTol, "laps")
			require.Equal(t, at.Side, q[2])
			require.Zero(t, testing.AllocsPerRun(10, func() { s.TouchTo(&at, f) }))
			f.Near = nil
			require.Zero(t, testing.AllocsPerRun(1, func() { s.TouchTo(&at, f) }))
		})
	}
}

// Where both curvatures are equal, and on the side that a state does not carry, curves do not touch; a state of another pose is searched anew.
func TestCurvesDoNotTouch(t *testing.T) {
	line := &curves.Curve{Ends: [2]spatial.Vec3{{-3}, {3}}}
	circle := &curves.Curve{Kind: curves.Circle, Radius: 1}
	f := func(x, y float64, near ...float64) *joints.Frames {
		return &joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: spatial.Vec3{x, y, 0}, V: spatial.Vec3{1, 2, 3}, Near: near}
	}
	lines := touching(line, line)
	require.ErrorIs(t, lines.EvalTo(new(joints.Rows), f(0, 0), 0), joints.ErrTouch)
	require.ErrorIs(t, lines.NoRows(), joints.ErrTouch)
	var e, q [6]float64
	var S [6]spatial.Motion
	var B [36]float64
	lines.PositionErrorTo(&e, f(0, 0), 0)
	lines.NearTo(&q, f(0, 0))
	lines.NearRatesTo(&q, f(0, 0))
	require.Zero(t, q)
	require.Equal(t, 5, lines.MotionSubspaceTo(&S, f(0, 0)))
	lines.BendTo(&B, &spatial.Force{4: 1}, f(0, 0))
	require.Zero(t, B)
	for radius, fine := range map[float64]bool{1 + 1e-4: true, 1 + 1e-7: false} { // a ring that is as good as the hole
		ring := touching(&curves.Curve{Kind: curves.Circle, Radius: radius}, circle)
		at := f(0, radius-1, math.Pi/2, math.Pi/2, 0)
		if err := ring.EvalTo(new(joints.Rows), at, 0); fine {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, joints.ErrTouch)
		}
	}
	on := touching(line, circle)
	require.NoError(t, on.EvalTo(new(joints.Rows), f(0.5, 1), 0))
	require.NoError(t, on.EvalTo(new(joints.Rows), f(0.5, 1, 3.5, -1.5, -1), 0))
	require.ErrorIs(t, on.EvalTo(new(joints.Rows), f(0.5, 1, 3.5, -1.5, 1), 0), joints.ErrTouch, "the other side")
	on.NearTo(&q, f(0.5, 1, 0.2, 1, -1))
	require.InDelta(t, 3.5, q[0], roundTol, "far away")
	require.InDelta(t, -math.Pi/2, q[1]-2*math.Pi*math.Round(q[1]/(2*math.Pi)), roundTol)
	require.PanicsWithValue(t, "joints: unknown kind", func() {
		(&joints.Spec{Kind: joints.CurveOnCurve}).NumRows()
		(&joints.Spec{Kind: joints.CurveOnCurve}).PositionErrorTo(&e, f(0, 0), 0)
	})
}

// The normals of a curve are of length 1 and across it and each other, whichever way it runs.
func TestNormals(t *testing.T) {
	for _, d := range []spatial.Vec3{{1}, {0, 1}, {0, 0, 1}, {0, 0, -1}, {1, 0, 1e-3}, {0.3, 0.1, 1}, {0.45, 0, 0.9}, {0.5, 0, 0.8}, {1, 0, 0.01}} {
		s := onCurve(false, &curves.Curve{Ends: [2]spatial.Vec3{d.Neg(), d}})
		f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), V: spatial.Vec3{1, 2, 3}}
		rows := eval(t, &s, f, 0)
		n, m, u := rows.T[0].Linear(), rows.T[1].Linear(), d.Scale(1/d.Norm())
		require.InDeltaSlice(t, []float64{1, 1, 0, 0, 0}, []float64{n.Norm(), m.Norm(), n.Dot(m), n.Dot(u), m.Dot(u)}, roundTol, "%v", d)
	}
}

// Searches for where curves touch go to the place beside which they begin, and do not jump over whole turns.
func TestTouchIsFoundNearby(t *testing.T) {
	s := touching(&curves.Curve{Kind: curves.Circle, Radius: 2}, &curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{0.1}, Radius: 0.5})
	oval := touching(oval, &curves.Curve{Kind: curves.Circle, Radius: 0.5})
	for _, c := range []struct {
		spec *joints.Spec
		at   spatial.Vec3
		u    float64
	}{{&s, spatial.Vec3{-0.1, 2.5, 0}, math.Pi / 2}, {&oval, spatial.Vec3{2.6, 0, 0}, 0}} {
		f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: c.at}
		var whole, q [6]float64
		c.spec.NearTo(&whole, f)
		require.InDelta(t, c.u, whole[0]-2*math.Pi*math.Round((whole[0]-c.u)/(2*math.Pi)), 1e-9)
		for _, off := range [][2]float64{{0.3, -0.3}, {-0.3, 0.3}, {0.5, 0.5}, {0, 0.9}, {0.9, 0}, {1.2, 0.2}, {-1.2, 0.4}} {
			f.Near = []float64{whole[0] + off[0], whole[1] + off[1], whole[2]}
			c.spec.NearTo(&q, f)
			require.InDeltaSlice(t, whole[:], q[:], 1e-9, "from %v", off)
		}
		f.Near = nil
	}
}
