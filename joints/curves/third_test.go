package curves_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
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

// TestPieces: pieces change exactly where the third derivative jumps.
func TestPieces(t *testing.T) {
	points := []spatial.Vec3{{0, 0, 0}, {1, 1, 0}, {2, -1, 0}, {3, 0, 1}, {4, 2, 0}, {5, 0, 0}}
	at := []float64{0, 1, 2, 3, 4, 5}
	closed := []float64{0, 1, 2, 3, 4, 5, 6}
	for name, x := range map[string]struct {
		curve curves.Curve
		jumps []float64
		bent  bool
	}{
		"open":    {curves.Curve{Kind: curves.Spline, Points: points, Parameters: at}, []float64{0, 2, 3, 5}, true},
		"natural": {curves.Curve{Kind: curves.Spline, Points: points, Parameters: at, Natural: true}, []float64{0, 1, 2, 3, 4, 5}, true},
		"closed":  {curves.Curve{Kind: curves.Spline, Points: points, Parameters: closed, Closed: true}, []float64{-1, 0, 1, 2, 3, 4, 5, 6, 7}, true},
		"line":    {curves.Curve{Kind: curves.Line, Ends: [2]spatial.Vec3{{}, {5, 0, 0}}}, nil, false},
		"circle":  {curves.Curve{Kind: curves.Circle, Radius: 1}, nil, false},
		"arc":     {curves.Curve{Kind: curves.Circle, Radius: 1, Range: [2]float64{0, 3}}, []float64{0, 3}, true},
		"formula": {curves.Curve{Kind: curves.Function, X: "u", Y: "max(u - 2, 0)^3 + u^3", Range: [2]float64{0, 5}}, []float64{0, 2, 5}, true},
	} {
		c := x.curve.Prepared()
		require.Equal(t, x.bent, c.Bent(), name)
		for _, u := range []float64{-1, -0.5, 0, 0.5, 1, 2, 3, 4, 4.5, 5, 5.5, 6, 7} {
			want := false
			for _, j := range x.jumps {
				want = want || j == u
			}
			require.Equal(t, want, c.Piece(u-1e-7) != c.Piece(u+1e-7), "%s at %v", name, u)
		}
	}
}
