package ground_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

// TestDigest: surfaces that are made alike have one digest, and whatever is changed, one height of many too, changes it.
func TestDigest(t *testing.T) {
	grid := func(change func(*ground.Field), o ground.Options) *ground.Surface {
		f := sampled(200, 150, func(x, y float64) float64 { return 0.1 * x * y })
		if change != nil {
			change(f)
		}
		s, err := ground.NewGrid(t.Context(), f, o)
		require.NoError(t, err)
		return s
	}
	function := func(text string) *ground.Surface {
		s, err := ground.Function(text)
		require.NoError(t, err)
		return s
	}
	plane := func(x, y, z float64) *ground.Surface {
		s, err := ground.NewPlane(spatial.Vec3{0, 0, z}, spatial.Vec3{x, y, 1})
		require.NoError(t, err)
		return s
	}
	sum := func(parts ...*ground.Surface) *ground.Surface {
		s, err := ground.Sum(parts...)
		require.NoError(t, err)
		return s
	}
	tiled := func(height float64) *ground.Surface {
		tiles, err := ground.NewTiles([2]float64{}, 0.5)
		require.NoError(t, err)
		n, err := tiles.Make(100, 3)
		require.NoError(t, err)
		*tiles.Value(n) = height
		return sum(plane(0, 0, 0), tiles.Surface())
	}
	one := func(f *ground.Field) { f.Heights[200*77+131] += 1e-9 }
	seen := map[uint64]string{}
	for _, c := range []struct {
		name string
		make func() *ground.Surface
	}{
		{"spline", func() *ground.Surface { return grid(nil, ground.Options{}) }},
		{"spline, one height", func() *ground.Surface { return grid(one, ground.Options{}) }},
		{"linear", func() *ground.Surface { return grid(nil, ground.Options{Interpolation: ground.Linear}) }},
		{"linear, one height", func() *ground.Surface { return grid(one, ground.Options{Interpolation: ground.Linear}) }},
		{"level outside", func() *ground.Surface { return grid(nil, ground.Options{Outside: ground.Level}) }},
		{"elsewhere", func() *ground.Surface { return grid(func(f *ground.Field) { f.Origin[0]++ }, ground.Options{}) }},
		{"wider", func() *ground.Surface { return grid(func(f *ground.Field) { f.Spacing[1] *= 2 }, ground.Options{}) }},
		{"plane", func() *ground.Surface { return plane(0, 0, 0) }},
		{"slope", func() *ground.Surface { return plane(0, 1e-12, 0) }},
		{"higher", func() *ground.Surface { return plane(0, 0, 1) }},
		{"function", func() *ground.Surface { return function("max(0, x-20)") }},
		{"function that differs far away", func() *ground.Surface { return function("max(0, x-21)") }},
		{"another operation", func() *ground.Surface { return function("min(0, x-20)") }},
		{"sum", func() *ground.Surface { return sum(plane(0, 0, 0), function("x")) }},
		{"another sum", func() *ground.Surface { return sum(plane(0, 0, 0), function("y")) }},
		{"tiles", func() *ground.Surface { return tiled(0.1) }},
		{"other tiles", func() *ground.Surface { return tiled(0.2) }},
	} {
		s := c.make()
		d := s.Digest()
		require.Equal(t, d, s.Digest(), c.name)
		require.Equal(t, d, c.make().Digest(), c.name)
		require.NotContains(t, seen, d, "%s and %s", c.name, seen[d])
		seen[d] = c.name
	}
	tiles, err := ground.NewTiles([2]float64{}, 1)
	require.NoError(t, err)
	s := tiles.Surface()
	before := s.Digest()
	n, err := tiles.Make(0, 0)
	require.NoError(t, err)
	*tiles.Value(n) = 1
	require.NotEqual(t, before, s.Digest(), "tiles change")
}
