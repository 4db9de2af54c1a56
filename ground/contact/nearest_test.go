package contact_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// TestNearest: on rough ground with bends as sharp as the shapes
// themselves no place that was looked at by brute force is deeper.
func TestNearest(t *testing.T) {
	s := rough(t)
	places := 40
	if testing.Short() {
		places = 3
	}
	for _, r := range []float64{0.02, 0.3, 0.8} {
		ball := contact.Shape{Type: contact.Sphere, Radius: r}
		wheel := contact.Shape{Type: contact.Disc, Radius: r, Axis: spatial.Vec3{0, 1, 0}}
		rng := check.Rand(uint64(1000 * r))
		for range places {
			c := spatial.Vec3{5 * (2*rng.Float64() - 1), 5 * (2*rng.Float64() - 1)}
			z, err := s.Height(c[0], c[1])
			require.NoError(t, err)
			c[2] = z + r*(0.85+0.25*rng.Float64())
			var dst [1]contact.Point
			_, err = ball.PointsTo(dst[:], s, c, spatial.Vec3{})
			require.NoError(t, err)
			const n = 150
			nearest := math.Inf(1)
			for i := -n; i <= n; i++ {
				for j := -n; j <= n; j++ {
					x, y := r*float64(i)/n, r*float64(j)/n
					z, err := s.Height(c[0]+x, c[1]+y)
					require.NoError(t, err)
					nearest = min(nearest, math.Hypot(math.Hypot(x, y), z-c[2]))
				}
			}
			require.LessOrEqual(t, r-nearest, dst[0].Depth+1e-9*r, "ball of %v at %v", r, c)
			require.InDelta(t, r-nearest, dst[0].Depth, 1e-3*r, "ball of %v at %v", r, c)

			a := spatial.Exp(spatial.Vec3{0.4 * rng.NormFloat64(), 0, 7 * rng.Float64()}).Rotate(spatial.Vec3{0, 1, 0})
			_, err = wheel.PointsTo(dst[:], s, c, a)
			require.NoError(t, err)
			// The distance of points of the rim, each as a ball of radius 0.
			dot := contact.Shape{Type: contact.Sphere, Radius: 1e-3 * r}
			u := a.Cross(spatial.Vec3{0, 0, 1})
			u = u.Scale(1 / u.Norm())
			v := a.Cross(u)
			deepest := math.Inf(-1)
			for k := range 720 {
				sin, cos := math.Sincos(float64(k) * math.Pi / 360)
				q := c.Add(u.Scale(r * cos)).Add(v.Scale(r * sin))
				z, err := s.Height(q[0], q[1])
				require.NoError(t, err)
				if h := z - q[2]; h < deepest || h < -0.2*r {
					continue
				}
				var p [1]contact.Point
				if _, err = dot.PointsTo(p[:], s, q, spatial.Vec3{}); err != nil {
					require.ErrorIs(t, err, contact.ErrBuried) // deeper than this ball is large
					g, err := s.At(q[0], q[1])
					require.NoError(t, err)
					n := g.Normal()
					deepest = max(deepest, (z-q[2])*n[2]*0.97)
					continue
				}
				deepest = max(deepest, p[0].Depth-1e-3*r)
			}
			require.LessOrEqual(t, deepest, max(dst[0].Depth, 0)+2e-3*r, "wheel of %v at %v with the axis %v", r, c, a)
		}
	}
}

// TestFlatKerb: a point over a kerb at which the second derivative of the distance all but vanishes has a foot too.
func TestFlatKerb(t *testing.T) {
	s, err := ground.Function("0.08/(1+exp(-(x-1)/0.01))")
	require.NoError(t, err)
	ball := contact.Shape{Type: contact.Sphere, Radius: 0.1}
	var dst [1]contact.Point
	for i := range 100 {
		c := spatial.Vec3{1.0416748232579665 + 1e-6*float64(i), 0, 0.04376141699991837 - 2e-6*float64(i)}
		_, err := ball.PointsTo(dst[:], s, c, spatial.Vec3{})
		require.NoError(t, err, "%v", c)
		foot := c.Sub(dst[0].N.Scale(0.1 - dst[0].Depth))
		z, err := s.Height(foot[0], foot[1])
		require.NoError(t, err)
		require.InDelta(t, z, foot[2], 1e-9)
	}
}
