package objective

import (
	"fmt"
	"io"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/runfields"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
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

// reader turns the tokens of a document into an objective.
type reader struct {
	*document.Reader
	o *Objective
}

var documentFields = []string{"$schema", "format", "model", "at", "run", "terms", "parameters", "initial"}

const (
	docRun     = 4
	docInitial = 7
)

func (d *reader) all() {
	if !d.Begin(format) {
		return
	}
	var seen uint32
	for {
		k, ok := d.Member(documentFields, &seen)
		if !ok {
			break
		}
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
		case "parameters":
			d.o.Parameters = some(d, d.parameter)
		case "initial":
			d.o.Initial = d.Bool()
		}
	}
	d.Require(documentFields, seen, 1, 2, 3, 5)
	if d.Fatal {
		return
	}
	d.End()
	if d.Len() == 0 {
		d.together(seen)
	}
}

// runNames are the names that the run of an objective may have: methods that have an adjoint.
func runNames() *runfields.Names {
	return &runfields.Names{
		Integrators: []string{runs.DormandPrince.String(), runs.RungeKutta4.String()}, Methods: []string{motion.Sparse.String()},
		Stabilizations: []string{runs.Projection.String(), runs.None.String()},
		NeedsStep:      func(name string) bool { i, _ := runs.ParseIntegrator(name); return i.NeedsStep() },
	}
}

// run reads how the run goes.
func (d *reader) run() {
	fields, names, before := runfields.Fields(), runNames(), d.Len()
	r := runfields.Run{Integrator: names.Integrators[0]}
	d.Object(fields, []int{0}, func(k int) { r.Read(d.Reader, fields[k], names) })
	if d.Fatal || d.Len() > before {
		return
	}
	if r.Check(d.Reader, fields, names); d.Len() > before {
		return
	}
	o := &d.o.Run
	o.Until, o.Step, o.Tolerance = r.Until, r.Step, r.Tolerance
	o.Integrator, _ = runs.ParseIntegrator(r.Integrator)
	if r.Stabilize == runs.None.String() {
		o.Stabilization = runs.None
	}
	if r.RhoGiven {
		d.ProblemAt(fields, len(fields)-1, document.Number(r.Rho), "is of generalized-alpha, not of "+r.Integrator)
	}
}

// some reads a list that is not empty.
func some[T any](d *reader, read func(*T)) []T {
	before := d.Len()
	all := document.List(d.Reader, maxEntries, read)
	if len(all) == 0 && !d.Fatal && d.Len() == before {
		d.Problem("", "is empty")
	}
	return all
}

var termFields = []string{"name", "column", "take", "weight", "target", "power"}

func (d *reader) term(t *Term) {
	t.Weight, t.Power = 1, 1
	d.Object(termFields, []int{1}, func(k int) {
		switch termFields[k] {
		case "name":
			t.Name = d.NotEmpty()
		case "column":
			t.Column = d.NotEmpty()
		case "take":
			t.Take = Take(d.Choice(takeNames...))
		case "weight":
			d.Number(&t.Weight)
		case "target":
			d.Number(&t.Target)
		case "power":
			if t.Power = int(d.Integer()); t.Power < 1 || t.Power > maxPower {
				d.Problem(document.Number(float64(t.Power)), fmt.Sprintf("is not from 1 to %d", maxPower))
			}
		}
	})
	if t.Name == "" {
		t.Name = t.Column
	}
}

var parameterFields = []string{"name", "path", "paths"}

func (d *reader) parameter(p *Parameter) {
	d.Object(parameterFields, nil, func(k int) {
		switch parameterFields[k] {
		case "name":
			p.Name = d.NotEmpty()
		case "path":
			p.Paths = append(p.Paths, d.NotEmpty())
		case "paths":
			p.Paths = append(p.Paths, some(d, func(s *string) { *s = d.NotEmpty() })...)
		}
	})
	if d.Fatal {
		return
	}
	if len(p.Paths) == 0 {
		d.ProblemAt(parameterFields, 1, "", document.RuleMissing)
		return
	}
	if p.Name == "" {
		p.Name = p.Paths[0]
	}
}

// together sees what fields mean only together.
func (d *reader) together(seen uint32) {
	switch given := seen>>docRun&1 != 0; {
	case d.o.At == AtRun && !given:
		d.Add(document.Place{}, "$.run", "", document.RuleMissing+": at is run")
	case d.o.At != AtRun && given:
		d.Add(document.Place{}, "$.run", "", "is of no use: at is "+d.o.At.String())
	case d.o.At != AtRun && d.o.Initial:
		d.Add(document.Place{}, "$.initial", "true", "is for runs: at is "+d.o.At.String())
	}
	names := map[string]string{}
	for i := range d.o.Terms {
		t, path := &d.o.Terms[i], document.Entry("$.terms", i)
		if d.o.At != AtRun && t.Take != Final {
			d.Add(document.Place{Section: 1, Index: i}, path+".take", t.Take.String(), "is for runs: at is "+d.o.At.String())
		}
		d.once(names, t.Name, path, document.Place{Section: 1, Index: i})
	}
	clear(names)
	paths := map[string]string{}
	for i := range d.o.Parameters {
		p, path := &d.o.Parameters[i], document.Entry("$.parameters", i)
		at := document.Place{Section: 2, Index: i}
		d.once(names, p.Name, path, at)
		for _, s := range p.Paths {
			d.once(paths, strings.TrimPrefix(s, "$."), path, at)
		}
	}
}

// once reports a name or a path that has come before.
func (d *reader) once(names map[string]string, name, path string, at document.Place) {
	if was, ok := names[name]; ok {
		d.Add(at, path, fault.Name(document.Cut(name)), "is that of "+was)
		return
	}
	names[name] = path
}
