package joints_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
)

// TestThirdAt: the third derivative of a motion is the slope of the second one.
func TestThirdAt(t *testing.T) {
	const (
		h   = 1e-5
		tol = 1e-8 // h² times a fifth derivative, and rounding over h
	)
	for _, m := range []*joints.Motion{
		joints.NewHarmonic(0.3, 0.7, 0.4, 1.1), joints.NewPolynomial([]float64{1, 2, -3, 0.5, 0.25, -0.125}), joints.NewPolynomial([]float64{1, 2}),
		{Kind: joints.Spline, Times: []float64{0, 1, 2.5, 3}, Values: []float64{1, 2, 0, 1}},
		{Kind: joints.Table, Times: []float64{0, 1, 2.5, 3}, Accelerations: []float64{1, 2, 0, 1}, Value: 1, Rate: -1},
		{Kind: joints.Spline, Times: []float64{0, 0.1}, Values: []float64{1, 2}, Hold: true}, {},
	} {
		p := m.Prepared()
		for _, at := range []float64{0.3, 1.7, 2.8} {
			_, _, a := p.At(at - h)
			_, _, b := p.At(at + h)
			require.InDelta(t, (b-a)/(2*h), p.ThirdAt(at), tol*(1+math.Abs(b)), "%v at %v", m.Kind, at)
		}
	}
}
