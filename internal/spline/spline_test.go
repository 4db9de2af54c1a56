package spline_test

import (
	"math"
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

// TestPeriodic: value, rate and second derivative go on at the end as at the start and at all points, whatever the values
// gain, and the spline comes near to the function by the fourth power of the interval.
func TestPeriodic(t *testing.T) {
	const gain = 3.0
	f := func(x float64) float64 { return math.Sin(x) + 0.3*math.Cos(2*x) + gain*x/(2*math.Pi) }
	var before float64
	for _, n := range []int{1, 2, 3, 20, 40, 80} {
		var times, values []float64
		for i := range n + 1 {
			x := 2 * math.Pi * float64(i) / float64(n)
			if i > 0 && i < n {
				x += 0.2 / float64(n) * math.Sin(float64(i)) // not equidistant
			}
			times, values = append(times, x), append(values, f(x))
		}
		p := spline.Through(nil, times, values, spline.Periodic, [2]float64{})
		require.Len(t, p, n)
		for i := range p {
			q, v, a := p[i].At(times[i+1])
			next := p[(i+1)%n]
			require.InDelta(t, values[i+1], q, 1e-12)
			require.InDelta(t, next.V, v, 1e-11, "%d: rate at point %d", n, i+1)
			require.InDelta(t, next.A, a, 1e-10, "%d: second derivative at point %d", n, i+1)
		}
		worst := 0.0
		for x := 0.0; x < 2*math.Pi; x += 0.01 {
			q, _, _ := spline.At(p, x)
			worst = max(worst, math.Abs(q-f(x)))
		}
		if n == 40 || n == 80 {
			require.InDelta(t, 16, before/worst, 4, "order")
		}
		before = worst
	}
}
