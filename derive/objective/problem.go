package objective

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/numbers"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Source is the model of an objective.
type Source struct {
	Text   []byte // the document, rung-model/1
	Name   string // of its file, in messages
	Folder fs.FS  // of the files that it names; nil: it names none

	Ordering order.Ordering // of the plan
}

// Problem is an objective of a mechanism. It belongs to one goroutine.
type Problem struct {
	o      *Objective
	source Source
	plan   *kkt.Plan
	mech   *mechanism.Mechanism
	doc    *model.Model

	d          *derive.Derivatives
	outputs    []derive.Output // one a term, but of modes
	modes      []modeColumn    // one a term of modes
	parameters [][]*derive.Parameter
	text       *numbers.Text
	numbers    [][]numbers.Number // of the parameters, in text
	values     [][]float64        // that these have in the model
}

// NewProblem reads the model of an objective, and finds what the objective names in it. file names the document of the objective in
// messages.
//
// It returns *model.Problems of the objective with all columns that there are not or that have no derivative, and all paths of parameters
// that lead to no number that is written, or to one without a derivative; and those of the model. It panics without an objective.
func NewProblem(o *Objective, file string, source Source) (*Problem, error) {
	if o == nil {
		panic("derive/objective: no objective")
	}
	g := &Problem{o: o, source: source}
	var err error
	if g.doc, g.plan, err = g.read(source.Text); err != nil {
		return nil, err
	}
	g.mech, g.d = g.plan.Mechanism(), derive.New(g.plan, g.doc)
	bad := &model.Problems{}
	note := func(path, value string, err error) {
		bad.List = append(bad.List, &model.Problem{File: file, Path: path, Value: fault.Name(value), Rule: err.Error()})
	}
	if start := g.plan.Initial().Time; o.At == AtRun && !(o.Run.Until > start) {
		note("$.run.until", document.Number(o.Run.Until), fmt.Errorf("is not after the time of the model, %v s", start))
	}
	for i := range o.Terms {
		if err := g.addColumn(o.Terms[i].Column); err != nil {
			note(document.Entry("$.terms", i)+".column", o.Terms[i].Column, err)
		}
	}
	for i := range o.Parameters {
		found, err := parametersOf(g.d, &o.Parameters[i])
		if err != nil {
			note(document.Entry("$.parameters", i), o.Parameters[i].Name, err)
		}
		g.parameters = append(g.parameters, found)
	}
	if len(bad.List) == 0 {
		err = g.setNumbers(note)
	}
	if len(bad.List) > 0 {
		return nil, bad
	}
	return g, err
}

// Model returns the model of the objective. It is not to be changed.
func (g *Problem) Model() *model.Model { return g.doc }

// read reads a document of the model.
func (g *Problem) read(text []byte) (*model.Model, *kkt.Plan, error) {
	m, err := model.ReadIn(context.Background(), bytes.NewReader(text), g.source.Name, g.source.Folder)
	if err != nil {
		return nil, nil, err
	}
	mech, err := mechanism.New(m)
	if err != nil {
		return nil, nil, err
	}
	return m, kkt.NewPlan(mech, kkt.Options{Ordering: g.source.Ordering}), nil
}

// setNumbers finds the numbers at all paths.
func (g *Problem) setNumbers(note func(path, value string, err error)) error {
	t, err := numbers.Read(g.source.Text)
	if err != nil {
		return fault.Errorf("derive/objective: %w", err)
	}
	g.text = t
	for i := range g.o.Parameters {
		var found []numbers.Number
		var values []float64
		for _, path := range g.o.Parameters[i].Paths {
			steps, err := document.ParsePath(path)
			var n numbers.Number
			var x float64
			if err == nil {
				n, err = t.Find(steps)
			}
			if err == nil {
				x, err = n.Value()
			}
			if err != nil {
				note(document.Entry("$.parameters", i), path, err)
			}
			found, values = append(found, n), append(values, x)
		}
		g.numbers, g.values = append(g.numbers, found), append(g.values, values)
	}
	return nil
}

// addColumn finds the column of the next term.
func (g *Problem) addColumn(name string) error {
	if g.o.At == AtModes {
		c, err := newModeColumn(name)
		g.modes = append(g.modes, c)
		return err
	}
	o, err := g.d.Output(name)
	if last := name[strings.LastIndexByte(name, '.')+1:]; err == nil && g.o.At == AtRun {
		if strings.HasPrefix(last, "acc") || strings.HasPrefix(last, "alpha") || strings.HasPrefix(last, "qdd") {
			err = fmt.Errorf("derive/objective: accelerations have no derivative over a run yet")
		}
	}
	g.outputs = append(g.outputs, o)
	return err
}

// parametersOf finds the numbers of a parameter.
func parametersOf(d *derive.Derivatives, p *Parameter) (found []*derive.Parameter, err error) {
	for _, path := range p.Paths {
		x, err := d.Parameter(path)
		if err != nil {
			return nil, err
		}
		found = append(found, x)
	}
	return found, nil
}

// Gradient returns the value of the objective and its gradient.
//
// Cost: for a state two solves a parameter, for an equilibrium two a freedom more; for modes some searches for
// equilibria a parameter; for a run some three runs and, as for a state, two solves a parameter at its start. It
// returns the errors of closing, of searches for equilibria, of runs, and those of derive, of which a
// *derive.DirectionError names the parameter without a derivative; and that of ctx.
func (g *Problem) Gradient(ctx context.Context) (*Result, error) {
	r := &Result{Format: ResultFormat, Name: g.mech.Name, At: g.o.At.String(), Parameters: []ParameterResult{}}
	for i := range g.o.Terms {
		r.Terms = append(r.Terms, TermResult{Name: g.o.Terms[i].Name})
	}
	for i := range g.o.Parameters {
		p := &g.o.Parameters[i]
		x := ParameterResult{Name: p.Name, Path: p.Paths[0], Value: g.values[i][0], Terms: make([]float64, len(r.Terms))}
		if len(p.Paths) > 1 {
			x.Paths = slices.Clone(p.Paths)
		}
		r.Parameters = append(r.Parameters, x)
	}
	var err error
	switch g.o.At {
	case AtRun:
		err = g.overRun(ctx, r)
	case AtModes:
		err = g.ofModes(ctx, r)
	default:
		err = g.atState(ctx, r)
	}
	if err == nil {
		err = finite(r)
	}
	if err != nil {
		return nil, err
	}
	for i := range r.Terms {
		r.Value += r.Terms[i].Value
	}
	for i := range r.Parameters {
		p := &r.Parameters[i]
		for _, x := range p.Terms {
			p.Gradient += x
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

// state returns the state where the terms are.
func (g *Problem) state(ctx context.Context) (*mechanism.State, error) {
	st := g.plan.Initial()
	switch g.o.At {
	case AtState:
		return st, g.mech.Holds(st)
	case AtClosed:
		g.mech.FollowAngles(g.mech.NewKinematics(), st)
		c := closing.NewCloser(g.plan, closing.Options{Nearest: true})
		if err := c.ClosePositions(st); err != nil {
			return nil, err
		}
		if err := c.ProjectVelocities(st); err != nil {
			return nil, err
		}
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

// still refuses prescribed motions that move, as an equilibrium is at rest.
func (g *Problem) still(time float64) error {
	for j := range g.mech.Joints {
		jt := &g.mech.Joints[j]
		for i := range jt.Kind.Freedoms() {
			if !jt.Prescribed(i) {
				continue
			}
			if _, rate, second := jt.Motion[i].At(time); rate != 0 || second != 0 {
				return g.mech.AtJoint(j, -1, fmt.Errorf("%w: the motion of freedom %d moves, and an equilibrium is at rest", ErrNotDifferentiable, i))
			}
		}
	}
	return nil
}

// together is how many directions are taken at once: memory is that of as many states.
const together = 16

// along takes the derivatives at the state of d along its parameters, one direction each, which the state follows,
// and calls each with the results and their numbers there. At an equilibrium velocities are no parameters: it is at
// rest. It returns the errors of derive.Derivatives.ForwardTo, with the name of the parameter that has none.
func (g *Problem) along(d *derive.Derivatives, parameters [][]*derive.Parameter, each func(out *derive.Changes, at, k int)) error {
	atRest := g.o.At == AtEquilibrium || g.o.At == AtModes
	for from := 0; from < len(parameters); from += together {
		part := parameters[from:min(from+together, len(parameters))]
		in, out := d.NewDirections(len(part)), d.NewChanges(len(part))
		for k, list := range part {
			in.SetName(k, g.o.Parameters[from+k].Name)
			in.SetFollow(k, true)
			for _, p := range list {
				if !atRest || !strings.Contains(p.Path(), "].velocity.") {
					in.AddParameter(k, p, 1)
				}
			}
		}
		if err := d.ForwardTo(out, in, derive.Options{NoReactions: true}); err != nil {
			return err
		}
		for k := range part {
			each(out, k, from+k)
		}
	}
	return nil
}

// atState has the terms of one state, and their derivatives along the parameters.
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
		r.Terms[i].Value, slopes[i] = g.o.Terms[i].Value(g.d.OutputValue(o))
	}
	var settle *settling
	if g.o.At == AtEquilibrium {
		if settle, err = g.newSettling(); err != nil {
			return err
		}
	}
	return g.along(g.d, g.parameters, func(out *derive.Changes, at, k int) {
		x := make([]float64, len(g.outputs))
		for i, o := range g.outputs {
			x[i] = out.Output(at, o)
		}
		if settle != nil {
			settle.add(x, out, at)
		}
		for i := range x {
			r.Parameters[k].Terms[i] = slopes[i] * x[i]
		}
	})
}
