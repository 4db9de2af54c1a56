package objective

import (
	"context"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
)

// state returns the state at which the terms are taken.
func (g *Problem) state(ctx context.Context) (*mechanism.State, error) {
	st := g.plan.Initial()
	switch g.o.At {
	case AtState:
		if g.closes == startClosed {
			return g.closed(0)
		}
		return st, g.mech.Holds(st)
	case AtClosed:
		return g.closed(0)
	case AtReach:
		return g.reached(ctx)
	case AtEquilibrium, AtModes:
		if err := g.still(st.Time); err != nil {
			return nil, err
		}
		if _, err := linear.EquilibrateContext(ctx, g.plan, st, linear.EquilibriumOptions{}); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// along computes the derivatives at the state of d by each of the parameters; the state follows while held bodies stay. It calls each with
// the results out, the index at of the direction in them, the number k of the parameter, and the addition m for held bodies. At an
// equilibrium, which is at rest, velocities do not count as parameters. It returns the errors of derive.Derivatives.ForwardTo, with the
// name of the parameter without derivative.
func (g *Problem) along(d *derive.Derivatives, parameters [][]*derive.Parameter, each func(out *derive.Changes, at, k int, m *more)) error {
	var h *holding
	atRest := g.o.At == AtEquilibrium || g.o.At == AtModes
	in := d.NewDirections(len(parameters))
	for k, list := range parameters {
		in.SetName(k, g.o.Parameters[k].Name)
		in.SetFollow(k, true)
		for _, p := range list {
			if !atRest || !p.OfVelocity() {
				in.AddParameter(k, p, 1)
			}
		}
	}
	return d.ForwardEach(in, derive.Options{NoReactions: true}, func(out *derive.Changes, k int) (err error) {
		if k == 0 {
			if h, err = g.newHolding(d); err != nil {
				return err
			}
		}
		m, err := h.back(out, 0)
		if err != nil {
			return fault.Errorf("derive/objective: parameter %s: %w", fault.Name(g.o.Parameters[k].Name), err)
		}
		each(out, 0, k, m)
		return nil
	})
}

// atState stores in r the terms of one state, and their derivatives by the parameters.
func (g *Problem) atState(ctx context.Context, r *Result) error {
	st, err := g.state(ctx)
	if err != nil {
		return err
	}
	if err := g.d.At(st); err != nil {
		return err
	}
	slopes := make([]float64, len(g.outputs))
	for i, o := range g.outputs {
		r.Terms[i].Value, slopes[i] = g.terms[i].value(g.d.OutputValue(o))
	}
	var settle *settling
	if g.o.At == AtEquilibrium {
		if settle, err = g.newSettling(); err != nil {
			return err
		}
	}
	err = g.followed(func(out *derive.Changes, at, k int, m *more) {
		x := make([]float64, len(g.outputs))
		for i, o := range g.outputs {
			x[i] = out.Output(at, o) + m.output(o)
		}
		if settle != nil {
			settle.add(x, out, at)
		}
		for i := range x {
			r.Parameters[k].Terms[i] = slopes[i] * x[i]
		}
	})
	if err != nil || len(g.parameters) == 0 {
		return err
	}
	// Far from the joints, the derivatives of first order are wrong: differences replace them.
	if far, err := g.far(g.d); err != nil || !far {
		return err
	}
	dx, err := g.nearestOutputs(ctx)
	for k := range dx {
		for i, x := range dx[k] {
			r.Parameters[k].Terms[i] = slopes[i] * x
		}
	}
	return err
}

// followed is along, or alongReached for AtReach.
func (g *Problem) followed(each func(out *derive.Changes, at, k int, m *more)) error {
	if g.o.At == AtReach && len(g.parameters) > 0 {
		return g.alongReached(each)
	}
	return g.along(g.d, g.parameters, each)
}

// State returns the state at which the terms are taken; for AtRun the start of the run, or of the first of several runs.
//
// Cost: as closing, or a search for an equilibrium. It returns the errors of Gradient.
func (g *Problem) State(ctx context.Context) (*mechanism.State, error) {
	if g.o.At == AtRun {
		return g.begun()
	}
	return g.state(ctx)
}

// begun returns the start of a run of the model.
func (g *Problem) begun() (*mechanism.State, error) {
	st := g.plan.Initial()
	if len(g.held) == 0 && g.mech.Holds(st) == nil {
		return st, nil
	}
	return g.closed(closing.RunTolerance)
}
