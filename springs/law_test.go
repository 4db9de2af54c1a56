package springs_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/springs"
)

func at(t *testing.T, l *springs.Laws, x, y float64) (f, fx, fy float64) {
	t.Helper()
	f, fx, fy, err := l.At(x, y)
	require.NoError(t, err)
	return f, fx, fy
}

// TestTables: tables of every kind pass their points, have the slope of their differences and the force as slope of the
// potential, also beyond the ends.
func TestTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for i := range len(springs.InterpolationNames) {
		for _, outside := range []springs.Outside{springs.Tangent, springs.Level} {
			for _, n := range []int{2, 3, 4, 9} {
				l := &springs.Law{Interpolation: springs.Interpolation(i), Outside: outside}
				x := -1.0
				for range n {
					l.At, l.Forces = append(l.At, x), append(l.Forces, rng.NormFloat64())
					x += 0.2 + rng.Float64()
				}
				l.Faults(func(field, value, rule string) { t.Fatal(field, value, rule) })
				laws := &springs.Laws{Spring: l.Prepared()}
				for k := range n {
					f, _, _ := at(t, laws, l.At[k], 7)
					require.InDelta(t, l.Forces[k], f, 1e-14)
				}
				for range 50 {
					x := -2 + (l.At[n-1]+3)*rng.Float64()
					f, fx, fy := at(t, laws, x, 3)
					require.Zero(t, fy)
					const h = 1e-5
					near := false
					for _, k := range l.At {
						near = near || math.Abs(x-k) <= 2*h
					}
					if near {
						continue
					}
					a, _, _ := at(t, laws, x-h, 0)
					b, _, _ := at(t, laws, x+h, 0)
					require.InDelta(t, (b-a)/(2*h), fx, 1e-7)
					require.InDelta(t, f, (laws.Potential(x+h)-laws.Potential(x-h))/(2*h), 1e-7)
				}
				require.Zero(t, laws.Potential(0))
			}
		}
	}
}

// TestMonotone: the default rises where the points do, and does not
// pass a turn; the slopes of a known table are those of PCHIP.
func TestMonotone(t *testing.T) {
	l := (&springs.Law{At: []float64{0, 1, 2, 4, 5, 6}, Forces: []float64{0, 1, 1, 5, 4, 4.5}}).Prepared()
	laws := &springs.Laws{Spring: l}
	want := []float64{1.5, 0, 0, 0, 0, 1.25}
	for i, x := range l.At {
		_, slope, _ := at(t, laws, x, 0)
		require.InDelta(t, want[i], slope, 1e-14, i)
	}
	for x := 0.0; x < 1; x += 0.01 {
		f, slope, _ := at(t, laws, x, 0)
		require.True(t, f >= 0 && f <= 1 && slope >= 0)
	}
	l = (&springs.Law{At: []float64{0, 1, 3}, Forces: []float64{0, 1, 4}}).Prepared()
	_, slope, _ := at(t, &springs.Laws{Spring: l}, 1, 0)
	require.InDelta(t, 9/(5/1.0+4/1.5), slope, 1e-14) // 3(g+h)/((2h+g)/s + (h+2g)/t)
}

// TestLinear: a table on a line is that line, with its parabola as potential.
func TestLinear(t *testing.T) {
	for i := range len(springs.InterpolationNames) {
		l := (&springs.Law{At: []float64{-1, 0.5, 2, 3}, Forces: []float64{-70, 35, 140, 210}, Interpolation: springs.Interpolation(i)}).Prepared()
		laws := &springs.Laws{Spring: l}
		for x := -3.0; x < 5; x += 0.37 {
			f, fx, _ := at(t, laws, x, 1)
			require.InDelta(t, 70*x, f, 1e-12)
			require.InDelta(t, 70, fx, 1e-12)
			require.InDelta(t, 35*x*x, laws.Potential(x), 1e-11)
		}
	}
}

// TestFunctions: derivatives are those of the formula, the potential
// is exact to 1e-12 for smooth ones and for one with a kink.
func TestFunctions(t *testing.T) {
	for expression, u := range map[string]func(x float64) float64{
		"3*x^3 - x + 2*y":       func(x float64) float64 { return 0.75*math.Pow(x, 4) - x*x/2 },
		"sin(5*x)*(1+y^2)":      func(x float64) float64 { return (1 - math.Cos(5*x)) / 5 },
		"exp(2*x) + x*y":        func(x float64) float64 { return (math.Exp(2*x) - 1) / 2 },
		"abs(x - 0.3)":          func(x float64) float64 { return (math.Abs(x-0.3)*(x-0.3) + 0.09) / 2 },
		"max(0, x-0.1)^1.5 + y": func(x float64) float64 { return 0.4 * math.Pow(max(0, x-0.1), 2.5) },
	} {
		l := &springs.Law{Kind: springs.Function, Expression: expression}
		l.Faults(func(field, value, rule string) { t.Fatal(field, value, rule) })
		laws := &springs.Laws{Spring: l.Prepared()}
		require.Equal(t, strings.Contains(expression, "y"), laws.Dissipates())
		for x := -1.37; x < 2; x += 0.31 {
			require.InDelta(t, u(x), laws.Potential(x), 1e-12*(1+math.Abs(u(x))), "%s at %v", expression, x)
			const h = 1e-5
			_, fx, fy := at(t, laws, x, 0.4)
			a, _, _ := at(t, laws, x-h, 0.4)
			b, _, _ := at(t, laws, x+h, 0.4)
			require.InDelta(t, (b-a)/(2*h), fx, 1e-6)
			a, _, _ = at(t, laws, x, 0.4-h)
			b, _, _ = at(t, laws, x, 0.4+h)
			require.InDelta(t, (b-a)/(2*h), fy, 1e-6)
		}
	}
	pole := &springs.Laws{Spring: (&springs.Law{Kind: springs.Function, Expression: "1/(x-1)"}).Prepared()}
	require.True(t, math.IsNaN(pole.Potential(2)))
	_, _, _, err := pole.At(1, 0)
	require.ErrorIs(t, err, springs.ErrNotFinite)
}

// TestBoth: spring and damper add up. The potential of a damper is that of its force at rest.
func TestBoth(t *testing.T) {
	l := &springs.Laws{
		Spring: (&springs.Law{Kind: springs.Function, Expression: "x"}).Prepared(),
		Damper: (&springs.Law{At: []float64{-1, 1}, Forces: []float64{-1, 5}, Outside: springs.Stop}).Prepared(),
	}
	f, fx, fy := at(t, l, 2, 0.5)
	require.InDelta(t, 2+3.5, f, 1e-15)
	require.InDelta(t, 1, fx, 1e-15)
	require.InDelta(t, 3, fy, 1e-15)
	require.InDelta(t, 2+2*2, l.Potential(2), 1e-14)
	_, _, _, err := l.At(2, 1.5)
	require.ErrorIs(t, err, springs.ErrOutside)
	never := springs.Laws{Damper: (&springs.Law{At: []float64{1, 2}, Forces: []float64{1, 5}, Outside: springs.Stop}).Prepared()}
	require.True(t, math.IsNaN(never.Potential(2)), "a damper that has no force at rest")
	require.True(t, l.Dissipates())
}

// TestLawFaults: what is no law is refused, with the field.
func TestLawFaults(t *testing.T) {
	for name, c := range map[string]struct {
		l    springs.Law
		want string
	}{
		"one point":    {springs.Law{At: []float64{1}, Forces: []float64{1}}, "at:  wrong length 1, a table has from 2 to 1000000 points"},
		"lengths":      {springs.Law{At: []float64{1, 2}, Forces: []float64{1}}, "forces:  wrong length 1, at has 2 entries"},
		"order":        {springs.Law{At: []float64{1, 1}, Forces: []float64{1, 2}}, "at[1]: 1 is not above the one before, 1"},
		"nan":          {springs.Law{At: []float64{1, math.NaN()}, Forces: []float64{1, 2}}, "at[1]: NaN is not finite"},
		"inf":          {springs.Law{At: []float64{1, 2}, Forces: []float64{1, math.Inf(1)}}, "forces[1]: +Inf is not finite"},
		"overflow":     {springs.Law{At: []float64{0, 1e-300}, Forces: []float64{0, 1e300}}, "at[0]: 0 makes a slope or an integral that overflows"},
		"unknown":      {springs.Law{At: []float64{0, 1}, Forces: []float64{0, 1}, Interpolation: 9}, "interpolation: Interpolation(9) unknown interpolation"},
		"ends":         {springs.Law{At: []float64{0, 1}, Forces: []float64{0, 1}, Outside: 9}, "outside: Outside(9) unknown end"},
		"kind":         {springs.Law{Kind: 7}, "kind: Kind(7) unknown kind"},
		"no formula":   {springs.Law{Kind: springs.Function, Expression: "x+"}, `expression: "x+" expression, character 3: expected a number, x, y, pi, a function, a sign or "(", found the end`},
		"pole":         {springs.Law{Kind: springs.Function, Expression: "1/x"}, `expression: "1/x" has no finite value or slope where x and y are 0`},
		"mixed":        {springs.Law{Kind: springs.Function, Expression: "x", At: []float64{1}}, "at:  has no meaning for a function"},
		"mixed tables": {springs.Law{At: []float64{0, 1}, Forces: []float64{0, 1}, Expression: "x"}, `expression: "x" has no meaning for a table`},
	} {
		got := ""
		c.l.Faults(func(field, value, rule string) { got += field + ": " + value + " " + rule })
		require.Equal(t, c.want, got, name)
	}
}

// TestNoAllocation: laws and frames are evaluated without memory.
func TestNoAllocation(t *testing.T) {
	l := &springs.Laws{
		Spring: (&springs.Law{Kind: springs.Function, Expression: "x+sin(y)"}).Prepared(),
		Damper: (&springs.Law{At: []float64{-1, 1}, Forces: []float64{-1, 5}}).Prepared(),
	}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		_, _, _, _ = l.At(1, 2)
		l.Potential(1)
	}))
}
