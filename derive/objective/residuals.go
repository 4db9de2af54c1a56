package objective

import (
	"context"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// Residual is one datum of a term with its misfit.
type Residual struct {
	Run, Term string
	Time      float64
	Datum     float64
	Value     float64   // value of the column
	Misfit    float64   // √weight·(value − datum)/sigma: the objective is half the sum of the squares
	Slopes    []float64 // derivatives of the misfit by the parameters; empty after Residuals
}

// Residuals returns the residuals of all data in the order of the document; other terms do not count. Slopes are empty.
//
// Cost: an evaluation for each stage of the run. It returns the errors of Value.
func (g *Problem) Residuals(ctx context.Context) ([]Residual, error) {
	return g.residuals(ctx, valuesOnly)
}

// ResidualSlopes is Residuals with their derivatives by the parameters, by one pass forwards, theory.md (V8).
//
// Cost: for each stage of the run an evaluation, and a derivative for each parameter. It returns the errors of Gradient.
func (g *Problem) ResidualSlopes(ctx context.Context) ([]Residual, error) {
	return g.residuals(ctx, withSlopes)
}

// residuals is ResidualSlopes, or Residuals without slopes.
func (g *Problem) residuals(ctx context.Context, slopes bool) (list []Residual, err error) {
	if len(g.parts) > 0 {
		for i, part := range g.parts {
			name := g.o.Runs[i].Name
			x, err := part.residuals(ctx, slopes)
			if err != nil {
				return nil, fault.Errorf("derive/objective: run %s: %w", fault.Name(name), err)
			}
			for j := range x {
				x[j].Run = name
			}
			list = append(list, x...)
		}
		return list, nil
	}
	if !slices.ContainsFunc(g.terms, func(t *Term) bool { return t.Take == Data }) {
		return nil, nil
	}
	a, err := g.ahead(ctx, slopes)
	if err != nil {
		return nil, err
	}
	for i, t := range g.terms {
		if t.Take != Data {
			continue
		}
		for j := range a.columns[i] {
			x := &a.columns[i][j]
			y := Residual{Term: t.Name, Time: g.data[i].times[j], Datum: x.datum, Value: x.value, Slopes: x.change}
			var by float64
			y.Misfit, by = t.misfit(x.value, x.datum)
			for k := range y.Slopes {
				y.Slopes[k] *= by * g.lengthened(k)
			}
			if !algebra.Finite(y.Misfit) || !algebra.AllFinite(y.Slopes...) {
				return nil, fmt.Errorf("derive/objective: the misfit of term %s at %v s, or its derivative, is not finite",
					fault.Name(t.Name), y.Time)
			}
			list = append(list, y)
		}
	}
	return list, nil
}
