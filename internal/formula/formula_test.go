package formula_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/formula"
)

// TestAt: values and derivatives by hand, and whether y counts.
func TestAt(t *testing.T) {
	const x, y = 0.7, -1.3
	for text, want := range map[string]formula.Jet{
		"3":          {Z: 3},
		"-x^2":       {Z: -x * x, X: -2 * x, XX: -2},
		"x*y":        {Z: x * y, X: y, Y: x, XY: 1},
		"2^3^0.5*y":  {Z: math.Pow(2, math.Sqrt(3)) * y, Y: math.Pow(2, math.Sqrt(3))},
		"max(x, y)":  {Z: x, X: 1},
		"sin(x)/y":   {Z: math.Sin(x) / y, X: math.Cos(x) / y, Y: -math.Sin(x) / y / y, XX: -math.Sin(x) / y, XY: -math.Cos(x) / y / y, YY: 2 * math.Sin(x) / y / y / y},
		"exp(2*y)+1": {Z: math.Exp(2*y) + 1, Y: 2 * math.Exp(2*y), YY: 4 * math.Exp(2*y)},
	} {
		f, wrong := formula.Parse(text)
		require.Nil(t, wrong, text)
		got := f.At(x, y)
		for i, d := range [...][2]float64{{want.Z, got.Z}, {want.X, got.X}, {want.Y, got.Y}, {want.XX, got.XX}, {want.XY, got.XY}, {want.YY, got.YY}} {
			require.InDelta(t, d[0], d[1], 1e-15*(1+math.Abs(d[0])), "%s: number %d", text, i)
		}
		require.Equal(t, strings.Contains(text, "y"), f.HasY(), text)
	}
}

// TestParseProblems names the place.
func TestParseProblems(t *testing.T) {
	for text, at := range map[string]int{"": 1, "x+": 3, "é": 1, "sin x": 5, "1 2": 3, "atan2(x)": 8, "(x": 3, "1e999": 1} {
		f, wrong := formula.Parse(text)
		require.Nil(t, f, text)
		require.NotNil(t, wrong, text)
		require.Equal(t, at, wrong.Position, "%q: %s", text, wrong.Text)
		require.Equal(t, text, wrong.Expression)
	}
}

// TestParseIn: variables may have other names, and x and y are then none.
func TestParseIn(t *testing.T) {
	f, wrong := formula.ParseIn("u^2 + sin(u)", "u")
	require.Nil(t, wrong)
	require.Equal(t, formula.Jet{Z: 4 + math.Sin(2), X: 4 + math.Cos(2), XX: 2 - math.Sin(2)}, f.At(2, 0))
	f, wrong = formula.ParseIn("a*b", "a", "b")
	require.Nil(t, wrong)
	require.Equal(t, 6.0, f.At(2, 3).Z)
	for _, text := range []string{"x", "u + y", "v"} {
		_, wrong := formula.ParseIn(text, "u")
		require.NotNil(t, wrong)
		require.Contains(t, wrong.Text, "expected a number, u, pi, a function")
	}
}
