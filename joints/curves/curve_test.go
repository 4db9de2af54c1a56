package curves_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

const turn = 2 * math.Pi

var corners = []spatial.Vec3{{2, 0, 0}, {1.5, 1.6, 0.3}, {0, 2, 0.8}, {-1.8, 1, 0.2}, {-1.6, -1.2, -0.4}, {0.3, -2, 0}}

// list are some curves of each kind.
func list() map[string]*curves.Curve {
	return map[string]*curves.Curve{
		"line":       {Ends: [2]spatial.Vec3{{1, 2, 3}, {-1, 4, 2}}},
		"circle":     {Kind: curves.Circle, Radius: 0.7},
		"tilted":     {Kind: curves.Circle, Center: spatial.Vec3{1, -2, 0.5}, Axis: spatial.Vec3{1e-200, 0, 2e-200}, Start: spatial.Vec3{3, 1, 0}, Radius: 2},
		"arc":        {Kind: curves.Circle, Axis: spatial.Vec3{1}, Start: spatial.Vec3{0, 0, -4}, Radius: 2, Range: [2]float64{-1, 2.5}},
		"spline":     {Kind: curves.Spline, Points: corners},
		"natural":    {Kind: curves.Spline, Points: corners, Natural: true},
		"closed":     {Kind: curves.Spline, Points: corners, Closed: true},
		"parameters": {Kind: curves.Spline, Points: corners, Parameters: []float64{-2, 0, 1, 3, 4, 7}},
		"laps":       {Kind: curves.Spline, Points: corners, Parameters: []float64{-2, 0, 1, 3, 4, 7, 8}, Closed: true},
		"helix":      {Kind: curves.Function, X: "cos(u)", Y: "sin(u)", Z: "0.2*u", Range: [2]float64{-7, 5}},
		"eight":      {Kind: curves.Function, X: "sin(u)", Y: "sin(2*u)", Range: [2]float64{1, 1 + turn}, Closed: true},
	}
}

// TestAt: derivatives agree with differences of values, everywhere, beyond ends too; a closed curve repeats; circles are circles about
// their axes.
func TestAt(t *testing.T) {
	const (
		h    = 1e-4
		tol  = 1e-6 // h² times a third derivative of order 10, and what jumps at a point of a spline
		tol2 = 2e-3 // h times that jump
	)
	for name, c := range list() {
		t.Run(name, func(t *testing.T) {
			p := c.Prepared()
			from, to := p.Span()
			for i := range 101 {
				u := from - 0.3 + (to-from+0.6)*float64(i)/100
				at, next, last := p.At(u), p.At(u+h), p.At(u-h)
				for k := range at.C {
					require.InDelta(t, (next.C[k]-last.C[k])/(2*h), at.D[k], tol, "u = %v", u)
					require.InDelta(t, (next.D[k]-last.D[k])/(2*h), at.DD[k], tol2, "u = %v", u)
				}
				if p.IsClosed() {
					lap := p.At(u + 3*(to-from))
					require.InDelta(t, 0, lap.C.Sub(at.C).Norm(), 1e-12)
				}
				if c.Kind == curves.Circle && u >= from && u <= to {
					require.InDelta(t, c.Radius, at.C.Sub(c.Center).Norm(), 1e-14)
					require.InDelta(t, c.Radius, at.D.Norm(), 1e-14)
				}
			}
		})
	}
	arc := list()["arc"].Prepared()
	at := arc.At(0)
	require.InDelta(t, 0, at.C.Sub(spatial.Vec3{0, 0, -2}).Norm(), 1e-15)
	require.InDelta(t, 0, at.D.Sub(spatial.Vec3{0, 2, 0}).Norm(), 1e-15, "x×(−z) is y")
	p := list()["laps"].Prepared()
	for i, x := range corners {
		at := p.At([]float64{-2, 0, 1, 3, 4, 7}[i])
		require.InDelta(t, 0, at.C.Sub(x).Norm(), 1e-14, "point %d", i)
	}
	at = p.At(8)
	require.InDelta(t, 0, at.C.Sub(corners[0]).Norm(), 1e-14)
	chord := list()["spline"].Prepared()
	_, to := chord.Span()
	sum := 0.0
	for i := range corners[1:] {
		sum += corners[i+1].Sub(corners[i]).Norm()
	}
	require.InDelta(t, sum, to, 1e-14)
}

// TestNearest: points near a curve have the foot that they were made from, which is the nearest of all samples; searches from near it lead
// there, laps counted, and a search from elsewhere stays in its own valley.
func TestNearest(t *testing.T) {
	for name, c := range list() {
		for _, flat := range []bool{false, true} {
			if flat && name == "arc" {
				continue // which runs along z somewhere
			}
			t.Run(fmt.Sprintf("%s %t", name, flat), func(t *testing.T) {
				p := c.Prepared()
				from, to := p.Span()
				r := rand.New(rand.NewPCG(1, 5))
				for range 10 {
					u := from + (to-from)*(0.02+0.96*r.Float64())
					at := p.At(u)
					d := spatial.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
					T := at.D
					if flat {
						T[2] = 0
					}
					d = d.Sub(T.Scale(d.Dot(T) / T.Dot(T))).Scale(0.02)
					x := at.C.Add(d)
					if flat {
						x[2] += 10
					}
					got := p.Nearest(&x, flat)
					gap := func(u float64) float64 {
						d := x.Sub(p.At(u).C)
						if flat {
							d[2] = 0
						}
						return d.Norm()
					}
					for i := range 501 {
						require.LessOrEqual(t, gap(got), gap(from+(to-from)*float64(i)/500)+1e-9*p.Size())
					}
					laps := 0.0
					if p.IsClosed() {
						laps = 5 * (to - from)
					}
					near := p.From(&x, flat, u+0.03*(to-from)+laps)
					require.InDelta(t, u+laps, near, 1e-11*(1+laps), "search from near")
					require.Equal(t, near, p.From(&x, flat, u+0.03*(to-from)+laps), "the same bits")
				}
			})
		}
	}
	// At the crossing of a figure eight both branches are nearest: the search stays on its own.
	p := list()["eight"].Prepared()
	at := spatial.Vec3{1e-9, -1e-9, 0}
	require.InDelta(t, math.Pi, p.From(&at, false, 3.3), 1e-8)
	require.InDelta(t, turn, p.From(&at, false, 6.2), 1e-8)
	require.InDelta(t, math.Pi, p.Nearest(&spatial.Vec3{}, false), 1e-12, "the smallest parameter")
	// A state of another pose: the parameter that it carries is of no use.
	far := p.At(1.7).C
	require.InDelta(t, 1.7+turn, p.From(&far, false, 4+turn), 1e-12)
}

func TestEnds(t *testing.T) {
	p := list()["line"].Prepared()
	from, to := p.Span()
	require.Equal(t, [2]float64{0, 3}, [2]float64{from, to})
	for u, out := range map[float64]bool{-1: true, -4e-9: true, -2e-9: false, 0: false, 3: false, 3.000000002: false, 3.000000004: true, math.NaN(): true} {
		require.Equal(t, out, p.Outside(u), u)
	}
	ring := list()["circle"].Prepared()
	require.False(t, ring.Outside(-100))
	x := spatial.Vec3{9, -3, 7}
	require.True(t, p.Outside(p.Nearest(&x, false)), "a point beyond the ends")
}

func faultsOf(c *curves.Curve, flat bool) (all []string) {
	c.Faults(flat, func(field, value, rule string) { all = append(all, strings.TrimSpace(field+" "+value)+": "+rule) })
	return all
}

func TestFaults(t *testing.T) {
	for name, c := range list() {
		require.Empty(t, faultsOf(c, false), name)
		require.Equal(t, name == "arc", len(faultsOf(c, true)) > 0, name)
	}
	nan, inf := math.NaN(), math.Inf(1)
	f := func(x, y, z string, from, to float64) *curves.Curve {
		return &curves.Curve{Kind: curves.Function, X: x, Y: y, Z: z, Range: [2]float64{from, to}}
	}
	// Coordinates and parts of the curvature that are rounding alone.
	for _, c := range []*curves.Curve{
		f("cos(3*u)", "sin(3*u)", "0.2*u", -20, 30), f("0.3*u", "u", "cos(u)^2+sin(u)^2-1", -1, 1), f("cos(u)", "sin(u)", "sin(2*u)-2*sin(u)*cos(u)", 0, 3),
	} {
		require.Empty(t, faultsOf(c, false), c.Z)
	}
	ring := func(x, y string, to float64) *curves.Curve {
		c := f(x, y, "", 0, to)
		c.Closed = true
		return c
	}
	pts := func(closed bool, p ...spatial.Vec3) *curves.Curve {
		return &curves.Curve{Kind: curves.Spline, Points: p, Closed: closed}
	}
	for _, x := range []struct {
		want string
		c    *curves.Curve
	}{
		{"kind Kind(9): unknown kind", &curves.Curve{Kind: 9}},
		{"ends: are one point", new(curves.Curve)},
		{"ends[1][2] NaN: is not finite", &curves.Curve{Ends: [2]spatial.Vec3{{}, {0, 0, nan}}}},
		{"points: makes a curve that overflows", pts(false, spatial.Vec3{1e308}, spatial.Vec3{-1e308})},
		{"radius: has no meaning for the kind line", &curves.Curve{Ends: [2]spatial.Vec3{{1}}, Radius: 1}},
		{"points: has no meaning for the kind circle", &curves.Curve{Kind: curves.Circle, Radius: 1, Points: corners}},
		{"radius 0: is not positive and finite", &curves.Curve{Kind: curves.Circle}},
		{"radius NaN: is not positive and finite", &curves.Curve{Kind: curves.Circle, Radius: nan}},
		{"center[1] +Inf: is not finite", &curves.Curve{Kind: curves.Circle, Radius: 1, Center: spatial.Vec3{0, inf}}},
		{"start: is along the axis", &curves.Curve{Kind: curves.Circle, Radius: 1, Axis: spatial.Vec3{1}}},
		{"start: is along the axis", &curves.Curve{Kind: curves.Circle, Radius: 1, Start: spatial.Vec3{0, 1e-7, 2}}},
		{"range [1, 1]: must rise", &curves.Curve{Kind: curves.Circle, Radius: 1, Range: [2]float64{1, 1}}},
		{"range [0, 6.283185307179586]: is a turn or more: a whole circle has no range", &curves.Curve{Kind: curves.Circle, Radius: 1, Range: [2]float64{0, turn}}},
		{"points: wrong length 1, from 2 to 100000 points", pts(false, spatial.Vec3{})},
		{"points: wrong length 2, from 3 to 100000 points", pts(true, spatial.Vec3{}, spatial.Vec3{1})},
		{"file \"a.csv\": has not been loaded", &curves.Curve{Kind: curves.Spline, File: "a.csv"}},
		{"points[1][0] NaN: is not finite", pts(false, spatial.Vec3{}, spatial.Vec3{nan})},
		{"points[1]: is the point before it", pts(false, spatial.Vec3{}, spatial.Vec3{})},
		{"points[2]: is the first point: a closed curve goes on from the last to the first by itself", pts(true, spatial.Vec3{}, spatial.Vec3{1}, spatial.Vec3{})},
		{"natural true: has no meaning where the curve is closed", &curves.Curve{Kind: curves.Spline, Points: corners, Closed: true, Natural: true}},
		{"parameters: wrong length 6, must have 7 entries, one a point and one for the first point again",
			&curves.Curve{Kind: curves.Spline, Points: corners, Parameters: make([]float64, 6), Closed: true}},
		{"parameters[1] 0: is not above the one before, 0", &curves.Curve{Kind: curves.Spline, Points: corners, Parameters: make([]float64, 6)}},
		{"parameters[0] NaN: is not finite", &curves.Curve{Kind: curves.Spline, Points: corners[:2], Parameters: []float64{nan, 1}}},
		{"points: has no tangent at u = 1, where |c′| is ", pts(false, spatial.Vec3{}, spatial.Vec3{1}, spatial.Vec3{})},
		{"y: missing", f("u", "", "", 0, 1)},
		{"range [0, 0]: must rise", f("u", "u", "", 0, 0)},
		{"range: is not finite", f("u", "u", "", 0, inf)},
		{`x "x": expression, character 1: expected a number, u, pi, a function, a sign or "(", found "x"`, f("x", "u", "", 0, 1)},
		{`y "abs(u)": its slope jumps by 2 at u = -9`, f("u", "abs(u)", "", -1, 2)},
		{`z "u*abs(u)": its part of the curvature jumps by 2 at u = -9`, f("u", "u", "u*abs(u)", -1, 2)},
		{`z "min(max(u, 0), 1)^3": its slope jumps by -3 at u = `, f("u", "u", "min(max(u, 0), 1)^3", -1, 2)},
		{`x "sqrt(u)": has no finite value, slope or second derivative at u = 0`, f("sqrt(u)", "1", "", 0, 2)},
		{`y "sin(u)": its slope at u = 3.141593 is -2 more than at the start, and the curve is closed`, ring("cos(2*u)", "sin(u)", math.Pi)},
		{`x "u": its value at u = 1 is 1 more than at the start, and the curve is closed`, ring("u", "sin(2*pi*u)", 1)},
		{"x: has no tangent at u = 0, where |c′| is 0: a cusp, or a place at which the curve turns back", f("u - sin(u)", "1 - cos(u)", "", 0, 3)},
		{"x: has no tangent at u = 6.283185", f("u - sin(u)", "1 - cos(u)", "", 0.1, 7)},
		{"x: has no tangent at u = 2", f("(u - 2)^2", "(u - 2)^3", "", 0, 3)},
		{"x: has no tangent at u = 3", f("(u - 3)^2", "(u - 3)^3", "", 0, 3)},
	} {
		all := faultsOf(x.c, false)
		require.NotEmpty(t, all, x.want)
		require.True(t, strings.HasPrefix(all[0], x.want), "%q\n%q", x.want, all[0])
	}
	// What has a tangent, but none in the plane.
	upright := &curves.Curve{Ends: [2]spatial.Vec3{{}, {0, 0, 1}}}
	require.Empty(t, faultsOf(upright, false))
	require.Equal(t, []string{"ends: has no tangent at u = 0.5, where |c′| is 0 in the plane: a cusp, or a place at which the curve turns back"}, faultsOf(upright, true))
	// Near a cusp there is a tangent.
	near := f("u - sin(u)", "1 - cos(u)", "", 0.001, 6)
	require.Empty(t, faultsOf(near, false))
	p := near.Prepared()
	require.False(t, p.Cusp(0.001, false))
	require.True(t, (&curves.Curve{Kind: curves.Function, X: "u^2", Y: "u^3", Range: [2]float64{-1, 1}}).Prepared().Cusp(1e-7, false))
}

// TestNothingIsAllocated by evaluations and searches.
func TestNothingIsAllocated(t *testing.T) {
	for name, c := range list() {
		p := c.Prepared()
		x := p.At(1).C
		require.Zero(t, testing.AllocsPerRun(10, func() {
			x[0] += 1e-3 * p.From(&x, false, 1.1) * p.Nearest(&x, true)
		}), name)
	}
}
