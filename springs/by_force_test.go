package springs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/springs"
)

// TestByForce: derivatives by the forces of points are slopes, inside and outside of the table.
func TestByForce(t *testing.T) {
	const (
		h   = 1e-6
		tol = 1e-8 // h² times a third derivative, and rounding over h
	)
	for _, l := range []springs.Law{
		{At: []float64{0, 1, 2.5, 3, 4}, Forces: []float64{1, 2, 4, 4.2, 7}},
		{At: []float64{0, 1, 2.5, 3, 4}, Forces: []float64{1, 2, 1, 4.2, 7}, Outside: springs.Level},
		{At: []float64{0, 1, 2.5, 3, 4}, Forces: []float64{1, 1.01, 4, 4.01, 9}},
		{At: []float64{0, 2}, Forces: []float64{1, 2}},
		{At: []float64{0, 1, 2.5, 3, 4}, Forces: []float64{1, 2, 1, 4, 7}, Interpolation: springs.Spline},
		{At: []float64{0, 1, 2.5, 3, 4}, Forces: []float64{1, 2, 1, 4, 7}, Interpolation: springs.Linear},
	} {
		for k := range l.At {
			for _, x := range []float64{-0.5, 0.3, 1.4, 2.7, 3.9, 4.5} {
				force := func(d float64) float64 {
					other := l
					other.Forces = append([]float64(nil), l.Forces...)
					other.Forces[k] += d
					laws := springs.Laws{Spring: other.Prepared()}
					f, _, _, err := laws.At(x, 0)
					require.NoError(t, err)
					return f
				}
				require.InDelta(t, (force(h)-force(-h))/(2*h), l.Prepared().ByForce(k, x), tol, "point %d at %v", k, x)
			}
		}
	}
}
