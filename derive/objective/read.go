package objective

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/runfields"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// Read reads one document of rung-objective/1 from r up to its end; file names it in messages.
//
// Cost: O(bytes of the document). It returns *model.Problems with everything that is wrong with it. Errors of r are returned
// wrapped.
func Read(r io.Reader, file string) (*Objective, error) {
	d := &reader{Reader: document.NewReader(r), o: new(Objective)}
	d.all()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("derive/objective: read %s: %w", file, err)
	}
	bad, more := d.Sorted()
	if len(bad) == 0 {
		return d.o, nil
	}
	p := &model.Problems{More: more}
	for _, f := range bad {
		p.List = append(p.List, &model.Problem{File: file, Path: f.Path, Value: f.Value, Rule: f.Rule})
	}
	return nil, p
}

var documentFields = []string{
	"$schema", "format", "model", "at", "run", "terms", "runs", "parameters", "constraints", "hold", "initial", "task",
}

// Indices in documentFields.
const (
	docRun   = 4
	docTerms = 5
	docRuns  = 6
	docTask  = 11
)

// all reads the document.
func (d *reader) all() {
	if !d.Begin(format) {
		return
	}
	var seen uint32
	for k := range d.Members(documentFields, &seen) {
		switch documentFields[k] {
		case "$schema":
			d.Text()
		case "format":
			d.Format(format)
		case "model":
			d.o.Model = d.NotEmpty()
		case "at":
			d.o.At = At(d.Choice(atNames...))
		case "run":
			d.run()
		case "terms":
			d.o.Terms = some(d, d.term)
		case "runs":
			d.o.Runs = some(d, d.experiment)
		case "parameters":
			d.o.Parameters = some(d, d.parameter)
		case "constraints":
			d.o.Constraints = some(d, d.constraint)
		case "hold":
			d.o.Hold = some(d, func(s *string) { *s = d.NotEmpty() })
		case "initial":
			d.o.Initial = d.Bool()
		case "task":
			d.o.Task = d.NotEmpty()
		}
	}
	d.Require(documentFields, seen, 1, 2, 3)
	if d.Fatal {
		return
	}
	d.End()
	if d.Len() == 0 {
		d.together(seen)
	}
}

// runNames returns the names that the run of an objective may use: the methods that have an adjoint.
func runNames() *runfields.Names {
	return &runfields.Names{
		Integrators:    []string{runs.DormandPrince.String(), runs.RungeKutta4.String(), runs.GeneralizedAlpha.String(), runs.Rattle.String()},
		Methods:        []string{motion.Sparse.String()},
		Stabilizations: []string{runs.Projection.String(), runs.None.String()},
		NeedsStep:      func(name string) bool { i, _ := runs.ParseIntegrator(name); return i.NeedsStep() },
	}
}

// run reads the options of the run.
func (d *reader) run() {
	d.runIn(&d.o.Run, append(runfields.Fields(), endsField), []int{0}, func(string) { d.o.Ends = d.endsAt() })
}

// experimentFields are the fields that an experiment has besides the fields of a run.
var experimentFields = []string{endsField, "name", "set", "terms"}

const endsField = "ends_at"

var endingFields = []string{"column", "value", "direction"}

// endsAt reads the end of a run before its time.
func (d *reader) endsAt() *Ending {
	e := new(Ending)
	d.Object(endingFields, []int{0, 1}, func(k int) {
		switch endingFields[k] {
		case "column":
			e.Column = d.NotEmpty()
		case "value":
			d.Number(&e.Value)
		case "direction":
			e.Direction = sim.Direction(d.Choice(directionNames...))
		}
	})
	return e
}

// experiment reads one of several runs.
func (d *reader) experiment(e *Experiment) {
	fields := append(runfields.Fields(), experimentFields...)
	n := len(fields)
	d.runIn(&e.Run, fields, []int{0, n - 1}, func(field string) {
		switch field {
		case endsField:
			e.Ends = d.endsAt()
		case "name":
			e.Name = d.NotEmpty()
		case "set":
			e.Set = some(d, d.setting)
		case "terms":
			e.Terms = some(d, d.term)
		}
	})
}

// runIn reads an object with the fields of a run into o. need are the indices of the fields that it must have; other reads the other
// fields.
func (d *reader) runIn(o *runs.Options, fields []string, need []int, other func(field string)) {
	names, before := runNames(), d.Len()
	r := runfields.Run{Integrator: names.Integrators[0]}
	d.Object(fields, need, func(k int) {
		if !r.Read(d.Reader, fields[k], names) {
			other(fields[k])
		}
	})
	if d.Fatal || d.Len() > before {
		return
	}
	if r.Check(d.Reader, fields, names); d.Len() > before {
		return
	}
	o.Until, o.Every, o.Step, o.Tolerance = r.Until, r.Every, r.Step, r.Tolerance
	o.Integrator, _ = runs.ParseIntegrator(r.Integrator)
	if r.Stabilize == runs.None.String() {
		o.Stabilization = runs.None
	}
	switch at := slices.Index(fields, "rho"); {
	case r.RhoGiven && o.Integrator != runs.GeneralizedAlpha:
		d.ProblemAt(fields, at, document.Number(r.Rho), "is of generalized-alpha, not of "+r.Integrator)
	case r.RhoGiven && !(r.Rho >= 0 && r.Rho < 1):
		d.ProblemAt(fields, at, document.Number(r.Rho), "is not from 0 to below 1")
	}
	o.Rho, o.Annihilate = r.Rho, r.RhoGiven && r.Rho == 0
}

// Sections of a document, in the order in which their problems are reported.
const (
	inTerms = iota + 1
	inRuns
	inParameters
	inConstraints
)

// together checks the rules between fields; seen has a bit for each field of the document that is present.
func (d *reader) together(seen uint32) {
	has := func(k int) bool { return seen>>k&1 != 0 }
	add := func(path, value, rule string) { d.Add(document.Place{}, path, value, rule) }
	at := ": at is " + d.o.At.String()
	switch several := has(docRuns); {
	case several && (has(docRun) || has(docTerms)):
		add("$.runs", "", "excludes run and terms: each of them has its own")
	case !several && !has(docTerms):
		add("$.terms", "", document.RuleMissing)
	case d.o.At == AtRun && !several && !has(docRun):
		add("$.run", "", document.RuleMissing+at)
	case d.o.At != AtRun && has(docRun):
		add("$.run", "", "is of no use"+at)
	case d.o.At != AtRun && several:
		add("$.runs", "", "is of no use"+at)
	case len(d.o.Hold) > 0 && d.o.At != AtRun && d.o.At != AtClosed:
		add("$.hold", "", "is of no use"+at)
	case d.o.Initial && len(d.o.Hold) > 0:
		add("$.initial", "true", "is for a start of which nothing is held")
	case d.o.Initial && (d.o.At != AtRun || several):
		add("$.initial", "true", "is for one run"+at)
	case d.o.At == AtReach && !has(docTask):
		add("$.task", "", document.RuleMissing+at)
	case d.o.At != AtReach && has(docTask):
		add("$.task", "", "is of no use"+at)
	case several && len(d.o.Constraints) > 0:
		add("$.constraints", "", "is of one run or state")
	}
	terms := func(list []Term, path string, section, index int) {
		names := map[string]string{}
		for i := range list {
			t, path, place := &list[i], document.Entry(path, i), document.Place{Section: section, Index: max(index, i)}
			d.forRuns(t, path, place)
			d.once(names, t.Name, path, place)
		}
	}
	terms(d.o.Terms, "$.terms", inTerms, 0)
	names := map[string]string{}
	for i := range d.o.Runs {
		e, path := &d.o.Runs[i], document.Entry("$.runs", i)
		if e.Name == "" {
			e.Name = strconv.Itoa(i + 1)
		}
		d.once(names, e.Name, path, document.Place{Section: inRuns, Index: i})
		terms(e.Terms, path+".terms", inRuns, i)
	}
	d.parametersTogether()
	clear(names)
	for i := range d.o.Constraints {
		c, path, place := &d.o.Constraints[i], document.Entry("$.constraints", i), document.Place{Section: inConstraints, Index: i}
		d.forRuns(&c.Term, path, place)
		d.once(names, c.Name, path, place)
	}
}

// forRuns reports a term that needs a run if there is none.
func (d *reader) forRuns(t *Term, path string, place document.Place) {
	if d.o.At != AtRun && t.Take != Final {
		d.Add(place, path+".take", t.Take.String(), "is for runs: at is "+d.o.At.String())
	}
}

// parametersTogether reports numbers that two parameters, or a parameter and an experiment, change.
func (d *reader) parametersTogether() {
	names, paths := map[string]string{}, map[string]string{}
	for i := range d.o.Parameters {
		p, path := &d.o.Parameters[i], document.Entry("$.parameters", i)
		at := document.Place{Section: inParameters, Index: i}
		d.once(names, p.Name, path, at)
		for _, s := range p.Paths {
			d.once(paths, strings.TrimPrefix(s, "$."), path, at)
		}
	}
	for i := range d.o.Runs {
		for k, s := range d.o.Runs[i].Set {
			if was, ok := paths[strings.TrimPrefix(s.Path, "$.")]; ok {
				path := document.Entry(document.Entry("$.runs", i)+".set", k)
				d.Add(document.Place{Section: inRuns, Index: i}, path+".path", fault.Name(document.Cut(s.Path)), "is that of "+was)
			}
		}
	}
}

// once reports a name or a path that has occurred before. names has the place of each earlier one.
func (d *reader) once(names map[string]string, name, path string, at document.Place) {
	if was, ok := names[name]; ok {
		d.Add(at, path, fault.Name(document.Cut(name)), "is that of "+was)
		return
	}
	names[name] = path
}
