package contact

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// TestPlacesLeftOut: places of a rim that are left out, as all ground below the disc is too low for them, neither touch nor are the deepest,
// and on gentle hills they are many. A steep place is looked at.
func TestPlacesLeftOut(t *testing.T) {
	for _, k := range []struct {
		rms   float64
		least float64 // part of the places that is left out
	}{{0.06, 0.4}, {0.6, 0}} {
		f, err := ground.Random(context.Background(), ground.RandomGround{
			Size: [2]int{40, 40}, Spacing: [2]float64{0.25, 0.25}, RMS: k.rms, Length: 1.6, Seed: 3,
		})
		require.NoError(t, err)
		grid, err := ground.NewGrid(context.Background(), f, ground.Options{Outside: ground.Level})
		require.NoError(t, err)
		shape := Shape{Type: Disc, Radius: 0.3, Axis: spatial.Vec3{0, 1, 0}}
		find := finder{ground: grid, shape: &shape}
		rng := check.Rand(5)
		left, all := 0, 0
		for range 500 {
			a := spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			w := rim{c: spatial.Vec3{11*rng.Float64() - 0.5, 11*rng.Float64() - 0.5, 0}, a: a.Scale(1 / a.Norm()), r: shape.Radius}
			if math.Abs(w.a[2]) > 0.7 {
				continue
			}
			z, err := grid.Height(w.c[0], w.c[1])
			require.NoError(t, err)
			w.c[2] = z + shape.Radius*(0.5+2*rng.Float64())
			w.down(&spatial.Vec3{0, 0, 1})
			var depth [rimPlaces]float64
			best, err := find.depths(&w, &depth)
			require.NoError(t, err)
			for i, d := range depth {
				q, _, _ := w.at(placeAngle(i))
				z, err := grid.Height(q[0], q[1])
				require.NoError(t, err)
				if all++; !math.IsInf(d, -1) {
					require.LessOrEqual(t, d, depth[best])
					continue
				}
				left++
				require.Less(t, z-q[2], edged*shape.Radius)
				require.Less(t, z-q[2], depth[best])
			}
		}
		require.GreaterOrEqual(t, float64(left), k.least*float64(all))
	}
}
