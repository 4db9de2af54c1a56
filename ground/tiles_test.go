package ground_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
)

// tilesTol bounds sums of sixteen products.
const tilesTol = 1e-12

// TestTiles: the surface of coefficients that are a line is that line, across the borders of tiles and of zero; slopes
// are differences; far away and without tiles it is level.
func TestTiles(t *testing.T) {
	tiles, err := ground.NewTiles([2]float64{0.3, -0.7}, 0.05)
	require.NoError(t, err)
	s := tiles.Surface()
	p, err := s.At(0.3, 0.2)
	require.NoError(t, err)
	require.Zero(t, p)
	for i := int32(-40); i <= 40; i++ {
		for j := int32(-40); j <= 40; j++ {
			n, err := tiles.Make(i, j)
			require.NoError(t, err)
			a, b := tiles.Node(n)
			require.Equal(t, [2]int32{i, j}, [2]int32{a, b})
			require.Equal(t, n, tiles.Find(i, j))
			x, y := tiles.Place(i, j)
			*tiles.Value(n) = 2 + 3*x - y
		}
	}
	for _, at := range [][2]float64{{0.3, -0.7}, {-0.51, 0.111}, {1.09, -1.4999}, {0.31, 0.1}} {
		p, err := s.At(at[0], at[1])
		require.NoError(t, err)
		check.Close(t, p.Z, 2+3*at[0]-at[1], tilesTol, 1, "height")
		check.Close(t, p.X, 3, tilesTol, 10, "f_x")
		check.Close(t, p.Y, -1, tilesTol, 10, "f_y")
		check.Close(t, p.XX, 0, tilesTol, 1e4, "f_xx")
		z, err := s.Height(at[0], at[1])
		require.NoError(t, err)
		require.Equal(t, p.Z, z)
	}
	// Across the end of the values the derivatives continue: differences of the slopes are the second derivatives.
	const h = 1e-6
	for x := 2.2; x < 2.5; x += 0.007 {
		p, _ := s.At(x, 0.1)
		up, _ := s.At(x+h, 0.1)
		down, _ := s.At(x-h, 0.1)
		check.Close(t, p.X, (up.Z-down.Z)/(2*h), 1e-7, 100, "f_x")
		check.Close(t, p.XX, (up.X-down.X)/(2*h), 1e-5, 1e4, "f_xx")
	}
	for _, far := range []float64{1e5, -1e18, 1e300} {
		p, err := s.At(far, 0)
		require.NoError(t, err)
		require.Zero(t, p)
	}
	_, err = s.At(math.NaN(), 0)
	require.ErrorIs(t, err, ground.ErrOff)
	tiles.Clear()
	p, err = s.At(0.3, 0.2)
	require.NoError(t, err)
	require.Zero(t, p)
}

// TestTilesAreBounded: in number and in reach.
func TestTilesAreBounded(t *testing.T) {
	_, err := ground.NewTiles([2]float64{math.Inf(1), 0}, 1)
	require.Error(t, err)
	tiles, err := ground.NewTiles([2]float64{}, 1)
	require.NoError(t, err)
	_, err = tiles.Make(math.MinInt32, 0)
	require.ErrorIs(t, err, ground.ErrTiles)
	for k := range int32(ground.MostTiles) {
		_, err = tiles.Make(16*(k%512), 16*(k/512))
		require.NoError(t, err)
	}
	_, err = tiles.Make(-1, -1)
	require.ErrorIs(t, err, ground.ErrTiles)
	n, err := tiles.Make(5, 5)
	require.NoError(t, err)
	require.Less(t, n, tiles.Len())
}
