package couplings_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/check"
)

const turn = 2 * math.Pi

// laws are some of each kind, with ranges from which places are drawn.
func laws() map[string]couplings.Law {
	at := []float64{-1, -0.4, 0.1, 0.7, 1.2, 2}
	values := make([]float64, len(at))
	for i, x := range at {
		values[i] = math.Sin(2 * x)
	}
	cam := []float64{0, 0.3, 1, 0.2, 0}
	angles := []float64{0, 1, 2.5, 4, turn}
	grid := couplings.Law{Kind: couplings.Grid, Spans: make([]couplings.Span, 2), X: at, Y: []float64{0, 0.5, 1, 1.8}}
	wave := couplings.Law{Kind: couplings.Grid, Spans: []couplings.Span{{Periodic: true, Advance: turn}, {}}, X: angles, Y: grid.Y, Ends: couplings.Natural}
	for _, x := range at {
		var line []float64
		for _, y := range grid.Y {
			line = append(line, math.Cos(x)*y+y*y)
		}
		grid.Lines = append(grid.Lines, line)
	}
	for i, x := range angles {
		var line []float64
		for _, y := range grid.Y {
			line = append(line, x+cam[i]*y)
		}
		wave.Lines = append(wave.Lines, line)
	}
	return map[string]couplings.Law{
		"table":    {Spans: make([]couplings.Span, 1), X: at, Values: values},
		"natural":  {Spans: make([]couplings.Span, 1), X: at, Values: values, Ends: couplings.Natural},
		"clamped":  {Spans: make([]couplings.Span, 1), X: at, Values: values, Ends: couplings.Clamped, Slopes: [2]float64{1, -2}},
		"periodic": {Spans: []couplings.Span{{Periodic: true}}, X: angles, Values: cam},
		"advance":  {Spans: []couplings.Span{{Periodic: true, Advance: 3}}, X: angles, Values: []float64{0, 0.3, 1, 2, 3}},
		"grid":     grid,
		"wave":     wave,
		"cardan": {Kind: couplings.Function, Spans: []couplings.Span{{From: -math.Pi, To: math.Pi, Periodic: true, Advance: turn}},
			Expression: "atan2(sin(x), 0.8*cos(x))"},
		"formula": {Kind: couplings.Function, Spans: make([]couplings.Span, 1), Expression: "sin(x) + 0.1*x^2"},
		"two":     {Kind: couplings.Function, Spans: make([]couplings.Span, 2), Expression: "sin(x)*y + exp(-y^2/10)*x"},
		"clamp": {Kind: couplings.Function, Spans: []couplings.Span{{From: 0, To: turn, Periodic: true}},
			Expression: "min(max(x, 0), 2)/2 - sin(pi*min(max(x, 0), 2))/(2*pi) - min(max((x-3)/2, 0), 1) + sin(2*pi*min(max((x-3)/2, 0), 1))/(2*pi)"},
		"roller": {Kind: couplings.Function, Spans: []couplings.Span{{From: -0.5, To: 0.5}, {From: 0, To: math.Pi, Periodic: true}},
			Expression: "sin(2*y)*sqrt(1 - x^2)"},
	}
}

func faultsOf(l *couplings.Law) (list []string) {
	l.Faults(func(field, value, rule string) { list = append(list, fmt.Sprintf("%s %s: %s", field, value, rule)) })
	return list
}

// TestDerivatives compares slopes and second derivatives with central differences, over several periods and beyond the ends
// of tables.
func TestDerivatives(t *testing.T) {
	const h, tol = 1e-5, 1e-7
	rng := check.Rand(43)
	for name, l := range laws() {
		require.Empty(t, faultsOf(&l), name)
		p := l.Prepared()
		for range 200 {
			x := [2]float64{8 * (rng.Float64() - 0.5), 6 * (rng.Float64() - 0.5)}
			switch name {
			case "roller":
				x[0] /= 8
			case "grid": // a little beyond its ends
				x = [2]float64{0.5 + x[0]/2, 0.9 + x[1]/3}
			}
			v := p.At(x)
			for i := range l.Coordinates() {
				to, from := x, x
				to[i] += h
				from[i] -= h
				a, b := p.At(to), p.At(from)
				require.InDelta(t, (a.F-b.F)/(2*h), v.D[i], tol*(1+math.Abs(v.D[i])), "%s at %v", name, x)
				for k := range l.Coordinates() {
					// A third derivative may jump at a point.
					require.InDelta(t, (a.D[k]-b.D[k])/(2*h), v.DD[i][k], 1e-3*(1+math.Abs(v.DD[i][k])), "%s at %v", name, x)
				}
			}
			require.Zero(t, testing.AllocsPerRun(1, func() { p.At(x) }))
		}
	}
}

// TestPeriods: a law that repeats gains its advance with each period, with the same derivatives.
func TestPeriods(t *testing.T) {
	all := laws()
	for name, advance := range map[string]float64{"periodic": 0, "advance": 3, "cardan": turn, "wave": turn} {
		l := all[name]
		p := l.Prepared()
		for _, x := range []float64{0.3, 2.2, 5.5} {
			for n := -3.0; n <= 3; n++ {
				a, b := p.At([2]float64{x, 0.8}), p.At([2]float64{x + n*turn, 0.8})
				require.InDelta(t, a.F+n*advance, b.F, 1e-13*turn*4, name)
				require.InDelta(t, a.D[0], b.D[0], 1e-12, name)
				require.InDelta(t, a.DD[0][0], b.DD[0][0], 1e-12, name)
			}
			at, _, _ := p.Outside([2]float64{100 * x, 0.8})
			require.Equal(t, -1, at)
		}
	}
}

// TestGridOfCubics: the product of not-a-knot splines is exact for cubics.
func TestGridOfCubics(t *testing.T) {
	f := func(x, y float64) float64 { return (1 + x - 0.5*x*x*x) * (2 - y*y + 0.3*y*y*y) }
	l := couplings.Law{Kind: couplings.Grid, Spans: make([]couplings.Span, 2), X: []float64{-1, 0, 0.4, 1.1, 2}, Y: []float64{0, 1, 1.5, 3}}
	for _, x := range l.X {
		var line []float64
		for _, y := range l.Y {
			line = append(line, f(x, y))
		}
		l.Lines = append(l.Lines, line)
	}
	require.Empty(t, faultsOf(&l))
	p := l.Prepared()
	for x := -1.2; x < 2.3; x += 0.13 {
		for y := -0.2; y < 3.3; y += 0.17 {
			v := p.At([2]float64{x, y})
			a, b := 1+x-0.5*x*x*x, 2-y*y+0.3*y*y*y
			for _, c := range [][2]float64{{a * b, v.F}, {(1 - 1.5*x*x) * b, v.D[0]}, {a * (-2*y + 0.9*y*y), v.D[1]}, {-3 * x * b, v.DD[0][0]},
				{(1 - 1.5*x*x) * (-2*y + 0.9*y*y), v.DD[0][1]}, {a * (-2 + 1.8*y), v.DD[1][1]}} {
				require.InDelta(t, c[0], c[1], 1e-11, "%v %v", x, y)
			}
		}
	}
}

// TestOutside names the coordinate and the ends.
func TestOutside(t *testing.T) {
	all := laws()
	l := all["grid"]
	p := l.Prepared()
	for x, want := range map[[2]float64]int{{0, 1}: -1, {-1, 0}: -1, {2, 1.8}: -1, {2.1, 1}: 0, {-1.1, 9}: 0, {0, -0.1}: 1, {0, 1.9}: 1, {math.NaN(), 1}: 0} {
		at, from, to := p.Outside(x)
		require.Equal(t, want, at, "%v", x)
		if at >= 0 {
			require.Equal(t, [][2]float64{{-1, 2}, {0, 1.8}}[at], [2]float64{from, to})
		}
	}
	f := all["formula"]
	at, _, _ := f.Prepared().Outside([2]float64{1e6})
	require.Equal(t, -1, at)
}

// TestKinks: what has no two continuous derivatives is refused with the place.
func TestKinks(t *testing.T) {
	one := []couplings.Span{{From: -2, To: 3}}
	for expression, c := range map[string]struct {
		spans []couplings.Span
		want  string
	}{
		"abs(x - 0.7)":                   {one, "slope jumps by 2 at x = 0.7"},
		"max(0, x)^2":                    {one, "second derivative jumps by 2 at x = "},
		"x + 0.002*max(0, x-1.3)^2":      {one, "second derivative jumps by 0.004 at x = 1.3"},
		"sin(3*x) + 0.1*max(0, x-1.3)^2": {one, "second derivative jumps by 0.2 at x = 1.3"},
		"atan2(sin(x), cos(x))":          {[]couplings.Span{{From: 0, To: turn, Periodic: true, Advance: turn}}, "value jumps by -6.28 at x = 3.14159"},
		"atan(tan(x)/0.8)":               {make([]couplings.Span, 1), "a range says where it holds"},
		"sqrt(x)":                        {one, "no finite value, slope or second derivative at x = -2"},
		"sin(x)":                         {[]couplings.Span{{From: 0, To: 3, Periodic: true}}, "its value at x = 3 is 0.1411200081 more than at the start of the period, the advance is 0"},
		"sin(x)^2":                       {[]couplings.Span{{From: 0.2, To: math.Pi - 0.2, Periodic: true}}, "its slope at x = 2.94"},
		"x*abs(y - 0.27)":                {[]couplings.Span{{From: 1, To: 2}, {From: -1, To: 1}}, "slope jumps by 2 at x = 1, y = 0.27"},
		"x*cos(y)":                       {[]couplings.Span{{From: 1, To: 2}, {From: 0, To: 2, Periodic: true}}, "value at x = 1, y = 2"},
	} {
		l := couplings.Law{Kind: couplings.Function, Spans: c.spans, Expression: expression}
		got := faultsOf(&l)
		require.Len(t, got, 1, expression)
		require.Contains(t, got[0], c.want, expression)
	}
	for _, expression := range []string{"tanh(1e4*x)", "max(0, x)^3", "x", "3", "1e-9*sin(x)", "sin(x)^2 + cos(x)^2", "exp(x)", "log(x)", "cos(200*x)"} {
		for _, s := range []couplings.Span{{}, {From: 0.1, To: 3}} {
			l := couplings.Law{Kind: couplings.Function, Spans: []couplings.Span{s}, Expression: expression}
			require.Empty(t, faultsOf(&l), expression)
		}
	}
}

// TestFaults: one fault each, with the field.
func TestFaults(t *testing.T) {
	all := laws()
	for _, c := range []struct {
		from, want string
		change     func(l *couplings.Law)
	}{
		{"table", "of : wrong length 2, a law of the kind table is of 1 coordinate", func(l *couplings.Law) { l.Spans = make([]couplings.Span, 2) }},
		{"grid", "of : wrong length 1, a law of the kind grid is of 2 coordinates", func(l *couplings.Law) { l.Spans = l.Spans[:1] }},
		{"two", "of : wrong length 0, a law of the kind function is of 1 or 2 coordinates", func(l *couplings.Law) { l.Spans = nil }},
		{"formula", "kind Kind(9): unknown kind", func(l *couplings.Law) { l.Kind = 9 }},
		{"table", "of[0].range : has no meaning for the kind table", func(l *couplings.Law) { l.Spans = []couplings.Span{{From: 1, To: 2}} }},
		{"formula", "of[0].range 1: is not above the start, 2", func(l *couplings.Law) { l.Spans = []couplings.Span{{From: 2, To: 1}} }},
		{"formula", "of[0].range : is not finite", func(l *couplings.Law) { l.Spans = []couplings.Span{{From: 2, To: math.Inf(1)}} }},
		{"formula", "of[0].periodic true: needs a range", func(l *couplings.Law) { l.Spans = []couplings.Span{{Periodic: true}} }},
		{"formula", "of[0].advance 2: has no meaning unless", func(l *couplings.Law) { l.Spans = []couplings.Span{{Advance: 2}} }},
		{"periodic", "of[0].advance NaN: is not finite", func(l *couplings.Law) { l.Spans = []couplings.Span{{Periodic: true, Advance: math.NaN()}} }},
		{"table", "expression", func(l *couplings.Law) { l.Expression = "x" }},
		{"table", "ends Ends(3): unknown end", func(l *couplings.Law) { l.Ends = 3 }},
		{"periodic", "ends natural: has no meaning where the law is periodic", func(l *couplings.Law) { l.Ends = couplings.Natural }},
		{"grid", "ends clamped: a grid has no slopes at its ends", func(l *couplings.Law) { l.Ends = couplings.Clamped }},
		{"table", "slopes : has no meaning for ends not_a_knot", func(l *couplings.Law) { l.Slopes[1] = 1 }},
		{"clamped", "slopes[0] NaN: is not finite", func(l *couplings.Law) { l.Slopes[0] = math.NaN() }},
		{"table", "y : has no meaning", func(l *couplings.Law) { l.Y = []float64{1} }},
		{"table", "x : wrong length 1, from 2 to 1000000 points", func(l *couplings.Law) { l.X, l.Values = l.X[:1], l.Values[:1] }},
		{"table", "x[1] -1: is not above the one before, -1", func(l *couplings.Law) { l.X = []float64{-1, -1, 0, 1, 2, 3} }},
		{"table", "x[2] +Inf: is not finite", func(l *couplings.Law) { l.X = []float64{-1, 0, math.Inf(1), 4, 5, 6} }},
		{"table", "values : wrong length 5, x has 6 entries", func(l *couplings.Law) { l.Values = l.Values[:5] }},
		{"table", "values[0] NaN: is not finite", func(l *couplings.Law) { l.Values = []float64{math.NaN(), 0, 0, 0, 0, 0} }},
		{"periodic", "values[4] 0.1: must be 0: the first value and the advance of a period", func(l *couplings.Law) { l.Values = []float64{0, 1, 2, 1, 0.1} }},
		{"table", "x[0] -1: makes a slope that overflows", func(l *couplings.Law) { l.Values = []float64{-1e308, 1e308, -1e308, 1, 1, 1} }},
		{"table", "x[0] -1: makes a slope that overflows", func(l *couplings.Law) { l.Values = []float64{-1e101, 1e101, -1e101, 1, 1, 1} }},
		{"grid", "values : wrong length 5, x has 6 entries", func(l *couplings.Law) { l.Lines = l.Lines[:5] }},
		{"grid", "values[0] : wrong length 1, y has 4 entries", func(l *couplings.Law) { l.Lines = append([][]float64{{1}}, l.Lines[1:]...) }},
		{"grid", "values[0][1] NaN: is not finite", func(l *couplings.Law) { l.Lines = append([][]float64{{1, math.NaN(), 1, 1}}, l.Lines[1:]...) }},
		{"wave", "values[4][0] 0: must be 6.28", func(l *couplings.Law) {
			l.Lines = append(append([][]float64{}, l.Lines[:4]...), append([]float64{0}, l.Lines[4][1:]...))
		}},
		{"formula", "x : has no meaning for a function", func(l *couplings.Law) { l.X = []float64{1} }},
		{"formula", `expression "x+": expression, character 3`, func(l *couplings.Law) { l.Expression = "x+" }},
		{"formula", `expression "x*y": has y, which is a second coordinate`, func(l *couplings.Law) { l.Expression = "x*y" }},
	} {
		l := all[c.from]
		c.change(&l)
		got := faultsOf(&l)
		require.Len(t, got, 1, c.want)
		require.Contains(t, got[0], c.want)
	}
}

// TestTolerances: what is just within each tolerance of Faults and of Outside passes, and what is a hundred times beyond
// does not.
func TestTolerances(t *testing.T) {
	refused := func(want bool, l couplings.Law, what string) {
		t.Helper()
		require.Equal(t, want, len(faultsOf(&l)) > 0, what)
	}
	formula := func(text string, s couplings.Span) couplings.Law {
		return couplings.Law{Kind: couplings.Function, Spans: []couplings.Span{s}, Expression: text}
	}
	for last, want := range map[float64]bool{1e-10: false, 1e-7: true} {
		refused(want, couplings.Law{Spans: []couplings.Span{{Periodic: true}}, X: []float64{0, 1, 2, 3}, Values: []float64{0, 1, 0.5, last}}, "last value")
	}
	for period, want := range map[float64]bool{6.2831853: false, 6.2832: true} {
		refused(want, formula("sin(x)", couplings.Span{To: period, Periodic: true}), "seam")
	}
	refused(false, formula("abs(x - 25)", couplings.Span{}), "a kink beyond where a law without a range is looked at")
	refused(false, formula("cos(2.5e6*x)", couplings.Span{}), "quick but smooth")
	refused(false, formula("1 + sin(x+1) - sin(x)*cos(1) - cos(x)*sin(1)", couplings.Span{}), "derivatives that are rounding")
	refused(true, formula("1 + 1e-12*max(0, x-1.3)^2", couplings.Span{From: -2, To: 3}), "a small kink")

	l := couplings.Law{Spans: make([]couplings.Span, 1), X: []float64{0, 2}, Values: []float64{0, 1}}
	p := l.Prepared()
	for beyond, want := range map[float64]int{1e-9: -1, 2e-7: 0} {
		for _, x := range []float64{-beyond, 2 + beyond} {
			at, _, _ := p.Outside([2]float64{x})
			require.Equal(t, want, at, "%v", x)
		}
	}
}
