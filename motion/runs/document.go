package runs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/runfields"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// documentFormat is the value of the "format" field of every document of a run.
const documentFormat = "rung-run/1"

// mostNames is the largest number of names in a list of a document.
const mostNames = 100_000

// startNames are the names of the values of sim.Start in documents.
var startNames = []string{"refuse", "close", "as-it-is"}

// runDocument is the content of a document: the part of Options that determines the motion and its rows. The program chooses
// files and callbacks.
type runDocument struct {
	Format      string   `json:"format"`
	Until       float64  `json:"until,omitempty"`
	Every       float64  `json:"every,omitempty"`
	Integrator  string   `json:"integrator"`
	Step        float64  `json:"step,omitempty"`
	Tolerance   float64  `json:"tolerance,omitempty"`
	Rho         *float64 `json:"rho,omitempty"`
	Method      string   `json:"method"`
	Stabilize   string   `json:"stabilize"`
	Start       string   `json:"start"`
	Columns     []string `json:"columns,omitempty"`
	Bodies      []string `json:"bodies,omitempty"`
	Wrenches    []string `json:"wrenches,omitempty"`
	Multipliers []string `json:"multipliers,omitempty"`
}

// documentFields are the fields of a document.
var documentFields = slices.Concat([]string{"$schema", "format"}, runfields.Fields(), []string{"start", "columns", "bodies", "wrenches", "multipliers"})

// Read reads one document of rung-run/1 from r up to its end; file is its name in messages. Options that documents do not have,
// such as files, are zero.
//
// Cost: O(bytes of the document). It returns a *model.Problems with all faults of the document. Errors of r are
// returned wrapped.
func Read(r io.Reader, file string) (*Options, error) {
	return read(&reader{document.NewReader(r), new(Options)}, file, 1)
}

// ReadOptions is Read of an object in text, named what in messages, whose field "format" may be missing. An empty text stands for an
// empty object.
func ReadOptions(text []byte, what string) (*Options, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	return read(&reader{document.NewReader(bytes.NewReader(text)), new(Options)}, what)
}

// read reads a document with d. need are the indexes in documentFields of the fields that have to be there.
func read(d *reader, file string, need ...int) (*Options, error) {
	d.all(need)
	if err := d.Err(); err != nil {
		return nil, fault.Errorf("motion/runs: read %s: %w", file, err)
	}
	if list, more := d.Sorted(); len(list) > 0 {
		p := &model.Problems{List: make([]*model.Problem, len(list)), More: more}
		for i, f := range list {
			p.List[i] = &model.Problem{File: file, Path: f.Path, Value: f.Value, Rule: f.Rule}
		}
		return nil, p
	}
	if e := new(OptionError); errors.As(d.o.Check(), &e) {
		path := document.Key("$", runfields.Named(e.Field))
		return nil, &model.Problems{List: []*model.Problem{{File: file, Path: path, Rule: e.In(runfields.Named)}}}
	}
	return d.o, nil
}

// reader turns the tokens of a document into Options.
type reader struct {
	*document.Reader
	o *Options
}

// all reads a whole document into d.o. need is as in read.
func (d *reader) all(need []int) {
	if !d.Begin(documentFormat) {
		return
	}
	var seen uint32
	var run runfields.Run
	names := runfields.Names{
		Integrators: integratorNames, Methods: methodNames(), Stabilizations: stabilizationNames,
		NeedsStep: func(name string) bool { return integratorOf(name).NeedsStep() },
	}
	for k := range d.Members(documentFields, &seen) {
		if field := documentFields[k]; !run.Read(d.Reader, field, &names) {
			d.field(field)
		}
	}
	d.Require(documentFields, seen, need...)
	if d.Fatal {
		return
	}
	if d.Len() == 0 {
		run.Check(d.Reader, documentFields, &names)
	}
	d.o.set(&run)
	d.End()
}

// set sets the options that a document has in the fields of runfields.
func (o *Options) set(r *runfields.Run) {
	o.Until, o.Every, o.Step, o.Tolerance = r.Until, r.Every, r.Step, r.Tolerance
	o.Rho, o.Annihilate = r.Rho, r.RhoGiven && r.Rho == 0
	o.Integrator = integratorOf(r.Integrator)
	o.Method = motion.Methods()[max(0, slices.Index(methodNames(), r.Method))]
	o.Stabilization = Stabilization(max(0, slices.Index(stabilizationNames, r.Stabilize)))
}

// integratorOf returns the integrator with a name, and the default for "" and unknown names.
func integratorOf(name string) Integrator {
	return Integrator(max(0, slices.Index(integratorNames, name)))
}

// field reads the value of a field that is not one of runfields.
func (d *reader) field(name string) {
	o := d.o
	switch name {
	case "$schema":
		d.Text()
	case "format":
		d.Format(documentFormat)
	case "start":
		o.Start = sim.Start(d.Choice(startNames...))
	case "columns":
		o.Columns = d.names()
	case "bodies":
		o.Bodies = d.names()
	case "wrenches":
		o.Wrenches = d.names()
	case "multipliers":
		o.Multipliers = d.names()
	}
}

// methodNames are the names of motion.Methods.
func methodNames() (names []string) {
	for _, m := range motion.Methods() {
		names = append(names, m.String())
	}
	return names
}

// names reads a list of names.
func (d *reader) names() (list []string) {
	if !d.OpenArray() {
		return nil
	}
	n := 0
	for ; d.Element(n); n++ {
		if n >= mostNames {
			d.Skip()
			continue
		}
		s, ok := d.Text()
		if ok && len(s) == 0 {
			d.Problem("", "is empty")
		}
		list = append(list, string(s))
	}
	d.Bound(n, mostNames)
	return list
}

// Write writes the options as a document for Read, without those that documents do not have, such as files.
//
// It returns an *OptionError for options that Check refuses, for Rattle options other than the default, which documents
// cannot have, and for a name that is not valid UTF-8; and the errors of w.
func (o *Options) Write(w io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	if o.Rattle != (motion.RattleOptions{}) {
		return wrong("Rattle", "a document has no {Rattle}")
	}
	for _, x := range [...]struct {
		field string
		names []string
	}{{"Columns", o.Columns}, {"Bodies", o.Bodies}, {"Wrenches", o.Wrenches}, {"Multipliers", o.Multipliers}} {
		for i, name := range x.names {
			if !utf8.ValidString(name) {
				return wrong(x.field, "{"+x.field+"}: name %d, %s, is not valid UTF-8", i, fault.Name(name))
			}
		}
	}
	doc := runDocument{
		Format: documentFormat, Until: o.Until, Every: o.Every, Integrator: o.Integrator.String(), Step: o.Step, Tolerance: o.Tolerance,
		Method: o.Method.String(), Stabilize: o.Stabilization.String(), Start: startNames[o.Start],
		Columns: o.Columns, Bodies: o.Bodies, Wrenches: o.Wrenches, Multipliers: o.Multipliers,
	}
	if o.Rho != 0 || o.Annihilate {
		doc.Rho = &o.Rho
	}
	b, err := json.MarshalIndent(&doc, "", " ")
	if err != nil {
		return fault.Errorf("motion/runs: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// schemaText is the JSON Schema of rung-run/1.
//
//go:embed schema.json
var schemaText []byte

// Schema returns the JSON Schema (draft 2020-12) of rung-run/1. It covers the structure of a document.
func Schema() []byte { return slices.Clone(schemaText) }
