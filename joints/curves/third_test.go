package curves_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThirdAt: third derivatives are slopes of the second ones between the points of a spline, laps taken off, and zero beyond ends.
func TestThirdAt(t *testing.T) {
	const (
		h   = 1e-5
		tol = 1e-7 // h² times a fifth derivative, and rounding over h
	)
	for name, c := range list() {
		p := c.Prepared()
		from, to := p.Span()
		for _, part := range []float64{0.111, 0.377, 0.613, 0.871} {
			u := from + part*(to-from)
			a, b := p.At(u+h), p.At(u-h)
			want := a.DD.Sub(b.DD).Scale(1 / (2 * h))
			require.InDelta(t, 0, p.ThirdAt(u).Sub(want).Norm(), tol*(1+want.Norm()), "%s at %v", name, u)
			if p.IsClosed() {
				require.InDelta(t, 0, p.ThirdAt(u+2*(to-from)).Sub(p.ThirdAt(u)).Norm(), tol)
			}
		}
		if !p.IsClosed() {
			require.Zero(t, p.ThirdAt(from-1).Norm()+p.ThirdAt(to+1).Norm(), name)
		}
	}
}
