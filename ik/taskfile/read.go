package taskfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/model"
)

// Open reads the task in the file at path. The task may name a file of waypoints in the folder of path or below it. It
// returns the errors of Read and of opening and closing the file.
func Open(path string) (*ik.Task, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ik/taskfile: %w", err)
	}
	t, err := ReadIn(f, path, os.DirFS(filepath.Dir(path)))
	return t, errors.Join(err, f.Close())
}

// Read reads one document of rung-ik/1 from r up to its end; file is its name in messages. A document with 0 restarts gives
// ik.NoRestarts.
//
// Cost: O(bytes of the document). It returns a *model.Problems with all faults of the structure of the document. If the document is a
// JSON object, the task is returned too, as far as it could be read: ik.NewProblem then reports these problems again, together with
// faults that only show with a mechanism. Errors of r are returned wrapped, without a task.
func Read(r io.Reader, file string) (*ik.Task, error) { return ReadIn(r, file, nil) }

// ReadIn is Read of a document whose path may name a file of waypoints in folder
// (the field "file"). If folder is nil, such a field is a fault of the document.
func ReadIn(r io.Reader, file string, folder fs.FS) (*ik.Task, error) {
	d := &reader{folder: folder, Reader: document.NewReader(r), t: &ik.Task{File: document.Cut(file)}, limits: map[string]int{}}
	whole := d.all()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("ik/taskfile: read %s: %w", file, err)
	}
	err := d.broken()
	if !whole || d.Fatal {
		return nil, err
	}
	return d.t, err
}

// broken stores the problems of the document in the task, sorted, and returns them; nil if there are none.
func (d *reader) broken() error {
	var all document.Faults
	all.Append(&d.Faults, func(path string) document.Place { return document.PlaceOf(taskFields, path) })
	list, more := all.Sorted()
	if len(list) == 0 {
		return nil
	}
	p := &model.Problems{More: more}
	for _, f := range list {
		p.List = append(p.List, &model.Problem{File: cmp.Or(d.t.File, "task"), Path: f.Path, Value: f.Value, Rule: f.Rule})
	}
	d.t.Broken = p
	return p
}

// taskFields are the fields of a task.
var taskFields = []string{
	"$schema", "format", "driven", "hold", "limits", "rates", "targets", "posture", "path", "solver", "fik",
}

// Indexes of taskFields.
const (
	taskSchema = iota
	taskFormat
	taskDriven
	taskHold
	taskLimits
	taskRates
	taskTargets
	taskPosture
	taskPath
	taskSolver
	taskFIK
)

// all reads the document and reports whether it is an object.
func (d *reader) all() bool {
	if !d.Begin(format) {
		return false
	}
	var seen uint32
	for k := range d.Members(taskFields, &seen) {
		switch k {
		case taskSchema:
			_, _ = d.Text() // for editors
		case taskFormat:
			d.Format(format)
		case taskDriven:
			d.t.Driven = d.names()
		case taskHold:
			d.t.Hold = d.names()
		case taskLimits:
			d.each(func(name string) { d.bounds(d.limit(name)) })
		case taskRates:
			d.each(func(name string) { d.positive(&d.limit(name).Rate) })
		case taskTargets:
			d.targets()
		case taskPosture:
			d.t.Posture = d.posture()
		case taskPath:
			d.t.Path = d.pathOf()
		case taskSolver:
			d.solver(&d.t.Solver)
		case taskFIK:
			d.t.FIK = d.fik()
		}
	}
	if d.Fatal {
		return true
	}
	d.Require(taskFields, seen, taskFormat, taskTargets)
	d.fillPlaces()
	d.End()
	return true
}

// postureFields are the fields of a posture.
var postureFields = []string{"gain", "values"}

// posture reads the posture of a task, nil if it is no object.
func (d *reader) posture() *ik.Posture {
	if !d.OpenObject() {
		return nil
	}
	p := new(ik.Posture)
	var seen uint32
	for k := range d.Members(postureFields, &seen) {
		if k == 0 {
			d.positive(&p.Gain)
		} else {
			p.Values = d.coordinates()
		}
	}
	d.Require(postureFields, seen, 0, 1)
	return p
}

// solverFields are the fields of the solver options.
var solverFields = []string{
	"method", "engine", "metric", "steps", "restarts", "seed", "damping", "max_time", "all", "nearest", "passive", "length", "threads",
}

// Indexes of solverFields.
const (
	solverMethod = iota
	solverEngine
	solverMetric
	solverSteps
	solverRestarts
	solverSeed
	solverDamping
	solverMaxTime
	solverAll
	solverNearest
	solverPassive
	solverLength
	solverThreads
)

// solver reads the solver options into o. A document says 0 for no restarts, Go ik.NoRestarts, as 0 stands for the default there.
func (d *reader) solver(o *ik.Options) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for k := range d.Members(solverFields, &seen) {
		switch k {
		case solverMethod:
			o.Method = ik.Method(d.Choice(names(ik.NumMethods)...))
		case solverEngine:
			o.Engine = ik.Engine(d.Choice(names(ik.NumEngines)...))
		case solverMetric:
			o.Metric = ik.Metric(d.Choice(names(ik.NumMetrics)...))
		case solverSteps:
			d.count(&o.Steps, 1)
		case solverRestarts:
			if d.count(&o.Restarts, 0); o.Restarts == 0 {
				o.Restarts = ik.NoRestarts
			}
		case solverSeed:
			if n := d.Integer(); n < 0 {
				d.Problem(fmt.Sprint(n), "is negative")
			} else {
				o.Seed = uint64(n)
			}
		case solverDamping:
			d.orNull(&o.Damping)
		case solverMaxTime:
			d.seconds(&o.MaxTime)
		case solverAll:
			o.All = d.Bool()
		case solverNearest:
			o.Nearest = d.Bool()
		case solverPassive:
			o.Passive = d.Choice("error", "least") == 1
		case solverLength:
			d.positive(&o.Length)
		case solverThreads:
			d.count(&o.Threads, 1)
		}
	}
}

// orNull reads a positive number, or null, which leaves *x at the default that the method computes.
func (d *reader) orNull(x *float64) {
	if !d.Null() {
		d.positive(x)
	}
}

// fikFields are the fields of the options of feedback inverse kinematics.
var fikFields = []string{"form", "design", "A", "P", "h", "inner", "adapt", "w", "m", "v", "q0", "gains", "feedback"}

// Indexes of fikFields.
const (
	fikForm = iota
	fikDesign
	fikA
	fikP
	fikH
	fikInner
	fikAdapt
	fikW
	fikM
	fikV
	fikQ0
	fikGains
	fikFeedback
)

// fik reads the options of feedback inverse kinematics, nil if they are no object.
func (d *reader) fik() *ik.FIKOptions {
	if !d.OpenObject() {
		return nil
	}
	o := new(ik.FIKOptions)
	var seen uint32
	for k := range d.Members(fikFields, &seen) {
		switch k {
		case fikForm:
			o.Form = fik.Form(d.Choice(names(fik.NumForms)...))
		case fikDesign:
			o.Design = fik.Design(d.Choice(names(fik.NumDesigns)...))
		case fikA:
			o.A = d.matrix(1)
		case fikP:
			o.P = d.matrix(2)
		case fikH:
			d.orNull(&o.H)
		case fikInner:
			d.count(&o.Inner, 1)
		case fikAdapt:
			o.Adapt = d.Bool()
		case fikW:
			d.positive(&o.Riccati.W)
		case fikM:
			o.Riccati.M = d.matrix(1)
		case fikV:
			o.Riccati.V = d.matrix(1)
		case fikQ0:
			o.Q0 = d.coordinates()
		case fikGains:
			o.GainOf = d.coordinates()
		case fikFeedback:
			d.Number(&o.Feedback)
		}
	}
	return o
}

// maxNumbers is the largest number of numbers in a matrix of feedback inverse kinematics.
const maxNumbers = 1 << 20

// matrix reads null, a number, a list of numbers, or if dimensions is 2 a square matrix as a list of rows. It returns the numbers, row by
// row, and nil for null.
func (d *reader) matrix(dimensions int) []float64 {
	switch {
	case d.Null():
		return nil
	case !d.NextIsList():
		var x float64
		if !d.Number(&x) {
			return nil
		}
		return []float64{x}
	case dimensions == 1:
		return d.Numbers([]float64{}, maxNumbers)
	}
	if !d.OpenArray() {
		return nil
	}
	list, row := []float64{}, 0 // row: length of the first row, 0 for a number
	n, even := 0, true          // even: all entries have the length row
	for ; d.Element(n); n++ {
		before := len(list)
		switch {
		case before >= maxNumbers:
			d.Skip()
			continue
		case d.NextIsList():
			list = d.Numbers(list, maxNumbers)
		default:
			var x float64
			d.Number(&x)
			list = append(list, x)
			before = len(list) // so that its length counts as 0
		}
		if n == 0 {
			row = len(list) - before
		}
		even = even && len(list)-before == row
	}
	if !d.Fatal && (!even || row > 0 && row != n) {
		d.Problem("", "is neither a list of numbers nor a square matrix by rows")
	}
	return list
}
