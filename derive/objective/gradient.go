package objective

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// Gradient returns the value of the objective and its gradient.
//
// Cost: for a state two solves a parameter; for an equilibrium two solves a freedom more; for modes some searches for equilibria a
// parameter; for a run some three runs and two solves a parameter at its start. It returns the errors of closing, of searches for
// equilibria, of runs and of package derive, among them a *derive.DirectionError that names the parameter without a derivative, and the
// error of ctx.
func (g *Problem) Gradient(ctx context.Context) (*Result, error) { return g.result(ctx, withSlopes) }

// Value is Gradient without the gradient: the values of the objective, its terms and its constraints. Parameters have no slopes.
//
// Cost: a run, and one more if a term is an integral. It returns the errors of Gradient.
func (g *Problem) Value(ctx context.Context) (*Result, error) { return g.result(ctx, valuesOnly) }

// result is Gradient, or Value without slopes.
func (g *Problem) result(ctx context.Context, slopes bool) (*Result, error) {
	r := &Result{Format: ResultFormat, Name: g.doc.Name, At: g.o.At.String(), Parameters: []ParameterResult{}}
	if len(g.parts) > 0 {
		if err := g.severally(ctx, r, slopes); err != nil {
			return nil, err
		}
		return r.sum()
	}
	for _, t := range g.terms {
		r.Terms = append(r.Terms, TermResult{Name: t.Name})
	}
	r.Parameters = g.parameterResults(len(r.Terms))
	var err error
	if slopes {
		err = g.gradient(ctx, r)
		for k := range r.Parameters {
			for i := range r.Parameters[k].Terms {
				r.Parameters[k].Terms[i] *= g.lengthened(k)
			}
		}
	} else {
		without := *g
		without.parameters = nil
		err = without.value(ctx, r)
	}
	if err == nil {
		err = finite(r)
	}
	if err != nil {
		return nil, err
	}
	r.split(g.o)
	return r.sum()
}

// parameterResults returns the parameters with their values, and with zeros for the slopes of so many terms.
func (g *Problem) parameterResults(terms int) []ParameterResult {
	list := []ParameterResult{}
	for i := range g.o.Parameters {
		p := &g.o.Parameters[i]
		x := ParameterResult{Name: p.Name, Path: p.Paths[0], Value: g.values[i][0], Terms: make([]float64, terms)}
		if len(p.Paths) > 1 {
			x.Paths = slices.Clone(p.Paths)
		}
		list = append(list, x)
	}
	return list
}

// gradient stores the values and slopes of all terms in r.
func (g *Problem) gradient(ctx context.Context, r *Result) error {
	switch g.o.At {
	case AtRun:
		return g.overRun(ctx, r)
	case AtModes:
		return g.ofModes(ctx, r)
	}
	return g.atState(ctx, r)
}

// value stores the values of all terms in r; g has no parameters.
func (g *Problem) value(ctx context.Context, r *Result) error {
	if g.o.At != AtRun {
		return g.gradient(ctx, r)
	}
	a, err := g.ahead(ctx, valuesOnly)
	if err != nil {
		return err
	}
	values, _ := a.sums(g)
	for i, x := range values {
		r.Terms[i].Value = x
	}
	r.Run = &a.told
	return nil
}

// severally stores in r the terms of all experiments, one after the other, each with the name of its run.
func (g *Problem) severally(ctx context.Context, r *Result, slopes bool) error {
	r.Parameters, r.Run = g.parameterResults(0), new(RunResult)
	for i, part := range g.parts {
		name := g.o.Runs[i].Name
		x, err := part.result(ctx, slopes)
		if err != nil {
			return fault.Errorf("derive/objective: run %s: %w", fault.Name(name), err)
		}
		for _, t := range x.Terms {
			r.Terms = append(r.Terms, TermResult{name + ": " + t.Name, t.Value})
		}
		for k := range r.Parameters {
			r.Parameters[k].Terms = append(r.Parameters[k].Terms, x.Parameters[k].Terms...)
		}
		r.Run.Steps, r.Run.Evaluations = r.Run.Steps+x.Run.Steps, r.Run.Evaluations+x.Run.Evaluations
		r.Run.Projection, r.Run.Growth = max(r.Run.Projection, x.Run.Projection), max(r.Run.Growth, x.Run.Growth)
		r.Run.Unstable, r.Run.Matrix = max(r.Run.Unstable, x.Run.Unstable), max(r.Run.Matrix, x.Run.Matrix)
		for _, k := range x.Run.Kinks {
			k.Name = name + ": " + k.Name
			r.Run.Kinks = append(r.Run.Kinks, k)
		}
	}
	return nil
}

// split moves the constraints from the terms of r to r.Constraints.
func (r *Result) split(o *Objective) {
	n := len(o.Terms)
	for i := range o.Constraints {
		c := &o.Constraints[i]
		r.Constraints = append(r.Constraints, ConstraintResult{c.Name, c.Kind.String(), c.Bound, r.Terms[n+i].Value})
	}
	r.Terms = r.Terms[:n]
	for i := range r.Parameters {
		p := &r.Parameters[i]
		if len(o.Constraints) > 0 {
			p.Constraints = p.Terms[n:]
		}
		p.Terms = p.Terms[:n:n]
	}
}

// sum adds up the terms of r and returns r. It returns an error if the sum is not finite, which may happen although its terms are.
func (r *Result) sum() (*Result, error) {
	for i := range r.Terms {
		r.Value += r.Terms[i].Value
	}
	if !algebra.Finite(r.Value) {
		return nil, errors.New("derive/objective: the sum of the terms is not finite")
	}
	for i := range r.Parameters {
		p := &r.Parameters[i]
		for _, x := range p.Terms {
			p.Gradient += x
		}
		if !algebra.Finite(p.Gradient) {
			return nil, fmt.Errorf("derive/objective: the derivative of the sum of the terms by %s is not finite", fault.Name(p.Name))
		}
	}
	return r, nil
}

// finite returns an error that names the first term without a finite value, or whose derivative by a parameter is not finite.
func finite(r *Result) error {
	for i := range r.Terms {
		if !algebra.Finite(r.Terms[i].Value) {
			return fmt.Errorf("derive/objective: the value of term %s is not finite", fault.Name(r.Terms[i].Name))
		}
		for k := range r.Parameters {
			if !algebra.Finite(r.Parameters[k].Terms[i]) {
				return fmt.Errorf("derive/objective: the derivative of term %s by %s is not finite",
					fault.Name(r.Terms[i].Name), fault.Name(r.Parameters[k].Name))
			}
		}
	}
	return nil
}
