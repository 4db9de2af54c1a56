package joints_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// ballAt returns frames of a ball whose centre is at R from the centre of its sphere, in P's axes at E.
func ballAt(E spatial.Mat3, R, V, omegaP, omegaS spatial.Vec3) *joints.Frames {
	return &joints.Frames{EP: E, ES: spatial.Identity3(), R: R, V: V, OmegaP: omegaP, OmegaS: omegaS}
}

// TestBallInABowl: at the bottom of a bowl and on top of a dome the rows equal the rows of a plane there, and the height is how far the
// ball is from the sphere.
func TestBallInABowl(t *testing.T) {
	const radius = 0.1
	for _, c := range []struct {
		bowl float64
		R    spatial.Vec3
	}{{0.7, spatial.Vec3{0, 0, -0.6}}, {-0.7, spatial.Vec3{0, 0, 0.8}}} {
		s := &joints.Spec{Kind: joints.Rolling, Radius: radius, Tyre: radius, Bowl: c.bowl}
		require.NoError(t, s.Check())
		v := spatial.Vec3{0.3, -0.2}
		omega := spatial.Vec3{2, 3, 0.5} // v + ω×p = 0 with p below
		f := ballAt(spatial.Identity3(), c.R, v, spatial.Vec3{}, omega)
		var rows joints.Rows
		require.NoError(t, s.EvalTo(&rows, f, 0))
		require.Equal(t, 3, rows.N)
		for k, want := range []spatial.Force{{0, 0, 0, 0, 0, 1}, {0, -radius, 0, 1, 0, 0}, {radius, 0, 0, 0, 1, 0}} {
			for i := range want {
				assert.InDelta(t, want[i], rows.T[k][i], roundTol)
			}
		}
		// The centre moves around the centre of the sphere at v²/‖R‖.
		assert.InDelta(t, v.Dot(v)/c.R[2]*1, rows.TDot[0], roundTol)
		f.R[2] += 0.01
		var delta [6]float64
		s.PositionErrorTo(&delta, f, 0)
		assert.InDelta(t, 0.01, delta[0], roundTol)
	}
}

// TestBowlRows compares T˚·V̂ and the change of the rows' wrenches with differences, all around a bowl and a dome.
func TestBowlRows(t *testing.T) {
	const h, tol = 1e-6, 1e-8 // its square, and rounding over it
	rng := check.Rand(4)
	vector := func(size float64) spatial.Vec3 {
		return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Scale(size)
	}
	below := 0
	for i := range 40 {
		s := &joints.Spec{Kind: joints.Rolling, Radius: 0.3, Tyre: 0.3, Bowl: []float64{1.1, -0.8}[i%2]}
		E := spatial.Exp(vector(1)).Mat()
		out := vector(1)
		far := 0.8
		if s.Bowl < 0 {
			far = 1.1
		}
		R := out.Scale(far / out.Norm())
		f := ballAt(E, R, vector(1), vector(1), vector(1))
		V := spatial.NewMotion(f.OmegaS.Sub(f.OmegaP), f.V)
		if z := E.TMulVec(R); z[2]*s.Bowl > 0 {
			below++ // the normal is far from z
		}
		var rows, plus, minus joints.Rows
		require.NoError(t, s.EvalTo(&rows, f, 0))
		assert.InDelta(t, 1, spatial.Vec3(rows.T[1][3:]).Norm(), roundTol)
		assert.InDelta(t, 0, spatial.Vec3(rows.T[1][3:]).Dot(spatial.Vec3(rows.T[2][3:])), roundTol)
		assert.InDelta(t, 0, spatial.Vec3(rows.T[1][3:]).Dot(R), roundTol)
		at := func(move spatial.Vec3) *joints.Rows { // as seen from P
			var out joints.Rows
			g := *f
			g.R = R.Add(move)
			require.NoError(t, s.EvalTo(&out, &g, 0))
			return &out
		}
		plus, minus = *at(f.V.Scale(h)), *at(f.V.Scale(-h))
		for k := range 3 {
			want := (V.Dot(&plus.T[k]) - V.Dot(&minus.T[k])) / (2 * h)
			assert.InDelta(t, want, rows.TDot[k], tol*10, "row %d", k)
		}
		lambda, d := vector(1), vector(1)
		var B [36]float64
		sum := func(r *joints.Rows) (w spatial.Force) {
			for k := range 3 {
				w = w.Add(r.T[k].Scale(lambda[k]))
			}
			return w
		}
		w := sum(&rows)
		require.True(t, s.BendTo(&B, &w, f))
		ahead, behind := sum(at(d.Scale(h))), sum(at(d.Scale(-h)))
		for k := range 6 {
			got := 0.0
			for l := range 3 {
				got -= B[6*k+3+l] * d[l]
			}
			assert.InDelta(t, (ahead[k]-behind[k])/(2*h), got, tol*10)
		}
	}
	require.Greater(t, below, 5)
}

// TestBowlIsChecked: what no ball can roll in is refused, and a ball in the middle has no rows.
func TestBowlIsChecked(t *testing.T) {
	for text, s := range map[string]joints.Spec{
		"the radius 0.3 of its bowl is not above its radius 0.3":                     {Radius: 0.3, Tyre: 0.3, Bowl: 0.3},
		"only a ball rolls in a bowl, and its tyre radius 0.1 is not its radius 0.3": {Radius: 0.3, Tyre: 0.1, Bowl: 1},
		"the radius +Inf of its bowl is not finite":                                  {Radius: 0.3, Tyre: 0.3, Bowl: math.Inf(1)},
		"the radius NaN of its bowl is not finite":                                   {Radius: 0.3, Tyre: 0.3, Bowl: math.NaN()},
	} {
		s.Kind = joints.Rolling
		require.ErrorIs(t, s.Check(), joints.ErrWheel)
		require.ErrorContains(t, s.Check(), text)
	}
	s := joints.Spec{Kind: joints.RollingKind(joints.SlipBoth), Radius: 0.3, Tyre: 0.3, Bowl: -0.1}
	require.NoError(t, s.Check(), "a ball on a small one")
	s.Bowl = 0.7
	for _, far := range []float64{0, 0.69e-6} {
		err := s.EvalTo(new(joints.Rows), ballAt(spatial.Identity3(), spatial.Vec3{far}, spatial.Vec3{}, spatial.Vec3{}, spatial.Vec3{}), 0)
		require.ErrorIs(t, err, joints.ErrMiddle)
	}
	var delta [6]float64
	s.PositionErrorTo(&delta, ballAt(spatial.Identity3(), spatial.Vec3{}, spatial.Vec3{}, spatial.Vec3{}, spatial.Vec3{}), 0)
	require.InDelta(t, 0.4, delta[0], roundTol)
}
