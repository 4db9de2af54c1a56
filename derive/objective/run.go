package objective

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// ErrNotDifferentiable is for runs whose end does not follow their start smoothly, and for what has no derivative yet.
var ErrNotDifferentiable = errors.New("derive/objective: there is no derivative")

// term is a term of a run: an output and what is made of it.
type term struct {
	output int
	of     *Term
}

// field is the equations of motion of a mechanism with their transposed derivative, for package adjoint.
type field struct {
	d          *derive.Derivatives
	outputs    []derive.Output
	parameters [][]*derive.Parameter
	w          *derive.Weights
	g          *derive.Gradient
}

// newField makes a field of its own memory.
func (g *Problem) newField() (*field, error) {
	f := &field{d: derive.New(g.plan, g.doc), outputs: g.outputs}
	for i := range g.o.Parameters {
		found, err := parametersOf(f.d, &g.o.Parameters[i])
		if err != nil {
			return nil, err
		}
		f.parameters = append(f.parameters, found)
	}
	f.w, f.g = f.d.NewWeights(), f.d.NewGradient()
	return f, nil
}

// At implements adjoint.Field.
func (f *field) At(a []float64, st *mechanism.State) error {
	if err := f.d.At(st); err != nil {
		return err
	}
	for i := range st.Bodies {
		angular, linear := f.d.Acceleration(i)
		copy(a[6*i:], angular[:])
		copy(a[6*i+3:], linear[:])
	}
	return nil
}

// PullTo implements adjoint.Field.
func (f *field) PullTo(x, p, w []float64, of *term, scale float64) (value float64, err error) {
	f.w.Reset()
	for i := range len(w) / 6 {
		*f.w.Body(i) = derive.BodyWeight{AngularAcceleration: spatial.Vec3(w[6*i:]), ComAcceleration: spatial.Vec3(w[6*i+3:])}
	}
	if of != nil {
		o := f.outputs[of.output]
		var slope float64
		value, slope = of.of.Value(f.d.OutputValue(o))
		f.w.AddOutput(o, scale*slope)
	}
	if err := f.d.AdjointTo(f.g, f.w, false); err != nil {
		return 0, err
	}
	f.g.TakeMotion(x)
	for k, list := range f.parameters {
		for _, q := range list {
			p[k] += f.g.Of(q)
		}
	}
	return value, nil
}

// overRun runs the mechanism, and goes back over the run.
func (g *Problem) overRun(ctx context.Context, r *Result) error {
	if err := g.smooth(); err != nil {
		return err
	}
	tape := adjoint.NewTape(g.mech)
	o := g.o.Run
	o.OnStep = func(s *runs.Simulation) error { return tape.Add(s.State()) }
	s, err := runs.New(g.plan, o)
	if err != nil {
		return err
	}
	if err := tape.Add(s.State()); err != nil {
		return err
	}
	err = s.RunContext(ctx, o.Until)
	if end := s.Close(); err == nil {
		err = end
	}
	if err != nil {
		return err
	}
	if n := s.Stats().Singular + s.Stats().Undecided; n > 0 {
		return fmt.Errorf("%w: %d of its steps lead over singular poses", ErrNotDifferentiable, n)
	}
	tab := sim.DormandPrince()
	if o.Integrator == runs.RungeKutta4 {
		tab = sim.RungeKutta4()
	}
	first, err := g.newField()
	if err != nil {
		return err
	}
	fields := []adjoint.Field[term]{first}
	for range len(tab.B) - 1 {
		f, err := g.newField()
		if err != nil {
			return err
		}
		fields = append(fields, f)
	}
	of, back := make([]adjoint.Objective[term], len(g.o.Terms)), make([]adjoint.Gradient, len(g.o.Terms))
	for i := range of {
		t := &g.o.Terms[i]
		if t.Take == Integral {
			of[i].Rate = &term{i, t}
		} else {
			of[i].Final = &term{i, t}
		}
		back[i].Parameters = make([]float64, len(g.parameters))
	}
	if err := adjoint.NewSweep(g.mech, tab, fields).Run(ctx, tape, of, back); err != nil {
		return g.reason(err)
	}
	r.Run = &RunResult{Steps: s.Stats().Steps, Evaluations: s.Evaluations()}
	return g.start(r, first, tape.First(), back)
}

// start adds how the start of the run follows the parameters, theory.md (V5), to what the way back has found.
func (g *Problem) start(r *Result, f *field, st *mechanism.State, back []adjoint.Gradient) error {
	if err := f.d.At(st); err != nil {
		return err
	}
	none := func(*derive.Changes, int, int) {}
	if err := g.along(f.d, f.parameters, none); err != nil {
		return err // there is no derivative
	}
	if g.o.Initial {
		for i := range g.mech.NumBodies() {
			r.Initial = append(r.Initial, InitialResult{Body: g.mech.BodyName(i)})
		}
	}
	for i := range back {
		b := &back[i]
		r.Run.Projection = max(r.Run.Projection, b.Gap)
		r.Terms[i].Value = b.Final + b.Integral
		if err := f.d.FollowMotion(f.g, b.Start); err != nil {
			return err
		}
		for k, list := range f.parameters {
			r.Parameters[k].Terms[i] = b.Parameters[k]
			for _, p := range list {
				r.Parameters[k].Terms[i] += f.g.Of(p)
			}
		}
		for j := range r.Initial {
			x, y := &r.Initial[j], f.g.Body(j)
			x.Rotation, x.Position = x.Rotation.Add(y.Rotation), x.Position.Add(y.Position)
			x.Angular, x.Linear = x.Angular.Add(y.Angular), x.Linear.Add(y.Linear)
		}
	}
	return nil
}

// smooth refuses mechanisms whose runs are more than a differential equation in poses and velocities, by the name of what is.
func (g *Problem) smooth() error {
	m := g.mech
	if m.NumInternal() > 0 {
		return fmt.Errorf("%w: there are internal states: bristles of friction, slips of tyres or stops with impulses", ErrNotDifferentiable)
	}
	if list := m.Nonholonomic(); len(list) > 0 {
		return m.AtConstraint(int(list[0]), -1, fmt.Errorf("%w: rows of velocities alone have none over a run yet", ErrNotDifferentiable))
	}
	for _, p := range g.o.Parameters {
		if slices.ContainsFunc(p.Paths, func(path string) bool { return path == "time" || path == "$.time" }) {
			return fmt.Errorf("%w: by the time of the start", ErrNotDifferentiable)
		}
	}
	return nil
}

// reason says that a run which does not repeat has no derivative.
func (g *Problem) reason(err error) error {
	if e := new(adjoint.StepError); errors.As(err, &e) {
		return fault.Errorf("%w: %w", ErrNotDifferentiable, err)
	}
	return err
}
