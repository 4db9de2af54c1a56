package spline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/spline"
)

// TestThroughCubic: the spline through points of 1 − 2t + 3t³ is that
// cubic, with its integral, and pieces are appended behind others.
func TestThroughCubic(t *testing.T) {
	const tol = 1e-12 // rounding of values up to 100
	f := func(x float64) float64 { return 1 - 2*x + 3*x*x*x }
	times := []float64{-1, -0.2, 0, 1.5, 3}
	values := make([]float64, len(times))
	for i, x := range times {
		values[i] = f(x)
	}
	first := spline.Piece{T: -9, Q: 7}
	for ends, rates := range map[spline.Ends][2]float64{spline.NotAKnot: {}, spline.Clamped: {7, 79}} {
		p := spline.Through([]spline.Piece{first}, times, values, ends, rates)
		require.Equal(t, first, p[0])
		require.Len(t, p, len(times))
		for x := -1.0; x <= 3; x += 1.0 / 64 {
			q, qd, qdd := spline.At(p[1:], x)
			require.InDelta(t, f(x), q, tol)
			require.InDelta(t, -2+9*x*x, qd, 10*tol)
			require.InDelta(t, 18*x, qdd, 100*tol)
		}
		require.InDelta(t, 3-9+3.0/4*81-(1.5-2.25+3.0/4*5.0625), p[4].Integral(3), tol)
	}
	line := spline.Through(nil, []float64{0, 2}, []float64{1, 5}, spline.NotAKnot, [2]float64{})
	require.Equal(t, []spline.Piece{{Q: 1, V: 2}}, line)
}
