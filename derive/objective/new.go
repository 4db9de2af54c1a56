package objective

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/numbers"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// NewProblem reads the model of an objective, and looks up the names of the objective in it. file names the document of the objective in
// messages.
//
// It returns *model.Problems of the objective with all columns that are unknown or have no derivative, and all paths of parameters that
// lead to no number in the text of the model, or to a number without derivative; or the *model.Problems of the model. It panics without an
// objective.
func NewProblem(o *Objective, file string, source Source) (*Problem, error) {
	if o == nil {
		panic("derive/objective: no objective")
	}
	return newProblem(o, file, source, records{}, sim.Refuse)
}

// noted collects the problems of the document of an objective.
type noted struct {
	model.Problems
	file string
}

// add adds a problem at a path of the document; value is the value there, and err says what is wrong with it.
func (n *noted) add(path, value string, err error) {
	n.List = append(n.List, &model.Problem{File: n.file, Path: path, Value: fault.Name(value), Rule: fault.Plain(err).Error()})
}

// newProblem is NewProblem with files that have been read, and with closes for the start of runs.
func newProblem(o *Objective, file string, source Source, files records, closes sim.Start) (*Problem, error) {
	g := &Problem{o: o, file: file, source: source, files: files, closes: closes}
	err := g.begin()
	if err != nil {
		return nil, err
	}
	bad := &noted{file: file}
	g.addHeld(bad)
	if len(o.Runs) > 0 {
		err = g.addRuns(bad)
	} else {
		g.addTerms("$", bad)
		for i := range o.Constraints {
			g.addTerm(&o.Constraints[i].Term, document.Entry("$.constraints", i), bad)
		}
	}
	if err == nil {
		err = g.addParameters(bad)
	}
	for i := 0; err == nil && len(bad.List) == 0 && i < len(g.parts); i++ {
		err = g.parts[i].addParameters(bad)
	}
	if len(bad.List) > 0 {
		return nil, &bad.Problems
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// begin reads the model and the task.
func (g *Problem) begin() (err error) {
	if g.doc, g.plan, err = g.read(g.source.Text); err != nil {
		return err
	}
	g.mech, g.d, g.past = g.plan.Mechanism(), derive.New(g.plan, g.doc), new(past)
	return g.beginTask()
}

// startClosed is the start of changed models: runs begin at the nearest state on the joints, and terms of the state are taken there.
const startClosed = sim.Close

// addTerms looks up the names in the terms of one run or state. place is the path of the run in the document, $ for the document itself.
func (g *Problem) addTerms(place string, bad *noted) {
	of := place
	if place == "$" {
		of = "$.run"
	}
	if g.o.At == AtRun {
		g.checkRun(of, bad)
	}
	g.addEnding(of, bad)
	for i := range g.o.Terms {
		g.addTerm(&g.o.Terms[i], document.Entry(place+".terms", i), bad)
	}
}

// checkRun reports a run that does not end after its start, and an integrator or a stabilization without adjoint. place is the path of the
// run in the document.
func (g *Problem) checkRun(place string, bad *noted) {
	o, names := &g.o.Run, runNames()
	if start := g.plan.Initial().Time; !(o.Until > start) {
		bad.add(place+".until", document.Number(o.Until), fmt.Errorf("is not after the time of the model, %v s", start))
	}
	for _, x := range []struct {
		field, name string
		with        []string
	}{{"integrator", o.Integrator.String(), names.Integrators}, {"stabilize", o.Stabilization.String(), names.Stabilizations}} {
		if !slices.Contains(x.with, x.name) {
			bad.add(place+"."+x.field, x.name, fmt.Errorf("has no gradients; %s have", strings.Join(x.with, ", ")))
		}
	}
}

// addEnding looks up the column at which the run ends.
func (g *Problem) addEnding(place string, bad *noted) {
	e := g.o.Ends
	if e == nil {
		return
	}
	o, err := g.d.Output(e.Column)
	if err == nil && g.d.OutputOf(o) == nil {
		err = errors.New("is an acceleration; a run ends at poses and velocities")
	}
	if err != nil {
		bad.add(place+".ends_at.column", e.Column, err)
	}
	g.ending = &ending{of: e, output: o}
}

// addTerm adds the next term, and looks up its column and its data.
func (g *Problem) addTerm(t *Term, place string, bad *noted) {
	err := g.addColumn(t.Column)
	if err == nil && t.ofTime() && t.Take != Final {
		err = fmt.Errorf("is taken at the end, not as %s", t.Take)
	}
	if err != nil {
		bad.add(place+".column", t.Column, err)
	}
	g.terms = append(g.terms, t)
	if t.Take != Data {
		g.data = append(g.data, nil)
		return
	}
	r, err := g.files.of(g.source.Data, t.File, t.From)
	if err == nil && g.o.Run.Until > g.plan.Initial().Time {
		err = r.within(g.plan.Initial().Time, g.o.Run.Until)
	}
	if err != nil {
		bad.add(place+".data", t.File, err)
	}
	g.data = append(g.data, r)
}

// read reads the text of a model.
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

// addParameters looks up the parameters and their numbers.
func (g *Problem) addParameters(bad *noted) error {
	before := len(bad.List)
	for i := range g.o.Parameters {
		found, err := parametersOf(g.d, &g.o.Parameters[i], g.task != nil)
		if err != nil {
			bad.add(document.Entry("$.parameters", i), g.o.Parameters[i].Name, err)
		}
		g.parameters = append(g.parameters, found)
	}
	if len(bad.List) > before {
		return nil
	}
	return g.setNumbers(bad)
}

// setNumbers finds the numbers in the texts of model and task at all paths, and reports numbers with two paths.
func (g *Problem) setNumbers(bad *noted) error {
	t, err := numbers.Read(g.source.Text)
	if err != nil {
		return fault.Errorf("derive/objective: %w", err)
	}
	g.text = t
	// Path and parameter by number: a number has paths by names and by indices, and Read finds equal paths only.
	places := map[string][2]string{}
	for i := range g.o.Parameters {
		at := document.Entry("$.parameters", i)
		var found []numbers.Number
		var values []float64
		for _, path := range g.o.Parameters[i].Paths {
			inTask, steps, err := g.whose(path)
			var n numbers.Number
			var x float64
			switch {
			case err != nil:
			case inTask:
				n, err = g.task.text.Find(steps)
				n.Place = taskPrefix + n.Place
			default:
				n, err = t.Find(steps)
			}
			if err == nil {
				x, err = n.Value()
			}
			switch was, twice := places[n.Place]; {
			case err != nil:
				bad.add(at, path, err)
			case twice && was[0] != path:
				bad.add(at, path, errors.New("is that of "+was[1]))
			case g.fixed[n.Place] != "":
				bad.add(g.fixed[n.Place]+".path", path, errors.New("is that of "+at))
			}
			places[n.Place] = [2]string{path, at}
			found, values = append(found, n), append(values, x)
		}
		g.numbers, g.values = append(g.numbers, found), append(g.values, values)
	}
	return nil
}

// addColumn looks up the column of the next term.
func (g *Problem) addColumn(name string) error {
	if g.o.At == AtModes {
		c, err := newModeColumn(name)
		g.modes = append(g.modes, c)
		return err
	}
	if name == timeColumn {
		g.outputs = append(g.outputs, derive.Output{})
		if g.ending == nil {
			return errors.New("is of a run that ends at a column, ends_at")
		}
		return nil
	}
	o, err := g.d.Output(name)
	g.outputs = append(g.outputs, o)
	return err
}

// parametersOf looks up the numbers of a parameter in the model. With ofTask it skips numbers of the task.
func parametersOf(d *derive.Derivatives, p *Parameter, ofTask bool) (found []*derive.Parameter, err error) {
	for _, path := range p.Paths {
		if ofTask && strings.HasPrefix(path, taskPrefix) {
			continue
		}
		x, err := d.Parameter(path)
		if err != nil {
			return nil, err
		}
		found = append(found, x)
	}
	return found, nil
}

// addRuns makes a problem for each experiment.
func (g *Problem) addRuns(bad *noted) error {
	for i := range g.o.Runs {
		e, place := &g.o.Runs[i], document.Entry("$.runs", i)
		t, err := numbers.Read(g.source.Text)
		if err != nil {
			return fault.Errorf("derive/objective: %w", err)
		}
		wrong, fixed := len(bad.List), map[string]string{}
		for k, s := range e.Set {
			at := document.Entry(place+".set", k)
			number, err := set(t, s.Path, s.Value)
			if was := fixed[number]; err == nil && was != "" {
				err = errors.New("is that of " + was)
			}
			if fixed[number] = at; err != nil {
				bad.add(at+".path", s.Path, err)
			}
		}
		if len(bad.List) > wrong {
			continue
		}
		source := g.source
		if source.Text, err = t.Write(); err != nil {
			return fault.Errorf("derive/objective: %w", err)
		}
		o := &Objective{Model: g.o.Model, At: AtRun, Run: e.Run, Ends: e.Ends, Terms: e.Terms, Parameters: g.o.Parameters, Hold: g.o.Hold}
		part := &Problem{o: o, file: g.file, source: source, files: g.files, closes: g.closes, held: g.held, fixed: fixed}
		if err := part.begin(); err != nil {
			return fault.Errorf("derive/objective: run %s: %w", fault.Name(e.Name), err)
		}
		part.addTerms(place, bad)
		g.parts = append(g.parts, part)
	}
	return nil
}

// set sets the number at a path of a document to x, and returns its place there.
func set(t *numbers.Text, path string, x float64) (string, error) {
	steps, err := document.ParsePath(path)
	if err != nil {
		return "", err
	}
	n, err := t.Find(steps)
	if err != nil {
		return "", err
	}
	n.Set(x)
	return n.Place, nil
}

// withModel returns the same problem for another text of the model with the same names. If its state violates its joints, runs begin at the
// nearest state on them.
//
// Cost and errors: as NewProblem; data are not read again.
func (g *Problem) withModel(text []byte) (*Problem, error) {
	source := g.source
	source.Text = text
	return newProblem(g.o, g.file, source, g.files, startClosed)
}
