package ground_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
)

func function(t testing.TB, expression string) *ground.Surface {
	t.Helper()
	s, err := ground.Function(expression)
	require.NoError(t, err, expression)
	return s
}

// TestExpressions: values by hand, in particular what binds to what.
func TestExpressions(t *testing.T) {
	x, y := 0.7, -1.3
	for expression, want := range map[string]float64{
		"1 + 2*3 - 4/8":             6.5,
		"2^3^2":                     512,
		"-2^2":                      -4,
		"2^-2":                      0.25,
		"--3 + +2":                  5,
		"(1+2)*(3-5)":               -6,
		"8/4/2":                     1,
		"5-3-1":                     1,
		"1.5e2 + .5 + 2.":           152.5,
		"2e-1*10":                   2,
		"pi":                        math.Pi,
		"min(x, y) + 10*max(x, y)":  y + 10*x,
		"abs(y) - sqrt(x)":          -y - math.Sqrt(x),
		"atan2(y, x)":               math.Atan2(y, x),
		"exp(x)*log(2) + x^y":       math.Exp(x)*math.Log(2) + math.Pow(x, y),
		"sinh(x)-cosh(y)*tanh(x)":   math.Sinh(x) - math.Cosh(y)*math.Tanh(x),
		"asin(x)+acos(x)-pi/2":      0,
		"sin(x)^2+cos(x)^2+tan(pi)": 1,
		"\tx\n*\r y ":               x * y,
	} {
		check.Close(t, at(t, function(t, expression), x, y).Z, want, 1e-15, 1+math.Abs(want), "%s", expression)
	}
}

// TestExpressionDerivatives compares derivatives of every operation with differences: forward ones of heights would
// tell 1e-6 at best, so slopes are compared with differences of heights, and second derivatives with differences of slopes.
func TestExpressionDerivatives(t *testing.T) {
	const d, tol = 1e-5, 1e-8
	for _, e := range []string{
		"x*y", "x/y", "x^2*y^3", "x^y", "y^1.7*x", "x^-2", "sin(x*y)", "cos(x-y^2)", "tan(x*y/4)", "asin(x*y/9)", "acos(x*y/9)", "atan(x^2-y)",
		"atan2(x, y)", "atan2(y, x)", "atan2(-x, -y)", "atan2(y^2, -x)", "sinh(x*y)", "cosh(x-y)", "tanh(x*y)", "exp(-x*y)", "log(x+y^2)",
		"sqrt(x*y)", "abs(x-3*y)", "min(x*x, y)", "max(x*x, y)", "-x*y", "0.3*sin(x)*cos(y)/(1+exp(-x/y))", "(x*y)^0", "(x*y)^1", "2^(x*y)", "x^(1+1)",
	} {
		s := function(t, e)
		for _, at2 := range [][2]float64{{0.6, 1.1}, {1.4, 0.8}} {
			x, y := at2[0], at2[1]
			p := at(t, s, x, y)
			a, b, c, f := at(t, s, x-d, y), at(t, s, x+d, y), at(t, s, x, y-d), at(t, s, x, y+d)
			want := ground.Patch{
				Z: p.Z, X: (b.Z - a.Z) / (2 * d), Y: (f.Z - c.Z) / (2 * d),
				XX: (b.X - a.X) / (2 * d), XY: (b.Y - a.Y) / (2 * d), YY: (f.Y - c.Y) / (2 * d),
			}
			closePatch(t, p, want, tol, "%s at %v", e, at2)
		}
	}
	// Exact where differences would see nothing.
	require.Equal(t, ground.Patch{XX: 2}, at(t, function(t, "x^2 + y^3"), 0, 0))
	require.Equal(t, ground.Patch{Z: 1, X: 1, XX: 1}, at(t, function(t, "exp(x)"), 0, 5))
	require.Equal(t, ground.Patch{}, at(t, function(t, "abs(x)"), 0, 0))
}

// TestBadExpressions tells the place and what was expected there.
func TestBadExpressions(t *testing.T) {
	const operand = `expected a number, x, y, pi, a function, a sign or "(", found `
	for expression, says := range map[string]string{
		"":          "1: " + operand + "the end",
		"1 +":       "4: " + operand + "the end",
		"2*(x+1":    `7: expected an operator or ")", found the end`,
		"2 x":       `3: expected an operator or the end, found "x"`,
		"x)":        `2: expected an operator or the end, found ")"`,
		"z + 1":     "1: " + operand + `"z"`,
		"ä":         "1: " + operand + `"ä"`,
		"x + ä":     "5: " + operand + `"ä"`,
		"sin x":     `5: expected "(" after sin, found "x"`,
		"sin(x, y)": `6: expected an operator or ")", found ","`,
		"min(x)":    `6: expected an operator or ",", found ")": min takes two arguments`,
		"x ** 2":    "4: " + operand + `"*"`,
		"1e999":     `1: expected a number that is finite, found "1e999"`,
		".":         `1: expected a number that is finite, found "."`,
		"x\x00":     `2: expected an operator or the end, found "\x00"`,
		"Sin(x)":    "1: " + operand + `"Sin"`,
		"1.2.3":     `4: expected an operator or the end, found "."`,
		"x" + strings.Repeat("+(x", 100) + strings.Repeat(")", 100): `193: expected a simpler expression: it needs more than 64 numbers at a time`,
		strings.Repeat("(", 1000) + "x" + strings.Repeat(")", 1000): `201: expected fewer brackets, signs or powers in each other: 200 at most`,
		strings.Repeat("-", 1000) + "x":                             `201: expected fewer brackets, signs or powers in each other: 200 at most`,
		"x" + strings.Repeat("^x", 1000):                            `129: expected a simpler expression: it needs more than 64 numbers at a time`,
		strings.Repeat("x+", 40000) + "x":                           `65537: expected the end: an expression has 65536 bytes at most`,
	} {
		_, err := ground.Function(expression)
		require.EqualError(t, err, "ground: expression, character "+says)
		e := new(ground.ExpressionError)
		require.ErrorAs(t, err, &e)
	}
}

// TestNotFinite: a formula without a height or slope at a place says so, and a probe finds it.
func TestNotFinite(t *testing.T) {
	for expression, x := range map[string]float64{"sqrt(x)": -1, "1/x": 0, "log(x)": 0, "x^0.5": 0, "asin(x)": 1, "exp(x)": 1e3, "1e300*1e300+x": 0} {
		_, err := function(t, expression).At(x, 0)
		require.ErrorIs(t, err, ground.ErrNotFinite, expression)
	}
	e := ground.Extent{Min: [2]float64{-1, 0}, Max: [2]float64{1, 1}}
	require.NoError(t, ground.Probe(context.Background(), function(t, "x^2+y"), e))
	err := ground.Probe(context.Background(), function(t, "1/(x^2+y^2)"), e)
	require.EqualError(t, err, "ground: the height is not finite, or it has no finite slope at x 0, y 0")
}

func BenchmarkFunction(b *testing.B) {
	b.ReportAllocs()
	s := function(b, "0.3*sin(x)*cos(y) + 0.1*x^2")
	for b.Loop() {
		if _, err := s.At(1, 2); err != nil {
			b.Fatal(err)
		}
	}
}
