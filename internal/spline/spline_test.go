package spline_test

import (
	"math"
	"slices"
	"testing"

	"github.com/rung-mbd/rung/internal/spline"
)

// near holds that got is want, up to tol.
func near(t *testing.T, want, got, tol float64, what string, of ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Fatalf("%v, not %v: "+what, append([]any{got, want}, of...)...)
	}
}

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
		if len(p) != len(times) || p[0] != first {
			t.Fatalf("%d pieces, the first %v", len(p), p[0])
		}
		for x := -1.0; x <= 3; x += 1.0 / 64 {
			q, qd, qdd := spline.At(p[1:], x)
			near(t, f(x), q, tol, "value at %v", x)
			near(t, -2+9*x*x, qd, 10*tol, "rate at %v", x)
			near(t, 18*x, qdd, 100*tol, "second derivative at %v", x)
		}
		near(t, 3-9+3.0/4*81-(1.5-2.25+3.0/4*5.0625), p[4].Integral(3), tol, "integral")
	}
	line := spline.Through(nil, []float64{0, 2}, []float64{1, 5}, spline.NotAKnot, [2]float64{})
	if !slices.Equal(line, []spline.Piece{{Q: 1, V: 2}}) {
		t.Errorf("a line: %v", line)
	}
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
		if len(p) != n {
			t.Fatalf("%d pieces, not %d", len(p), n)
		}
		for i := range p {
			q, v, a := p[i].At(times[i+1])
			next := p[(i+1)%n]
			near(t, values[i+1], q, 1e-12, "%d: value at point %d", n, i+1)
			near(t, next.V, v, 1e-11, "%d: rate at point %d", n, i+1)
			near(t, next.A, a, 1e-10, "%d: second derivative at point %d", n, i+1)
		}
		worst := 0.0
		for x := 0.0; x < 2*math.Pi; x += 0.01 {
			q, _, _ := spline.At(p, x)
			worst = max(worst, math.Abs(q-f(x)))
		}
		if n == 40 || n == 80 {
			near(t, 16, before/worst, 4, "order")
		}
		before = worst
	}
}
