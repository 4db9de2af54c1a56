package joints_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// hills is a surface on which a wheel of 0.3 m has one foot everywhere: its radius of curvature is 1.4 m at the least.
func hills(t testing.TB) *ground.Surface {
	s, err := ground.Function("0.3*sin(1.1*x + 0.4*y) + 0.2*cos(0.9*y - 0.3*x) + 0.1*x")
	require.NoError(t, err)
	return s
}

// wheelOn returns frames of a wheel of the spec over the place (x, y) of the surface, in P's axes at E, a gap above it, and the foot.
func wheelOn(t testing.TB, s *joints.Spec, E spatial.Mat3, axle spatial.Vec3, x, y, gap float64) (f *joints.Frames, foot spatial.Vec3) {
	p, err := s.Ground.(*ground.Surface).At(x, y)
	require.NoError(t, err)
	n := p.Normal()
	axle = axle.Scale(1 / axle.Norm())
	u := spatial.Vec3{}
	if s.Tyre < s.Radius {
		heading := axle.Cross(n)
		u = heading.Scale(1 / heading.Norm()).Cross(axle)
	}
	foot = spatial.Vec3{x, y, p.Z}
	R := foot.Add(n.Scale(gap + s.Tyre)).Add(u.Scale(s.Radius - s.Tyre))
	side := axle.Cross(spatial.Vec3{1, 0.1, 0.3})
	side = side.Scale(1 / side.Norm())
	up := axle.Cross(side)
	ES := spatial.Mat3{side[0], up[0], axle[0], side[1], up[1], axle[1], side[2], up[2], axle[2]}
	return &joints.Frames{EP: E, ES: E.Mul(ES), R: E.MulVec(R)}, foot
}

// TestFootOfAWheel: a wheel that was put over a place has its foot there and the gap that it was given, from a foot nearby and from none.
func TestFootOfAWheel(t *testing.T) {
	const tol = 1e-12 // of a search
	rng := check.Rand(7)
	for _, tyre := range []float64{0, 0.1, 0.3} {
		s := &joints.Spec{Kind: joints.Rolling, Radius: 0.3, Tyre: tyre, Ground: hills(t)}
		require.NoError(t, s.Check())
		for range 30 {
			axle := spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), 0.5 * rng.NormFloat64()}
			x, y, gap := 3*rng.NormFloat64(), 3*rng.NormFloat64(), 0.02*rng.NormFloat64()
			f, foot := wheelOn(t, s, spatial.Identity3(), axle, x, y, gap)
			for _, near := range [][]float64{nil, {x + 0.1, y - 0.05}, {x, y}} {
				f.Near = near
				var at joints.Stand
				s.StandTo(&at, f)
				require.True(t, at.Holds, "tyre %v at %v %v near %v: %+v", tyre, x, y, near, at)
				assert.InDelta(t, gap, at.Gap, tol)
				for k := range 3 {
					assert.InDelta(t, foot[k], at.Foot[k], 1e-8) // its square is what the gap feels
				}
				var delta, q [6]float64
				s.PositionErrorTo(&delta, f, 0)
				s.NearTo(&q, f)
				assert.InDelta(t, gap, delta[0], tol)
				assert.Equal(t, at.Foot[0], q[0])
				assert.Equal(t, at.Foot[1], q[1])
			}
		}
	}
}

// TestTerrainIsAPlane: on a sloping plane as a surface the rows equal the rows on the same plane of P, except for the direction of a
// ball's rows.
func TestTerrainIsAPlane(t *testing.T) {
	normal := spatial.Vec3{-0.3, 0.2, 1}
	surface, err := ground.NewPlane(spatial.Vec3{0.1, 0.2, -0.4}, normal)
	require.NoError(t, err)
	n := normal.Scale(1 / normal.Norm())
	x := spatial.Vec3{1, 0, 0}.Sub(n.Scale(n[0]))
	x = x.Scale(1 / x.Norm())
	y := n.Cross(x)
	EP := spatial.Mat3{x[0], y[0], n[0], x[1], y[1], n[1], x[2], y[2], n[2]}
	rng := check.Rand(8)
	vector := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	for _, tyre := range []float64{0, 0.1, 0.3} {
		on := &joints.Spec{Kind: joints.Rolling, Radius: 0.3, Tyre: tyre, Ground: surface}
		flat := &joints.Spec{Kind: joints.Rolling, Radius: 0.3, Tyre: tyre}
		for range 10 {
			f, _ := wheelOn(t, on, spatial.Identity3(), vector(), rng.NormFloat64(), rng.NormFloat64(), 0)
			f.V, f.OmegaS = vector(), vector()
			g := *f
			g.EP, g.R = EP, f.R.Sub(spatial.Vec3{0.1, 0.2, -0.4})
			var a, b joints.Rows
			require.NoError(t, on.EvalTo(&a, f, 0))
			require.NoError(t, flat.EvalTo(&b, &g, 0))
			require.Equal(t, b.N, a.N)
			if tyre == 0.3 { // any two directions across the normal
				a.N = 1
			}
			for k := range a.N {
				assert.InDelta(t, b.TDot[k], a.TDot[k], 1e-11)
				for i := range 6 {
					assert.InDelta(t, b.T[k][i], a.T[k][i], 1e-12)
				}
			}
		}
	}
}

// TestTerrainRows compares T˚·V̂, the rates of the gap and of the foot, and the change of the rows' wrenches with differences, for discs,
// tyres and balls with and without a gap.
func TestTerrainRows(t *testing.T) {
	const h, tol = 1e-6, 2e-7 // its square, and rounding of the search over it
	rng := check.Rand(9)
	vector := func(size float64) spatial.Vec3 {
		return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Scale(size)
	}
	for i := range 60 {
		s := &joints.Spec{Kind: joints.Rolling, Radius: 0.3, Tyre: []float64{0, 0.1, 0.3}[i%3], Ground: hills(t)}
		E := spatial.Exp(vector(1)).Mat()
		gap := []float64{0, 0.05}[i/3%2]
		f, foot := wheelOn(t, s, E, spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), 0.4 * rng.NormFloat64()}, 2*rng.NormFloat64(), 2*rng.NormFloat64(), gap)
		f.Near = []float64{foot[0], foot[1]}
		f.V, f.OmegaP, f.OmegaS = vector(1), vector(1), vector(1)
		turn := f.OmegaS.Sub(f.OmegaP)
		V := spatial.NewMotion(turn, f.V)
		at := func(spin, move spatial.Vec3) *joints.Frames { // as seen from P
			g := *f
			g.R = f.R.Add(move)
			m := spatial.Exp(spin).Mat()
			g.ES = m.Mul(f.ES)
			return &g
		}
		eval := func(f *joints.Frames) *joints.Rows {
			var out joints.Rows
			require.NoError(t, s.EvalTo(&out, f, 0))
			return &out
		}
		rows, plus, minus := eval(f), eval(at(turn.Scale(h), f.V.Scale(h))), eval(at(turn.Scale(-h), f.V.Scale(-h)))
		var ahead, behind, q, qd, q1 [6]float64
		s.PositionErrorTo(&ahead, at(turn.Scale(h), f.V.Scale(h)), 0)
		s.PositionErrorTo(&behind, at(turn.Scale(-h), f.V.Scale(-h)), 0)
		assert.InDelta(t, (ahead[0]-behind[0])/(2*h), V.Dot(&rows.T[0]), tol, "the row is the rate of the gap")
		s.NearTo(&q, at(turn.Scale(-h), f.V.Scale(-h)))
		s.NearTo(&q1, at(turn.Scale(h), f.V.Scale(h)))
		s.NearRatesTo(&qd, f)
		for k := range 2 {
			assert.InDelta(t, (q1[k]-q[k])/(2*h), qd[k], tol*10, "the foot")
		}
		for k := range 3 {
			assert.InDelta(t, (V.Dot(&plus.T[k])-V.Dot(&minus.T[k]))/(2*h), rows.TDot[k], tol*10, "row %d, tyre %v", k, s.Tyre)
			d := spatial.Vec3(rows.T[k][3:])
			assert.InDelta(t, 1, d.Norm(), 1e-12)
			for l := range k {
				assert.InDelta(t, 0, d.Dot(spatial.Vec3(rows.T[l][3:])), 1e-12)
			}
		}
		lambda, d, spin := vector(1), vector(1), vector(1)
		sum := func(r *joints.Rows) (w spatial.Force) {
			for k := range 3 {
				w = w.Add(r.T[k].Scale(lambda[k]))
			}
			return w
		}
		var B [36]float64
		w := sum(rows)
		require.True(t, s.BendTo(&B, &w, f))
		wPlus, wMinus := sum(eval(at(spin.Scale(h), d.Scale(h)))), sum(eval(at(spin.Scale(-h), d.Scale(-h))))
		for k := range 6 {
			got := 0.0
			for l := range 3 {
				got -= B[6*k+l]*spin[l] + B[6*k+3+l]*d[l]
			}
			assert.InDelta(t, (wPlus[k]-wMinus[k])/(2*h), got, tol*10, "entry %d, tyre %v", k, s.Tyre)
		}
	}
}

// TestTerrainIsChecked: a bowl beside a surface is refused, and a wheel without a foot has no rows, which says why.
func TestTerrainIsChecked(t *testing.T) {
	s := joints.Spec{Kind: joints.Rolling, Radius: 0.3, Tyre: 0.3, Bowl: 2, Ground: hills(t)}
	require.ErrorIs(t, s.Check(), joints.ErrWheel)
	require.ErrorContains(t, s.Check(), "a bowl and a surface")

	none := func(s joints.Spec, f *joints.Frames, want func(*joints.Stand) bool) {
		require.NoError(t, s.Check())
		require.ErrorIs(t, s.EvalTo(new(joints.Rows), f, 0), joints.ErrStand)
		var at joints.Stand
		s.StandTo(&at, f)
		require.False(t, at.Holds)
		require.True(t, want(&at), fmt.Sprintf("%+v", at))
		var delta, rates [6]float64
		s.PositionErrorTo(&delta, f, 0)
		s.NearRatesTo(&rates, f)
		require.False(t, math.IsNaN(delta[0]))
		require.Zero(t, rates)
	}
	disc := joints.Spec{Kind: joints.Rolling, Radius: 0.3, Ground: hills(t)}
	flat, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	disc.Ground = flat
	at := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: spatial.Vec3{0, 0, 0.1}}
	none(disc, at, func(a *joints.Stand) bool { return a.Flat })

	hollow, err := ground.Function("2*x^2") // its radius of curvature is 0.25 m
	require.NoError(t, err)
	ball := joints.Spec{Kind: joints.Rolling, Radius: 0.3, Tyre: 0.3, Ground: hollow}
	at.R[2], at.Near = 0.3, []float64{0, 0}
	none(ball, at, func(a *joints.Stand) bool { return a.Err == nil && a.Hollow < 0 })
	ball.Radius, ball.Tyre, at.R[2], at.Near = 0.24, 0.24, 0.24, nil
	require.NoError(t, ball.EvalTo(new(joints.Rows), at, 0))

	field := &ground.Field{Origin: [2]float64{-1, -1}, Spacing: [2]float64{0.5, 0.5}, Size: [2]int{5, 5}, Heights: make([]float64, 25)}
	grid, err := ground.NewGrid(t.Context(), field, ground.Options{})
	require.NoError(t, err)
	ball.Ground = grid
	require.NoError(t, ball.EvalTo(new(joints.Rows), at, 0))
	at.R[0] = 1.01
	none(ball, at, func(a *joints.Stand) bool { return a.Err == ground.ErrOff })
}

// TestWheelOnTwoPlaces: a foot that is carried stays while the wheel moves on to another one, which is detected.
func TestWheelOnTwoPlaces(t *testing.T) {
	wall, err := ground.Function("0.5*exp(-8*(x-0.5)^2)") // a ridge
	require.NoError(t, err)
	s := joints.Spec{Kind: joints.Rolling, Radius: 0.4, Ground: wall}
	turn := spatial.Exp(spatial.Vec3{math.Pi / 2}).Mat() // the axle along −y
	at := &joints.Frames{EP: spatial.Identity3(), ES: turn, R: spatial.Vec3{-0.6, 0, 0.4}}
	var found joints.Stand
	s.StandTo(&found, at)
	require.True(t, found.Holds)
	require.False(t, found.Deeper)
	at.R, at.Near = spatial.Vec3{-0.05, 0, 0.41}, []float64{-0.08, 0}
	s.StandTo(&found, at)
	require.True(t, found.Holds)
	require.True(t, found.Deeper)
	require.Greater(t, found.Other[0], 0.2)
}
