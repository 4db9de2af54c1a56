package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// extrapolated returns the tableau of f at x, whose first step is h.
func extrapolated(f func(x float64) float64, x, h float64) *tableau {
	t := newTableau(0)
	for ; !t.accurate(); h /= 2 {
		t.addRow(h, f(x), f(x+h), f(x-h), math.Abs(f(x)))
	}
	return t
}

// TestTableau: derivatives of smooth functions are within their estimated errors, which are small, and at a corner the error is no less
// than half the jump of the slope.
func TestTableau(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 25))
	for name, c := range map[string]struct {
		f         func(x float64) float64
		x, want   float64
		most, low float64 // bounds of the error
	}{
		"smooth":       {math.Exp, 0.3, math.Exp(0.3), 1e-9, 0},
		"fast":         {func(x float64) float64 { return math.Sin(300 * x) }, 0.1, 300 * math.Cos(30), 1e-6, 0},
		"constant":     {func(float64) float64 { return 3 }, 0.1, 0, 1e-12, 1e-15},
		"corner":       {math.Abs, 0, 1, 1.01, 0.99},
		"small corner": {func(x float64) float64 { return math.Exp(x) + 1e-3*max(x, 0) }, 0, 1, 1e-3, 4.9e-4},
		"corner near":  {func(x float64) float64 { return max(x, 0) + x*x }, 1e-3, 1 + 2e-3, 1e-9, 0},
		"noise":        {func(x float64) float64 { return x + 1e-6*noise.Float64() }, 1, 1, 1e-1, 1e-5},
		"jump":         {func(x float64) float64 { return x + 1e-3*math.Copysign(1, x) }, 0, math.NaN(), math.Inf(1), 1e-2},
	} {
		d := extrapolated(c.f, c.x, checkStep)
		assert.LessOrEqual(t, d.error, c.most, name)
		assert.GreaterOrEqual(t, d.error, c.low, name)
		if !math.IsNaN(c.want) {
			assert.InDelta(t, c.want, d.slope, safety*d.error, name)
		}
	}
	smooth := extrapolated(math.Exp, 0, checkStep)
	assert.Less(t, smooth.steps, mostSteps, "no more steps than needed")
	nothing := newTableau(1)
	for h := checkStep; !nothing.accurate(); h /= 2 {
		nothing.addRow(h, 1, 1+h*h*h*h, 1+h*h*h*h, 1)
	}
	assert.LessOrEqual(t, nothing.steps, 3, "a derivative of zero takes no more steps than others")
}

// TestNoise: a difference whose error is estimated too small by chance is caught by a second one with other steps.
func TestNoise(t *testing.T) {
	const tries, part = 3000, 1e-7
	once, twice := 0, 0
	for seed := range uint64(tries) {
		noise := rand.New(rand.NewPCG(seed, 25))
		f := func(x float64) float64 { return math.Exp(x) + part*noise.NormFloat64() }
		base := f(0)
		at := func(x float64) float64 {
			if x == 0 {
				return base
			}
			return f(x)
		}
		a, b := extrapolated(at, 0, checkStep), extrapolated(at, 0, otherStep)
		if verdict(1, a.slope, a.error, 0, 1) != Disagrees {
			continue
		}
		once++
		if verdict(1, a.slope, max(a.error, b.error, math.Abs(a.slope-b.slope)), 0, 1) == Disagrees {
			twice++
		}
	}
	t.Logf("of %d right gradients, differences disagree with %d, and twice with %d", tries, once, twice)
	assert.Positive(t, once, "or the second one is of no use")
	assert.LessOrEqual(t, twice, tries/1000)
}

// TestVerdict has the three outcomes, and those of gradients that are zero but for rounding.
func TestVerdict(t *testing.T) {
	assert.Equal(t, Agrees, verdict(1, 1+3e-9, 1e-9, 0, 1))
	assert.Equal(t, Disagrees, verdict(1, 1+5e-9, 1e-9, 0, 1))
	assert.Equal(t, Agrees, verdict(1, 1+5e-9, 1e-9, 1e-9, 1))
	assert.Equal(t, CannotTell, verdict(1, 1.5, 2e-2, 0, 1))
	assert.Equal(t, CannotTell, verdict(1, 1, math.Inf(1), 0, 1))
	assert.Equal(t, CannotTell, verdict(1, math.NaN(), math.NaN(), 0, 1))
	assert.Equal(t, Disagrees, verdict(0, 1, 1e-9, 1e-9, 1e-6))
	assert.Equal(t, Agrees, verdict(1e-17, 3e-13, 1e-13, 1e-9, 1e-6))
	assert.Equal(t, Agrees, verdict(1, 1+1e-3, 1e-9, 2e-3, 1))
	assert.Equal(t, Agrees, verdict(1, 1+1e-9, 1e-9, 0.5, 1), "as they agree, the error of projection does not matter")
	assert.Equal(t, CannotTell, verdict(1, 1.4, 1e-9, 0.5, 1), "the error of projection would hide a gradient that is wrong")
	assert.Equal(t, Disagrees, verdict(1, 1.6, 1e-9, 0.5, 1))
	assert.Equal(t, Disagrees, verdict(math.NaN(), 1, 1e-9, 0, 1))
}
