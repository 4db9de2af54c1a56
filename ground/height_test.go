package ground_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
)

// TestHeight: the height alone equals the height of the patch, inside and outside.
func TestHeight(t *testing.T) {
	f := referenceField(t)
	slope, err := ground.Function("0.1*x - 0.2*sin(y)")
	require.NoError(t, err)
	for _, o := range []ground.Options{
		{Outside: ground.Tangent}, {Outside: ground.Level}, {}, {Interpolation: ground.Hermite, Outside: ground.Tangent}, {Interpolation: ground.Linear},
	} {
		grid := newGrid(t, f, o)
		sum, err := ground.Sum(grid, slope)
		require.NoError(t, err)
		rng, e := check.Rand(1), grid.Extent()
		for range 300 {
			x := e.Min[0] - 1 + (e.Max[0]-e.Min[0]+2)*rng.Float64()
			y := e.Min[1] - 1 + (e.Max[1]-e.Min[1]+2)*rng.Float64()
			for _, s := range []*ground.Surface{grid, sum, slope} {
				p, err := s.At(x, y)
				z, errZ := s.Height(x, y)
				require.Equal(t, err, errZ)
				if err == nil {
					check.Close(t, z, p.Z, 1e-14, 1, "height at %v, %v", x, y)
				}
			}
		}
	}
}
