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

// TestPieces: pieces change exactly where the third derivative jumps.
func TestPieces(t *testing.T) {
	one := []couplings.Span{{}}
	cam := []couplings.Span{{From: -2, To: 2, Periodic: true}}
	at := []float64{0, 1, 2, 3, 4, 5}
	values := []float64{0, 1, -1, 2, 0, 1}
	for i, x := range []struct {
		law   couplings.Law
		jumps []float64
		bent  bool
	}{
		{couplings.Law{Kind: couplings.Table, Spans: one, X: at, Values: values}, []float64{2, 3}, true},
		{couplings.Law{Kind: couplings.Table, Spans: one, X: at, Values: values, Ends: couplings.Natural}, []float64{1, 2, 3, 4}, true},
		{couplings.Law{Kind: couplings.Table, Spans: one, X: at[:3], Values: values[:3]}, nil, true},
		{couplings.Law{Kind: couplings.Table, Spans: []couplings.Span{{Periodic: true}}, X: at, Values: []float64{0, 1, -1, 2, 3, 0}},
			[]float64{-2, -1, 0, 1, 2, 3, 4, 5, 6}, true},
		{couplings.Law{Kind: couplings.Function, Spans: cam, Expression: "max(1 - x^2, 0)^3"}, []float64{-1, 1, 3, 5}, true},
		{couplings.Law{Kind: couplings.Function, Spans: cam, Expression: "sin(1.5707963267948966*x)"}, nil, false},
		{couplings.Law{Kind: couplings.Function, Spans: cam, Expression: "(x^2 - 4)^3"}, []float64{-2, 2, 6}, true},
		{couplings.Law{Kind: couplings.Function, Spans: cam, Expression: "max(-x^3*(1 + x/2)^3, 0)"}, []float64{-2, 0, 2, 4, 6}, true},
		{couplings.Law{Kind: couplings.Function, Spans: one, Expression: "x^5"}, nil, false},
	} {
		l := x.law.Prepared()
		require.Equal(t, x.bent, l.Bent(), "law %d", i)
		for _, at := range []float64{-2, -1, 0, 0.5, 1, 1.5, 2, 3, 4, 4.5, 5, 6} {
			if l.Kind == couplings.Table && !l.Spans[0].Periodic && (at < 0 || at > 5) {
				continue
			}
			want := false
			for _, j := range x.jumps {
				want = want || j == at
			}
			before, after := l.Piece([2]float64{at - 1e-7}), l.Piece([2]float64{at + 1e-7})
			require.Equal(t, want, before != after, "law %d at %v", i, at)
		}
	}
	grid := thirdLaws()[3]
	grid.X, grid.Y = []float64{0, 1, 2, 3, 4}, []float64{0, 1, 2, 3, 4}
	grid.Lines = [][]float64{{0, 1, 0, 2, 1}, {1, 0, 1, 0, 1}, {2, 1, 0, 1, 2}, {0, 0, 1, 1, 0}, {1, 2, 3, 2, 1}}
	l := grid.Prepared()
	pieces := map[int]bool{}
	for _, x := range []float64{0.5, 1.5, 2.5, 3.5} {
		for _, y := range []float64{0.5, 1.5, 2.5, 3.5} {
			pieces[l.Piece([2]float64{x, y})] = true
		}
	}
	require.Len(t, pieces, 4) // at 2 alone, both ways
	require.False(t, couplings.NewPolynomial([]float64{1, 2}).Bent())
}
