package joints_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
)

// curveTol is rounding of a spline through values of order one.
const curveTol = 1e-13

// uneven are times with intervals of very different length.
var uneven = []float64{-1, -0.9, 0, 0.3, 1.7, 1.75, 3}

// sampled returns f at the times.
func sampled(times []float64, f func(t float64) float64) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		out[i] = f(t)
	}
	return out
}

// TestSplineIsExactForCubics: a spline that is not given otherwise, and
// one with the rates at its ends, are the cubic on which their points lie.
func TestSplineIsExactForCubics(t *testing.T) {
	cubic := joints.NewPolynomial([]float64{0.5, -1, 0.7, 0.3})
	f := func(t float64) float64 { q, _, _ := cubic.At(t); return q }
	_, last, _ := cubic.At(uneven[len(uneven)-1])
	for _, n := range []int{2, 4, 5, len(uneven)} {
		times := uneven[len(uneven)-n:]
		_, first, _ := cubic.At(times[0])
		splines := []*joints.Motion{{Kind: joints.Spline, Times: times, Values: sampled(times, f), Ends: joints.Clamped, Rates: [2]float64{first, last}}}
		if n >= 4 {
			splines = append(splines, &joints.Motion{Kind: joints.Spline, Times: times, Values: sampled(times, f)})
		}
		for _, s := range splines {
			require.NoError(t, s.Check())
			p := s.Prepared()
			for x := times[0]; x <= 3; x += 0.01 {
				q, qd, qdd := p.At(x)
				wq, wqd, wqdd := cubic.At(x)
				require.InDelta(t, wq, q, 20*curveTol, "%v, %d points, t = %v", s.Ends, n, x)
				require.InDelta(t, wqd, qd, 200*curveTol)
				require.InDelta(t, wqdd, qdd, 4000*curveTol)
			}
		}
	}
	line := (&joints.Motion{Kind: joints.Spline, Times: []float64{1, 3}, Values: []float64{2, 8}}).Prepared()
	q, qd, qdd := line.At(2)
	require.Equal(t, []float64{5, 3, 0}, []float64{q, qd, qdd})
	parabola := (&joints.Motion{Kind: joints.Spline, Times: []float64{0, 1, 3}, Values: []float64{0, 1, 9}}).Prepared()
	q, qd, qdd = parabola.At(2)
	require.InDeltaSlice(t, []float64{4, 4, 2}, []float64{q, qd, qdd}, curveTol)
}

// TestSplineIsSmooth: values at the points, derivatives that agree with differences of the values, and second derivatives without
// jumps, zero at natural ends.
func TestSplineIsSmooth(t *testing.T) {
	values := []float64{1, -1, 0.5, 2, 2, -3, 0}
	for _, s := range []*joints.Motion{
		{Kind: joints.Spline, Times: uneven, Values: values},
		{Kind: joints.Spline, Times: uneven, Values: values, Ends: joints.Natural},
		{Kind: joints.Spline, Times: uneven, Values: values, Ends: joints.Clamped, Rates: [2]float64{2, -1}},
		{Kind: joints.Spline, Times: uneven[:2], Values: values[:2], Ends: joints.Natural},
	} {
		p := s.Prepared()
		n := len(s.Times)
		for i, at := range s.Times {
			q, qd, qdd := p.At(at)
			assert.InDelta(t, s.Values[i], q, 1e-12)
			const h = 1e-9
			_, vd, vdd := p.At(at - h)
			if i > 0 && i < n-1 {
				assert.InDelta(t, qd, vd, 1e-5, "%v at %v", s.Ends, at)
				assert.InDelta(t, qdd, vdd, 1e-3*(1+math.Abs(qdd)), "%v at %v", s.Ends, at)
			}
			if s.Ends == joints.Natural && (i == 0 || i == n-1) {
				assert.InDelta(t, 0, qdd, 1e-9)
			}
			if s.Ends == joints.Clamped && (i == 0 || i == n-1) {
				assert.InDelta(t, s.Rates[min(i, 1)], qd, 1e-9)
			}
		}
		for _, at := range []float64{-0.95, -0.97} {
			_, qd, qdd := p.At(at)
			assert.InDelta(t, diff(func(t float64) float64 { q, _, _ := p.At(t); return q }, at), qd, 1e-6*(1+math.Abs(qd)))
			assert.InDelta(t, diff(func(t float64) float64 { _, qd, _ := p.At(t); return qd }, at), qdd, 1e-6*(1+math.Abs(qdd)))
		}
	}
}

// TestTable: value and rate are the exact integrals of the accelerations.
func TestTable(t *testing.T) {
	steps := (&joints.Motion{Kind: joints.Table, Times: []float64{1, 2, 4}, Accelerations: []float64{2, -1}, Value: 3, Rate: 1, Steps: true}).Prepared()
	for at, want := range map[float64][3]float64{1: {3, 1, 2}, 1.5: {3.75, 2, 2}, 2: {5, 3, -1}, 4: {9, 1, -1}} {
		q, qd, qdd := steps.At(at)
		assert.InDeltaSlice(t, want[:], []float64{q, qd, qdd}, curveTol, "t = %v", at)
	}
	linear := (&joints.Motion{Kind: joints.Table, Times: []float64{0, 1, 3}, Accelerations: []float64{0, 6, 6}, Hold: true}).Prepared()
	for at, want := range map[float64][3]float64{-1: {0, 0, 0}, 0.5: {0.125, 0.75, 3}, 1: {1, 3, 6}, 3: {19, 15, 6}, 5: {19, 0, 0}} {
		q, qd, qdd := linear.At(at)
		assert.InDeltaSlice(t, want[:], []float64{q, qd, qdd}, curveTol, "t = %v", at)
	}
	from, until := steps.Span()
	assert.Equal(t, []float64{1, 4}, []float64{from, until})
	from, until = linear.Span()
	assert.Equal(t, []float64{math.Inf(-1), math.Inf(1)}, []float64{from, until})
}

// TestMotionSet takes over another motion without allocating.
func TestMotionSet(t *testing.T) {
	a := &joints.Motion{Kind: joints.Spline, Times: uneven, Values: make([]float64, len(uneven))}
	b := &joints.Motion{Kind: joints.Table, Times: uneven, Accelerations: make([]float64, len(uneven))}
	m := a.Prepared()
	m.Set(b)
	m.Set(a)
	require.Zero(t, testing.AllocsPerRun(10, func() { m.Set(b); m.Set(a); m.At(0) }))
	require.PanicsWithValue(t, "joints: motion not prepared", func() { a.At(0) })
}

// TestMotionFaults names field, value and rule.
func TestMotionFaults(t *testing.T) {
	inf := math.Inf(1)
	for want, m := range map[string]*joints.Motion{
		"unknown motion kind": {},
		"times[2] 1 is not after 1; values wrong length 1, must have 3 entries":                      {Kind: joints.Spline, Times: []float64{0, 1, 1}, Values: []float64{1}},
		"times wrong length 1, must have at least 2 entries":                                         {Kind: joints.Spline, Times: []float64{0}, Values: []float64{1}},
		"times [] has no entries; values [] has no entries":                                          {Kind: joints.Spline},
		"values[1] +Inf is not finite; rates[0] 1 has no meaning for motion kind spline":             {Kind: joints.Spline, Times: []float64{0, 1}, Values: []float64{1, inf}, Rates: [2]float64{1}},
		"ends Ends(9) has no meaning for motion kind spline":                                         {Kind: joints.Spline, Times: []float64{0, 1}, Values: []float64{1, 2}, Ends: 9},
		"accelerations wrong length 2, must have 1 entries":                                          {Kind: joints.Table, Times: []float64{0, 1}, Accelerations: []float64{1, 2}, Steps: true},
		"values  has no meaning for motion kind table; ends natural has no meaning for motion kind ": {Kind: joints.Table, Times: []float64{0, 1}, Accelerations: []float64{1, 2}, Values: []float64{1}, Ends: joints.Natural},
		"times[1] NaN is not": {Kind: joints.Table, Times: []float64{0, math.NaN()}, Accelerations: []float64{1, 2}},
		"outside hold has no meaning for motion kind harmonic":        {Kind: joints.Harmonic, Hold: true},
		"interpolation constant has no meaning for motion kind ":      {Kind: joints.Polynomial, Coefficients: []float64{1}, Steps: true},
		"coefficients wrong length 1001, must have at most 1000 entr": {Kind: joints.Polynomial, Coefficients: make([]float64, 1001)},
	} {
		err := m.Check()
		require.Error(t, err, want)
		for _, part := range strings.Split(want, "; ") {
			assert.Contains(t, strings.ReplaceAll(err.Error(), "values has", "values  has"), part)
		}
	}
	require.NoError(t, errors.Join(joints.NewHarmonic(0, 1, 1, 0).Check()))
}
