package formula_test

import (
	"math"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/internal/formula"
)

// parsed returns the formula of a text.
func parsed(t *testing.T, text string, names ...string) *formula.Formula {
	t.Helper()
	f, wrong := formula.ParseIn(text, names...)
	if wrong != nil {
		t.Fatalf("%s: %v", text, wrong)
	}
	return f
}

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
		f := parsed(t, text, "x", "y")
		got := f.At(x, y)
		for i, d := range [...][2]float64{{want.Z, got.Z}, {want.X, got.X}, {want.Y, got.Y}, {want.XX, got.XX}, {want.XY, got.XY}, {want.YY, got.YY}} {
			if !(math.Abs(d[1]-d[0]) <= 1e-15*(1+math.Abs(d[0]))) {
				t.Errorf("%s: number %d is %v, not %v", text, i, d[1], d[0])
			}
		}
		if f.HasY() != strings.Contains(text, "y") {
			t.Errorf("%s: y %t", text, f.HasY())
		}
	}
}

// TestParseProblems names the place.
func TestParseProblems(t *testing.T) {
	for text, at := range map[string]int{"": 1, "x+": 3, "é": 1, "sin x": 5, "1 2": 3, "atan2(x)": 8, "(x": 3, "1e999": 1} {
		f, wrong := formula.Parse(text)
		if f != nil || wrong == nil || wrong.Position != at || wrong.Expression != text {
			t.Errorf("%q: %v, %+v", text, f, wrong)
		}
	}
}

// TestParseIn: variables may have other names, and x and y are then none.
func TestParseIn(t *testing.T) {
	if got, want := parsed(t, "u^2 + sin(u)", "u").At(2, 0), (formula.Jet{Z: 4 + math.Sin(2), X: 4 + math.Cos(2), XX: 2 - math.Sin(2)}); got != want {
		t.Errorf("%v, not %v", got, want)
	}
	if got := parsed(t, "a*b", "a", "b").At(2, 3).Z; got != 6 {
		t.Errorf("2·3 is %v", got)
	}
	for _, text := range []string{"x", "u + y", "v"} {
		_, wrong := formula.ParseIn(text, "u")
		if wrong == nil || !strings.Contains(wrong.Text, "expected a number, u, pi, a function") {
			t.Errorf("%s: %v", text, wrong)
		}
	}
}
