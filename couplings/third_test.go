package couplings_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/couplings"
)

// thirdLaws are laws of all kinds.
func thirdLaws() []couplings.Law {
	one := []couplings.Span{{}}
	return []couplings.Law{
		{Kind: couplings.Table, Spans: one, X: []float64{0, 1, 2, 3.5}, Values: []float64{1, 0, 2, 1}},
		{Kind: couplings.Table, Spans: one, X: []float64{0, 1, 2, 3.5}, Values: []float64{1, 0, 2, 1}, Ends: couplings.Clamped, Slopes: [2]float64{1, -2}},
		{Kind: couplings.Table, Spans: []couplings.Span{{Periodic: true, Advance: 0.5}}, X: []float64{0, 1, 2, 3.5}, Values: []float64{1, 0, 2, 1.5}},
		{Kind: couplings.Grid, Spans: []couplings.Span{{}, {}}, X: []float64{0, 1, 2, 3.5}, Y: []float64{-1, 0, 2}, Lines: [][]float64{
			{1, 2, 0}, {0, 1, 1}, {2, 2, 3}, {1, 0, 1},
		}},
		{Kind: couplings.Function, Spans: []couplings.Span{{}, {}}, Expression: "sin(x)*exp(0.3*y)"},
		{Kind: couplings.Function, Spans: one, Expression: "x^5"},
	}
}

// TestThirdAt: third derivatives are slopes of the second ones.
func TestThirdAt(t *testing.T) {
	const (
		h   = 1e-5
		tol = 1e-7 // h² times a fifth derivative, and rounding over h
	)
	laws := []*couplings.Law{couplings.NewPolynomial([]float64{1, 2, 3, 4, 5})}
	for _, l := range thirdLaws() {
		laws = append(laws, l.Prepared())
	}
	for i, l := range laws {
		x := [2]float64{1.3, 0.4}
		got := l.ThirdAt(x)
		for k := range l.Coordinates() {
			a, b := x, x
			a[k], b[k] = a[k]+h, b[k]-h
			p, q := l.At(a), l.At(b)
			for r := range l.Coordinates() {
				for c := range l.Coordinates() {
					require.InDelta(t, (p.DD[r][c]-q.DD[r][c])/(2*h), got[k+r+c], tol, "law %d", i)
				}
			}
		}
	}
}

// TestByValue: a law is linear in its values, so that its derivatives by them are differences of any size.
func TestByValue(t *testing.T) {
	const tol = 1e-12
	x := [2]float64{1.3, 0.4}
	check := func(base, other *couplings.Law, k int) {
		p, q, d := base.At(x), other.At(x), base.ByValue(k, x)
		require.InDelta(t, q.F-p.F, d.F, tol)
		require.InDelta(t, q.D[0]-p.D[0], d.D[0], tol)
		require.InDelta(t, q.DD[0][0]-p.DD[0][0], d.DD[0][0], tol)
	}
	check(couplings.NewPolynomial([]float64{1, 2, 3}), couplings.NewPolynomial([]float64{1, 3, 3}), 1)
	for i := range 4 {
		base, other := thirdLaws()[i], thirdLaws()[i]
		if base.Kind == couplings.Grid {
			other.Lines[2][1]++
			check(base.Prepared(), other.Prepared(), 2*3+1)
			continue
		}
		other.Values[1]++
		check(base.Prepared(), other.Prepared(), 1)
		if base.Ends == couplings.Clamped {
			other = thirdLaws()[i]
			other.Slopes[1]++
			check(base.Prepared(), other.Prepared(), len(base.Values)+1)
		}
	}
}
