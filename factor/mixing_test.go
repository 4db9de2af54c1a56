package factor_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
)

// Where all corrections have one direction and leave a part of the error, however large, two of them find what is left. The
// products of parts of a correction, summed up, make the same θ.
func TestMixing(t *testing.T) {
	want := []float64{3, -1, 0.5, 2}
	for _, left := range []float64{0.9, -0.5, 3} { // of the error, by a correction
		x, c := make([]float64, len(want)), make([]float64, len(want))
		m, a, b := factor.NewMixing(len(want)), factor.NewMixing(2), factor.NewMixing(2)
		for range 2 {
			for i := range c {
				c[i] = (1 - left) * (want[i] - x[i])
			}
			theta := factor.Theta(m.Products(c))
			over, under := a.Products(c[:2])
			o, u := b.Products(c[2:])
			require.InDelta(t, theta, factor.Theta(over+o, under+u), 1e-14)
			y := append([]float64(nil), x...)
			m.AddTo(x, c, theta)
			a.AddTo(y[:2], c[:2], theta)
			b.AddTo(y[2:], c[2:], theta)
			require.Equal(t, x, y)
		}
		for i := range want {
			assert.InDelta(t, want[i], x[i], 1e-13, "%v", left)
		}
		m.Reset()
		over, under := m.Products(c)
		assert.Zero(t, factor.Theta(over, under))
	}
	for _, x := range [][2]float64{{math.Inf(1), math.Inf(1)}, {math.Inf(-1), 1}, {1, math.Inf(1)}, {math.NaN(), 1}, {1, math.NaN()}} {
		assert.Zero(t, factor.Theta(x[0], x[1]), "%v", x)
	}
}
