package joints_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// still returns frames at rest with S at x in P, turned by E.
func still(E spatial.Mat3, x spatial.Vec3) *joints.Frames {
	EP := spatial.Exp(spatial.Vec3{0.3, 1.1, -0.7}).Mat()
	return &joints.Frames{EP: EP, ES: EP.Mul(E), R: EP.MulVec(x)}
}

func positionError(s *joints.Spec, f *joints.Frames, t float64) (e [6]float64) {
	s.PositionErrorTo(&e, f, t)
	return e
}

func TestBackToFrontAxisErrsByPi(t *testing.T) {
	first := map[joints.Kind]int{joints.Revolute: 3, joints.Helical: 2, joints.Cylindrical: 2, joints.Planar: 1}
	for kind, k := range first {
		s := &joints.Spec{Kind: kind, Pitch: 1}
		for _, c := range []float64{0, 0.4, 2.9} {
			// A half turn about an axis of the xy plane.
			s2, c2 := math.Sincos(c)
			f := still(spatial.FromAxisAngle(spatial.Vec3{c2, s2}, math.Pi).Mat(), spatial.Vec3{})
			e := positionError(s, f, 0)
			require.InDelta(t, math.Pi, math.Hypot(e[k], e[k+1]), roundTol, "%v", kind)
		}
		// The exact opposite, with nothing that tells a direction.
		f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Mat3{1, 0, 0, 0, -1, 0, 0, 0, -1}}
		e := positionError(s, f, 0)
		require.Equal(t, math.Pi, e[k], "%v", kind)
		require.Zero(t, e[k+1])
	}
}

func TestAxisErrorIsTheRotationVector(t *testing.T) {
	s := &joints.Spec{Kind: joints.Revolute}
	for _, a := range []float64{1e-200, 1e-9, 4.999e-5, 5.001e-5, 0.3, math.Pi / 2, 3, math.Pi - 1e-9} {
		sin, cos := math.Sincos(a)
		x, y := joints.AxisError(&spatial.Vec3{-0.8 * sin, -0.6 * sin, cos})
		require.InEpsilon(t, 0.6*a, x, roundTol)
		require.InEpsilon(t, -0.8*a, y, roundTol)
		v := spatial.Vec3{0.6 * a, -0.8 * a}
		E := spatial.Exp(v).Mat().Mul(axisTurn(2, 2)) // a turn about z_S changes nothing
		e := positionError(s, still(E, spatial.Vec3{}), 0)
		// The length is always sharp; the direction is read from the sine.
		dir := roundTol + a*1e-15/math.Sin(a)
		require.InDelta(t, a, math.Hypot(e[3], e[4]), roundTol)
		require.InDelta(t, v[0], e[3], dir)
		require.InDelta(t, v[1], e[4], dir)
	}
}

func TestWholeRotationError(t *testing.T) {
	for kind, k := range map[joints.Kind]int{joints.Fixed: 0, joints.Prismatic: 0} {
		s := &joints.Spec{Kind: kind}
		for _, a := range []float64{0, 1e-12, 4.999e-5, 5.001e-5, 1, 3, math.Pi - 1e-4, math.Pi - 1e-7, math.Pi} {
			v := spatial.Vec3{2, -1, 2}.Scale(a / 3)
			e := positionError(s, still(spatial.Exp(v).Mat(), spatial.Vec3{}), 0)
			got := spatial.Vec3{e[k], e[k+1], e[k+2]}
			if a == math.Pi && got.Dot(v) < 0 {
				got = got.Neg() // both signs are right
			}
			for i := range v {
				require.InDelta(t, v[i], got[i], roundTol, "%v %v", kind, a)
			}
		}
	}
}

func TestUniversalErrorIsTheAngle(t *testing.T) {
	s := &joints.Spec{Kind: joints.Universal}
	for _, a := range []float64{-math.Pi / 2, -1, -1e-9, 0, 0.5, math.Pi / 2} {
		// S's y axis leans by a towards P's x axis.
		E := axisTurn(0, 0.7).Mul(axisTurn(2, -a)).Mul(axisTurn(1, 0.3))
		require.InDelta(t, a, positionError(s, still(E, spatial.Vec3{}), 0)[3], roundTol)
	}
}

func TestCoordinatesAtAnyPoseAreNumbers(t *testing.T) {
	poses := []spatial.Mat3{
		spatial.Identity3(),
		{1, 0, 0, 0, -1, 0, 0, 0, -1},
		{-1, 0, 0, 0, 1, 0, 0, 0, -1},
		{0, 1, 0, 1, 0, 0, 0, 0, -1},
		{0, -1, 0, 1, 0, 0, 0, 0, 1}, // y_S along −x_P
		{0, 0, 1, 1, 0, 0, 0, 1, 0},
	}
	for _, s := range specs {
		for _, E := range poses {
			f := &joints.Frames{EP: spatial.Identity3(), ES: E}
			var q, qd [6]float64
			s.CoordinatesTo(&q, &qd, f)
			for i := range q {
				require.False(t, math.IsNaN(q[i]) || math.IsNaN(qd[i]), "%v", s.Kind)
			}
		}
	}
}

func TestHalfTurnIsPlusPi(t *testing.T) {
	s := &joints.Spec{Kind: joints.Revolute}
	var q, qd [6]float64
	f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Mat3{-1, 0, 0, -1e-20, -1, 0, 0, 0, 1}}
	s.CoordinatesTo(&q, &qd, f)
	require.Equal(t, math.Pi, q[0])
}

// TestAngleOfATiltedPose tilts S about an axis across z after the turn.
func TestAngleOfATiltedPose(t *testing.T) {
	tilt := spatial.Exp(spatial.Vec3{0.9, -0.5, 0}).Mat()
	for _, s := range specs {
		if s.Kind == joints.Universal || s.Axes != nil || s.Kind.Freedoms() != s.Kind.Dof() || !s.Kind.Scalar(0) || !s.Kind.Rotational(0) {
			continue
		}
		for _, theta := range []float64{-3, -1, 0, 0.4, 2.5} {
			var q, qd [6]float64
			s.CoordinatesTo(&q, &qd, still(tilt.Mul(axisTurn(2, theta)), spatial.Vec3{0, 0, s.Pitch * theta}))
			require.InDelta(t, theta, q[0], roundTol, "%v", s.Kind)
		}
	}
}

func TestTurns(t *testing.T) {
	s := &joints.Spec{Kind: joints.Planar, Turns: &[6]int64{-3, 5, 5}}
	var q, qd [6]float64
	s.CoordinatesTo(&q, &qd, still(axisTurn(2, 1), spatial.Vec3{0.1, 0.2}))
	require.InDelta(t, 1-6*math.Pi, q[0], roundTol)
	require.InDelta(t, 0.1, q[1], roundTol, "turns count angles only")
	require.InDelta(t, 0.2, q[2], roundTol)

	s = &joints.Spec{Kind: joints.Spherical, Turns: &[6]int64{1, 1, 1}}
	s.CoordinatesTo(&q, &qd, still(axisTurn(2, 1), spatial.Vec3{}))
	require.Zero(t, q)
}

func TestHelicalTakesTheTurnOfItsPosition(t *testing.T) {
	for _, pitch := range []float64{0.02, -0.3} {
		s := &joints.Spec{Kind: joints.Helical, Pitch: pitch, Turns: &[6]int64{7}}
		for _, theta := range []float64{-100, -9, -3.2, -math.Pi, 0, 3, 3.2, 40} {
			// A slip of 3 rad leaves the turn, whatever the angle.
			for _, slip := range []float64{0, 3, -3} {
				d := pitch * (theta + slip)
				f := still(axisTurn(2, theta), spatial.Vec3{0, 0, d})
				var q, qd [6]float64
				s.CoordinatesTo(&q, &qd, f)
				require.InDelta(t, theta, q[0], 100*roundTol)
				require.InDelta(t, pitch*slip, positionError(s, f, 0)[4], 100*roundTol)
			}
		}
	}
}

func TestPrescribedErrorWraps(t *testing.T) {
	s := &joints.Spec{Kind: joints.Cylindrical, Motion: &[6]*joints.Motion{
		joints.NewPolynomial([]float64{20}), joints.NewPolynomial([]float64{20}),
	}}
	e := positionError(s, still(axisTurn(2, 20.25), spatial.Vec3{0, 0, 20.5}), 0)
	require.InDelta(t, 0.25, e[4], roundTol, "an angle, to the nearest turn")
	require.InDelta(t, 0.5, e[5], roundTol)

	s = &joints.Spec{Kind: joints.Helical, Pitch: 0.1, Motion: &[6]*joints.Motion{joints.NewPolynomial([]float64{20})}}
	e = positionError(s, still(axisTurn(2, 1), spatial.Vec3{0, 0, 0.1}), 0)
	require.InDelta(t, -19, e[5], roundTol, "turns of a screw count")
}

func TestDistanceWithoutDirection(t *testing.T) {
	s := &joints.Spec{Kind: joints.Distance, Length: 2}
	f := still(spatial.Identity3(), spatial.Vec3{})
	rows := &joints.Rows{N: 4}
	require.ErrorIs(t, s.EvalTo(rows, f, 0), joints.ErrNoDirection)
	require.Zero(t, *rows)
	e := [6]float64{9}
	require.ErrorIs(t, s.VelocityErrorTo(&e, f, 0), joints.ErrNoDirection)
	require.Zero(t, e)
	require.Equal(t, [6]float64{-2}, positionError(s, f, 0))
	var S [6]spatial.Motion
	require.Equal(t, 5, s.MotionSubspaceTo(&S, f))
	for i := 3; i < 5; i++ {
		require.InDelta(t, 1, S[i].Linear().Norm(), roundTol)
	}
}

func TestDistanceKeepsDirectionAndLength(t *testing.T) {
	s := &joints.Spec{Kind: joints.Distance, Length: 2}
	f := still(spatial.Identity3(), spatial.Vec3{0, 3, 4})
	rows := eval(t, s, f, 0)
	want := f.R.Scale(2.0 / 5)
	for i := range want {
		require.InDelta(t, want[i], rows.Arm[i], roundTol)
	}
	require.InDelta(t, 3, positionError(s, f, 0)[0], roundTol)
}

func TestWrenchRule(t *testing.T) {
	// P is the world frame, so that its axes can be read off.
	f := &joints.Frames{EP: spatial.Identity3(), ES: axisTurn(0, 0.5).Mul(axisTurn(1, 0.9)), R: spatial.Vec3{1, 2, 3}}
	tau := [6]float64{2, 3, 5, 7}
	y := f.ES.Col(1)
	for kind, want := range map[joints.Kind]spatial.Force{
		joints.Fixed:            {},
		joints.Revolute:         {0, 0, 2, 0, 0, 0},
		joints.Prismatic:        {0, 0, 0, 0, 0, 2},
		joints.Helical:          {0, 0, 2, 0, 0, 0},
		joints.Cylindrical:      {0, 0, 2, 0, 0, 3},
		joints.Universal:        {2, 3 * y[1], 3 * y[2], 0, 0, 0},
		joints.Planar:           {0, 0, 2, 3, 5, 0},
		joints.Spherical:        {2, 3, 5, 0, 0, 0},
		joints.SphereInCylinder: {2, 3, 5, 0, 0, 7},
		joints.PointOnPlane:     {},
		joints.Distance:         {},
		joints.Free:             {},
	} {
		s := &joints.Spec{Kind: kind, Pitch: 0.7, Length: 1}
		got := spatial.Force{9, 9, 9, 9, 9, 9}
		s.WrenchTo(&got, &tau, f)
		for i := range want {
			require.InDelta(t, want[i], got[i], roundTol, "%v", kind)
		}
	}
}
