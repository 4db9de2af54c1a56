package modeltest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/model"
)

// Follow returns a copy of m with n more couplings, which hold at its pose and have random laws: in turn a table, a periodic
// table, a formula of one coordinate, a formula of two and a grid. The couplings need not hold for the rates. It
// stops the test if m has too few freedoms.
func Follow(t testing.TB, m *model.Model, rng *rand.Rand, n int) *model.Model {
	t.Helper()
	free, value := freedoms(t, m)
	out := *m
	out.Couplings = append([]model.Coupling(nil), m.Couplings...)
	first := rng.IntN(5)
	for i := range n {
		c := model.Coupling{Name: fmt.Sprint("law ", i)}
		for range 1 + rng.IntN(3) {
			f := 0.5 + rng.Float64()
			if rng.IntN(2) == 0 {
				f = -f
			}
			c.Terms = append(c.Terms, model.CouplingTerm{Coupled: free[rng.IntN(len(free))], Factor: f})
			c.Offset += f * value[c.Terms[len(c.Terms)-1].Coupled]
		}
		c.Law = Law(rng, first+i, 0, 0)
		for len(c.Terms) > 1 && len(c.Terms)+len(c.Law.Spans) > len(free) { // freedoms of a law are in no term
			last := c.Terms[len(c.Terms)-1]
			c.Terms = c.Terms[:len(c.Terms)-1]
			c.Offset -= last.Factor * value[last.Coupled]
		}
		if len(c.Law.Spans) >= len(free) {
			t.Fatal("modeltest: too few freedoms for a law")
		}
		for range c.Law.Spans {
			c.Law.Of = append(c.Law.Of, other(&c, free, free[rng.IntN(len(free))]))
		}
		var at [2]float64
		for k, of := range c.Law.Of {
			at[k] = value[of]
		}
		c.Law.Law = Law(rng, first+i, at[0], at[1]).Law
		c.Offset -= c.Law.Prepared().At(at).F
		out.Couplings = append(out.Couplings, c)
	}
	return &out
}

// Law returns a random law without freedoms, which is defined around the coordinates x and y. Its kind is number i modulo 5 in the order
// of Follow.
func Law(rng *rand.Rand, i int, x, y float64) *model.CouplingLaw {
	points := func(at float64, n int) (list []float64) {
		for k := range n {
			list = append(list, at-3+6*float64(k)/float64(n-1)+0.3*(rng.Float64()-0.5))
		}
		return list
	}
	values := func(n int) (list []float64) {
		for range n {
			list = append(list, 0.6*(rng.Float64()-0.5))
		}
		return list
	}
	number := func() float64 { return 0.2 + 0.5*rng.Float64() }
	switch l := (couplings.Law{Spans: make([]couplings.Span, 1)}); i % 5 {
	case 0:
		l.X, l.Values, l.Ends = points(x, 7), values(7), couplings.Ends(rng.IntN(3))
		if l.Ends == couplings.Clamped {
			l.Slopes = [2]float64{rng.Float64(), -rng.Float64()}
		}
		return &model.CouplingLaw{Law: l}
	case 1:
		l.X, l.Values = points(1, 6), values(6)
		l.Spans[0] = couplings.Span{Periodic: true, Advance: rng.Float64() - 0.5}
		l.Values[5] = l.Values[0] + l.Spans[0].Advance
		return &model.CouplingLaw{Law: l}
	case 2:
		l.Kind, l.Expression = couplings.Function, fmt.Sprintf("%v*sin(%v*x) + %v*atan(x)", number(), 2*number(), number())
		return &model.CouplingLaw{Law: l}
	case 3:
		l.Kind, l.Spans = couplings.Function, make([]couplings.Span, 2)
		l.Expression = fmt.Sprintf("%v*sin(x)*cos(%v*y) + %v*x/(1 + y^2)", number(), 2*number(), number())
		return &model.CouplingLaw{Law: l}
	default:
		l.Kind, l.Spans = couplings.Grid, make([]couplings.Span, 2)
		l.X, l.Y, l.Ends = points(x, 6), points(y, 5), couplings.Ends(rng.IntN(2))
		for range l.X {
			l.Lines = append(l.Lines, values(5))
		}
		return &model.CouplingLaw{Law: l}
	}
}
