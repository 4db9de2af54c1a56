package curves_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// TestArc: lengths by hand, to rounding: of lines, circles, a helix, a parabola and a cycloid, in space and in the plane, beyond ends and
// over laps.
func TestArc(t *testing.T) {
	const tol = 1e-13
	parabola := func(x float64) float64 { return x/2*math.Sqrt(1+4*x*x) + math.Asinh(2*x)/4 } // of y = x²
	for name, c := range map[string]struct {
		of   curves.Curve
		flat bool
		want func(u float64) float64
		u    []float64
	}{
		"line":   {curves.Curve{Ends: [2]spatial.Vec3{{1, 2, 3}, {4, 6, 3}}}, false, func(u float64) float64 { return u }, []float64{-1, 0, 2, 5, 7}},
		"sloped": {curves.Curve{Ends: [2]spatial.Vec3{{0, 0, 0}, {3, 0, 4}}}, true, func(u float64) float64 { return 0.6 * u }, []float64{-1, 0, 2, 5, 7}},
		"circle": {curves.Curve{Kind: curves.Circle, Radius: 0.7}, false, func(u float64) float64 { return 0.7 * u }, []float64{-8, -0.1, 0, 3, 6.3, 40}},
		"ring":   {curves.Curve{Kind: curves.Circle, Radius: 0.7}, true, func(u float64) float64 { return 0.7 * u }, []float64{-8, -0.1, 0, 3, 6.3, 40}},
		"arc":    {curves.Curve{Kind: curves.Circle, Radius: 2, Range: [2]float64{1, 3}}, false, func(u float64) float64 { return 2 * (u - 1) }, []float64{1, 2.2, 3}},
		"helix": {curves.Curve{Kind: curves.Function, X: "3*cos(u)", Y: "3*sin(u)", Z: "4*u", Range: [2]float64{-2, 9}}, false,
			func(u float64) float64 { return 5 * (u + 2) }, []float64{-2, -1.234, 0, 5, 9}},
		"its circle": {curves.Curve{Kind: curves.Function, X: "3*cos(u)", Y: "3*sin(u)", Z: "4*u", Range: [2]float64{-2, 9}}, true,
			func(u float64) float64 { return 3 * (u + 2) }, []float64{-2, -1.234, 0, 5, 9}},
		"parabola": {curves.Curve{Kind: curves.Function, X: "u", Y: "u^2", Range: [2]float64{-1, 2}}, false,
			func(u float64) float64 { return parabola(u) - parabola(-1) }, []float64{-1.1, -1, -0.3, 0, 1.7, 2, 2.1}},
		"ellipse": {curves.Curve{Kind: curves.Function, X: "2*cos(u)", Y: "2*sin(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}, false,
			func(u float64) float64 { return 2 * u }, []float64{-13, -1, 0, 4, 6.3, 100}},
		"spline": {curves.Curve{Kind: curves.Spline, Points: []spatial.Vec3{{0, 0, 0}, {1, 1, 0}, {2, 4, 0}, {3, 9, 0}}, Parameters: []float64{0, 1, 2, 3}}, false,
			parabola, []float64{0, 0.2, 1, 2.5, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			p := c.of.Prepared()
			p.MeasureArc(c.flat)
			for _, u := range c.u {
				assert.InDelta(t, c.want(u), p.Arc(u, 0, c.flat), tol*max(1, math.Abs(c.want(u))), "u = %v", u)
			}
			require.Zero(t, testing.AllocsPerRun(10, func() { p.Arc(c.u[1], 0, c.flat) }))
		})
	}
}
