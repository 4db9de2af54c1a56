package formula_test

import (
	"math"
	"testing"
)

// TestThirdAt: third derivatives are slopes of the second ones.
func TestThirdAt(t *testing.T) {
	const (
		h   = 1e-5
		tol = 1e-8 // h² times fifth derivatives, and rounding over h, of numbers up to ten
	)
	for _, text := range []string{
		"x*y - 2*x + 3", "sin(x)*cos(y)", "tan(x*y)", "exp(-x^2)/(1 + y^2)", "log(2 + x)*sqrt(3 + y)", "abs(x - 5)*y", "asin(x/3) + acos(y/4)",
		"atan(x*y) + atan2(x, y)", "atan2(y, -x)", "sinh(x)*cosh(y) + tanh(x - y)", "(2 + x)^y", "(2 + x)^2.5*(1 + y)^3", "min(x, y^3)*max(x^3, 2*y)",
		"-x^3/y", "x^4",
	} {
		f := parsed(t, text, "x", "y")
		const x, y = 0.7, 0.4
		got := f.ThirdAt(x, y)
		a, b, c, d := f.At(x+h, y), f.At(x-h, y), f.At(x, y+h), f.At(x, y-h)
		want := [4]float64{(a.XX - b.XX) / (2 * h), (a.XY - b.XY) / (2 * h), (c.XY - d.XY) / (2 * h), (c.YY - d.YY) / (2 * h)}
		for k := range want {
			if !(math.Abs(got[k]-want[k]) <= tol*(1+math.Abs(want[k]))) {
				t.Errorf("%s, %d: %v, not %v", text, k, got[k], want[k])
			}
		}
	}
}
