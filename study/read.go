package study

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/runfields"
	"github.com/rung-mbd/rung/model"
)

// Read reads one document of rung-study/1 from r up to its end; file names it in messages.
//
// Cost: O(bytes of the document). It returns *model.Problems with
// everything that is wrong with it. Errors of r are returned wrapped.
func Read(r io.Reader, file string) (*Study, error) {
	d := &reader{Reader: document.NewReader(r), s: &Study{Draws: 1, Run: Run{Integrator: runNames().Integrators[0]}}}
	d.all()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("study: read %s: %w", file, err)
	}
	if !d.Fatal {
		d.names()
	}
	if err := problems(file, &d.Faults); err != nil {
		return nil, err
	}
	for i := range d.s.Parameters {
		d.s.Parameters[i].fill()
	}
	return d.s, nil
}

// grid stands for count numbers at equal distances. Parameter.fill makes them once the number of runs has been checked.
type grid struct {
	from, to float64
	count    int
}

// fill makes the numbers of a grid.
func (p *Parameter) fill() {
	if p.grid == nil {
		return
	}
	p.List = make([]float64, p.grid.count)
	for i := range p.List {
		u := float64(i) / float64(len(p.List)-1)
		p.List[i] = p.grid.from*(1-u) + p.grid.to*u
	}
	p.grid = nil
}

// points returns the number of values of p. It is the same before and after fill.
func (p *Parameter) points() int {
	if p.grid != nil {
		return p.grid.count
	}
	return len(p.List)
}

// problems returns faults as *model.Problems of a file, nil if there are none.
func problems(file string, f *document.Faults) error {
	list, more := f.Sorted()
	if len(list) == 0 {
		return nil
	}
	p := &model.Problems{List: make([]*model.Problem, len(list)), More: more}
	for i, f := range list {
		p.List[i] = &model.Problem{File: file, Path: f.Path, Value: f.Value, Rule: f.Rule}
	}
	return p
}

// reader turns the tokens of a document into a study.
type reader struct {
	*document.Reader
	s *Study
}

var studyFields = []string{"$schema", "format", "model", "run", "sampling", "parameters", "outputs", "trajectories", "gradients"}

// all reads the document. Rules between its parts are checked if nothing is wrong with the parts themselves.
func (d *reader) all() {
	if !d.Begin(format) {
		return
	}
	var seen uint32
	for k := range d.Members(studyFields, &seen) {
		switch studyFields[k] {
		case "$schema":
			d.text()
		case "format":
			d.Format(format)
		case "model":
			if d.s.Model = d.text(); d.s.Model == "" && !d.Fatal && d.Flaw == 0 {
				d.Note("", "is empty")
			}
		case "run":
			d.run()
		case "sampling":
			d.sampling()
		case "parameters":
			d.s.Parameters = list(d, "$.parameters", d.parameter)
		case "outputs":
			d.s.Outputs = list(d, "$.outputs", d.output)
		case "trajectories":
			d.s.Trajectories = list(d, "$.trajectories", func(s *string) { *s = d.NotEmpty() })
		case "gradients":
			d.s.Gradients = list(d, "$.gradients", func(s *string) { *s = d.NotEmpty() })
		}
	}
	d.Require(studyFields, seen, 1, 2, 3, 5)
	if d.Fatal {
		return
	}
	d.End()
	sampled := seen>>4&1 != 0 // "sampling" is field 4
	switch n := d.s.drawn(); {
	case seen>>6&3 == 0: // "outputs" and "trajectories" are fields 6 and 7
		d.Note("", "keeps nothing: outputs or trajectories are missing")
	case d.Len() > 0: // a part is wrong: its problem may be the cause of those below
	case len(d.s.Gradients) > 0 && len(d.s.Outputs) == 0:
		d.fault("$.gradients", "", "are of outputs, and there are none")
	case n > 0 && !sampled:
		d.fault("$.sampling", "", document.RuleMissing+": parameters are drawn")
	case n == 0 && sampled:
		d.fault("$.sampling", "", "is of no use: no parameter is drawn")
	case d.runs() > MaxRuns:
		d.fault("$", "", "the study "+fault.TooDear(d.runs(), MaxRuns, "runs", "take fewer values in the grids, or draw them"))
	case d.s.Sampling == Sobol && n > maxSobol:
		d.fault("$.sampling.type", Sobol.String(), fmt.Sprintf("draws at most %d parameters, not %d; random, latin-hypercube and halton have no such limit", maxSobol, n))
	case n > 0 && (d.s.Sampling == LatinHypercube || d.s.Sampling == Halton) && int64(d.s.Draws)*int64(n) > MaxDrawn:
		d.fault("$.sampling.draws", document.Number(float64(d.s.Draws)), fmt.Sprintf("times %d drawn parameters is more than %d; random and Sobol draws have no such limit", n, MaxDrawn))
	}
}

// runs returns the number of runs as a float64, as it may be beyond all integers.
func (d *reader) runs() float64 {
	n := float64(d.s.Draws)
	for i := range d.s.Parameters {
		if p := &d.s.Parameters[i]; p.Law == Values {
			n *= float64(p.points())
		}
	}
	return n
}

// fault notes a problem that comes before the problems of all sections.
func (d *reader) fault(path, value, rule string) { d.Add(document.Place{}, path, value, rule) }

func (d *reader) text() string {
	b, _ := d.Text()
	return string(b)
}

// run reads how each run is integrated, and checks the options together.
func (d *reader) run() {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	fields, names, before := runfields.Fields(), runNames(), d.Len()
	r := runfields.Run(d.s.Run)
	for k := range d.Members(fields, &seen) {
		r.Read(d.Reader, fields[k], names)
	}
	d.Require(fields, seen, 0)
	if d.Fatal || d.Len() > before {
		return
	}
	if r.Check(d.Reader, fields, names); d.Len() > before {
		return
	}
	d.s.Run = Run(r)
	if _, err := d.s.Run.Options(""); err != nil {
		for _, p := range err.(*model.Problems).List {
			d.fault(p.Path, p.Value, p.Rule)
		}
	}
}

// positive reads a number and notes a problem unless it is above 0.
func (d *reader) positive(x *float64) {
	if d.Number(x) && !(*x > 0) {
		d.Problem(document.Number(*x), "is not above 0")
	}
}

var samplingFields = []string{"type", "draws", "seed"}

// sampling reads how parameters are drawn.
func (d *reader) sampling() {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for k := range d.Members(samplingFields, &seen) {
		switch samplingFields[k] {
		case "type":
			d.s.Sampling = Sampling(d.Choice(samplingNames...))
		case "draws":
			d.s.Draws = int(d.count(1, MaxRuns))
		case "seed":
			d.s.Seed = uint64(d.count(0, document.MaxInteger))
		}
	}
	d.Require(samplingFields, seen, 0, 1, 2)
}

// count reads an integer from least to most. It returns least after a problem.
func (d *reader) count(least, most int64) int64 {
	before := d.Len()
	n := d.Integer()
	if d.Len() > before || d.Fatal {
		return least
	}
	if n < least || n > most {
		d.Problem(document.Number(float64(n)), fmt.Sprintf("is not from %d to %d", least, most))
		return least
	}
	return n
}

var parameterFields = []string{"name", "path", "unit", "values", "grid", "uniform", "normal"}

const firstLaw = 3 // place of the first law in parameterFields

// list reads an array with one to maxParameters elements, which read reads one by one. path is the array's.
func list[T any](d *reader, path string, read func(*T)) []T {
	before := d.Len()
	all := document.List(d.Reader, maxParameters, read)
	if len(all) == 0 && !d.Fatal && d.Len() == before {
		d.fault(path, "", "is empty")
	}
	return all
}

// parameter reads a parameter. Without a name it is named by its path, and without a unit it has the model's.
func (d *reader) parameter(p *Parameter) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for k := range d.Members(parameterFields, &seen) {
		switch parameterFields[k] {
		case "name":
			p.Name = d.NotEmpty()
		case "path":
			d.path(p)
		case "unit":
			p.Unit = d.NotEmpty()
		case "values":
			p.Law, p.List = Values, d.Numbers(nil, MaxRuns)
			if len(p.List) == 0 && !d.Fatal {
				d.Problem("", "is empty")
			}
		case "grid":
			p.Law = Values
			d.grid(p)
		case "uniform":
			p.Law = Uniform
			var x [2]float64
			if d.Vector(x[:]) && !(x[0] < x[1]) {
				d.Problem(document.Numbers(x[:]), "is an empty range: the second number is not above the first")
			}
			p.Low, p.High = x[0], x[1]
		case "normal":
			p.Law = Normal
			d.normal(p)
		}
	}
	d.Require(parameterFields, seen, 1)
	if d.Fatal {
		return
	}
	laws := 0
	for k := firstLaw; k < len(parameterFields); k++ {
		laws += int(seen >> k & 1)
	}
	if laws != 1 {
		d.Problem("", fmt.Sprintf("has %d of %s, must have one", laws, strings.Join(parameterFields[firstLaw:], ", ")))
	}
	if p.Name == "" {
		p.Name = p.Path
	}
	if p.Unit == "" {
		p.Unit = new(model.Model).Unit(p.Path)
	}
}

// path reads where the number of a parameter is.
func (d *reader) path(p *Parameter) {
	s, ok := d.Text()
	if !ok {
		return
	}
	p.Path = string(s)
	var err error
	if p.steps, err = document.ParsePath(p.Path); err != nil {
		d.Problem(document.Quote(s), err.Error())
	}
}

var gridFields = []string{"from", "to", "count"}

// grid reads numbers at equal distances.
func (d *reader) grid(p *Parameter) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	var from, to float64
	n, before := 0, d.Len()
	for k := range d.Members(gridFields, &seen) {
		switch k {
		case 0:
			d.Number(&from)
		case 1:
			d.Number(&to)
		default:
			n = int(d.count(2, MaxRuns))
		}
	}
	d.Require(gridFields, seen, 0, 1, 2)
	if d.Fatal || d.Len() > before {
		return
	}
	if from == to {
		d.ProblemAt(gridFields, 1, document.Number(to), "is an empty range: it is from")
		return
	}
	p.grid = &grid{from, to, n}
}

var normalFields = []string{"mean", "deviation"}

// normal reads the mean and the deviation of a normal law.
func (d *reader) normal(p *Parameter) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for k := range d.Members(normalFields, &seen) {
		if k == 0 {
			d.Number(&p.Mean)
		} else {
			d.positive(&p.Deviation)
		}
	}
	d.Require(normalFields, seen, 0, 1)
	if !d.Fatal && math.IsInf(math.Abs(p.Mean)+10*p.Deviation, 0) { // draws are within 8.3 deviations (inside)
		d.Problem("", "has values that are not finite")
	}
}

var outputFields = []string{"name", "column", "take"}

// output reads an output. Without a name it is named COLUMN.TAKE.
func (d *reader) output(o *Output) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for k := range d.Members(outputFields, &seen) {
		switch k {
		case 0:
			o.Name = d.NotEmpty()
		case 1:
			o.Column = d.NotEmpty()
		default:
			o.Take = Take(d.Choice(takeNames...))
		}
	}
	d.Require(outputFields, seen, 1, 2)
	if o.Name == "" {
		o.Name = o.Column + "." + o.Take.String()
	}
}

// The columns of every table of runs.
const (
	RunColumn    = "run"
	StatusColumn = "status"
	ReasonColumn = "reason"
)

// The values of the status column.
const (
	Done   = "done"
	Failed = "failed"
)

// The formats of the files of a sweep.
const (
	RunsFormat         = "rung-runs/1"
	TrajectoriesFormat = "rung-run-trajectories/1"
)

// names notes a problem for each column whose name another column has, and for each output that takes the same of a column as
// another output.
func (d *reader) names() {
	seen := map[string]string{RunColumn: "that of the number of the run", StatusColumn: "that of the status", ReasonColumn: "that of the reason"}
	add := func(name, path, key string, i int) {
		at := document.Entry(path, i)
		if was, ok := seen[name]; ok && name != "" {
			d.Add(document.Place{Section: 1, Index: i}, at+key, fault.Name(document.Cut(name)), "the name of the column is "+was)
		}
		seen[name] = "that of " + at
	}
	for i := range d.s.Parameters {
		add(d.s.Parameters[i].Name, "$.parameters", "", i)
	}
	type taken struct {
		column string
		take   Take
	}
	kept := map[taken]int{}
	for i := range d.s.Outputs {
		o := &d.s.Outputs[i]
		if o.Column == "" {
			continue
		}
		if k, ok := kept[taken{o.Column, o.Take}]; ok {
			d.Add(document.Place{Section: 2, Index: i}, document.Entry("$.outputs", i), fault.Name(document.Cut(o.Column)), "is taken by "+document.Entry("$.outputs", k)+" already")
			continue
		}
		kept[taken{o.Column, o.Take}] = i
		add(o.Name, "$.outputs", "", i)
	}
	for i, name := range d.s.GradientColumns() {
		add(name, "$.gradients", "", i%len(d.s.Gradients))
	}
}
