package fmu

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// Options of a unit.
type Options struct {
	Version            int      // of FMI: 2 or 3
	Inputs, Parameters []string // paths of knobs
	Outputs            []string // names and patterns of columns; nil: coordinates of joints, or positions of bodies
	// States are the scalar freedoms among which the coordinates of model exchange are chosen; nil: all free ones. CoSimulation
	// leaves model exchange out.
	States       []mechanism.Freedom
	CoSimulation bool
	// Run is a document of rung-run/1 with the options of the integration; nil: the defaults of runs. Its until and every become
	// the stop time and the step of the default experiment.
	Run []byte
	// Libraries are the libraries for the systems on which the unit shall run.
	Libraries []Library
}

// Library is a shared library for a system.
type Library struct {
	System System
	Name   string
	Data   []byte
}

// System is an operating system with a kind of processor.
type System uint8

// The systems.
const (
	LinuxAMD64 System = iota
	LinuxARM64
)

// Folder returns the folder for libraries of the system in a unit, such as binaries/linux64. FMI 2.0 has no name for
// Linux on ARM; it gets the name of FMI 3.0, aarch64-linux.
func (s System) Folder(version int) string {
	if version == 3 {
		return "binaries/" + [...]string{"x86_64-linux", "aarch64-linux"}[s]
	}
	return "binaries/" + [...]string{"linux64", "aarch64-linux"}[s]
}

// Summary is the result of Write.
type Summary struct {
	// States are the freedoms whose coordinates and rates are the first states; nil: there is no model exchange.
	States []mechanism.Freedom
	// Why is the reason why there is no model exchange though it was wanted; nil: there is, or it was not wanted.
	Why error
}

// defaultOutputs returns the patterns of the default outputs: the coordinates of joints with their rates and accelerations or, if there
// are none, the positions of bodies.
func defaultOutputs(m *mechanism.Mechanism) []string {
	if joints := "joint.*.q*"; sim.NewCatalogue(m, nil).Has(joints) {
		return []string{joints}
	}
	return []string{"*.px", "*.py", "*.pz"}
}

// defaultSpan is the largest length of the default experiment, s, if Options.Run has no end.
const defaultSpan = 10

// defaultStop returns the end of the default experiment, s, if Options.Run has no end: defaultSpan after begin, or, if a motion of the
// model ends before that, the last knot of motions up to which all of them are defined.
func defaultStop(m *mechanism.Mechanism, begin *mechanism.State) float64 {
	at, stop := *begin, begin.Time+defaultSpan
	holds := func(t float64) bool {
		at.Time = t
		return m.CheckTime(&at) == nil
	}
	if holds(stop) {
		return stop
	}
	last := begin.Time // a motion ends at a knot
	for t := m.NextKnot(last); t < stop && holds(t); t = m.NextKnot(t) {
		last = t
	}
	if last > begin.Time {
		return last
	}
	return stop
}

// Write writes a unit of a model to w. The files that the model names are read from a folder, "" for none; meshes for viewers
// are left out. Equal arguments give equal bytes.
//
// A model without independent coordinates (door.Model.Independent) gets no model exchange; this is an error only if o.States is set.
//
// Cost: as door.Read, and packing. The error has the status Input for a version, knob, column or run that is refused, for a
// variable that is named twice, and for errors of door.Read, door.Model.NewRun and w. It panics if a freedom of States is out of range.
func Write(ctx context.Context, w io.Writer, m *model.Model, folder string, o Options) (Summary, error) {
	if o.Version != 2 && o.Version != 3 {
		return Summary{}, refuse(door.Input, "version %d of FMI; there are 2 and 3", o.Version)
	}
	p := &packer{options: &o}
	if err := p.pack(ctx, m, folder); err != nil {
		return Summary{}, err
	}
	return p.summary, p.write(w)
}

// packer gathers the files of a unit.
type packer struct {
	options *Options
	wiring  wiring
	summary Summary
	names   []string // of the files, in their order
	files   map[string][]byte
}

// add adds a file.
func (p *packer) add(name string, data []byte) {
	if p.files == nil {
		p.files = map[string][]byte{}
	}
	p.names, p.files[name] = append(p.names, name), data
}

// pack makes all files of the unit of a model, whose own files are in folder.
func (p *packer) pack(ctx context.Context, m *model.Model, folder string) error {
	o := p.options
	own, err := p.own(m, folder)
	if err != nil {
		return err
	}
	p.wiring.Format, p.wiring.Version = wiringFormat, o.Version
	p.wiring.Inputs, p.wiring.Parameters = append([]string{}, o.Inputs...), append([]string{}, o.Parameters...)
	run, err := runOf(o.Run)
	if err != nil {
		return err
	}
	if p.wiring.Run, err = canonical(o.Run); err != nil {
		return err
	}
	var text bytes.Buffer // of the model with the present paths of its files, for the description
	if err := model.Write(&text, withoutMeshes(m)); err != nil {
		return &door.Error{Status: door.Input, Err: err}
	}
	at, err := json.Marshal(map[string]string{"folder": folder})
	if err != nil {
		return err
	}
	read, err := door.Read(ctx, modelFile, text.Bytes(), at)
	if err != nil {
		return err
	}
	if err := p.coordinates(ctx, read); err != nil {
		return err
	}
	d, err := p.describe(read, m, run)
	if err != nil {
		return err
	}
	wired, err := p.wiring.text()
	if err != nil {
		return err
	}
	d.token = tokenOf(wired, own)
	described, err := d.text(o.Version)
	if err != nil {
		return err
	}
	page, err := read.Document(ctx, "page", nil, nil)
	if err != nil {
		return err
	}
	p.add("modelDescription.xml", described)
	p.add("resources/"+modelFile, own)
	p.add("resources/"+wiringFile, wired)
	p.add("documentation/index.html", page)
	for i := range o.Libraries {
		l := &o.Libraries[i]
		p.add(l.System.Folder(o.Version)+"/"+l.Name, l.Data)
	}
	return nil
}

// own adds the files that a model names to the unit, and returns the document of the model with their new names.
func (p *packer) own(m *model.Model, folder string) ([]byte, error) {
	m = withoutMeshes(m)
	m.Terrains, m.Joints = slices.Clone(m.Terrains), slices.Clone(m.Joints)
	places := map[string]string{}
	take := func(file *string) error { // adds a file once, and stores its new name
		if *file == "" {
			return nil
		}
		if place, there := places[*file]; there {
			*file = place
			return nil
		}
		path := filepath.FromSlash(*file)
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return refuse(door.Input, "%w", err)
		}
		place := fileName(len(p.wiring.Files)) + filepath.Ext(path)
		p.add("resources/"+place, b)
		p.wiring.Files = append(p.wiring.Files, packed{place, digest(b)})
		places[*file], *file = place, place
		return nil
	}
	for i := range m.Terrains {
		if err := take(&m.Terrains[i].File); err != nil {
			return nil, err
		}
	}
	for i := range m.Joints {
		for _, c := range [...]**model.PointCurve{&m.Joints[i].Curve, &m.Joints[i].SuccessorCurve} {
			if *c == nil || (*c).File == "" {
				continue
			}
			other := **c
			if err := take(&other.File); err != nil {
				return nil, err
			}
			*c = &other
		}
	}
	var b bytes.Buffer
	if err := model.Write(&b, m); err != nil {
		return nil, &door.Error{Status: door.Input, Err: err}
	}
	return b.Bytes(), nil
}

// withoutMeshes returns a copy of a model without visuals from files.
func withoutMeshes(m *model.Model) *model.Model {
	out := *m
	out.Visuals = slices.DeleteFunc(slices.Clone(m.Visuals), func(v model.Visual) bool { return v.File != "" })
	return &out
}

// runOf reads the options of the run.
func runOf(text []byte) (*runs.Options, error) {
	if len(text) == 0 {
		return &runs.Options{}, nil
	}
	o, err := runs.Read(bytes.NewReader(text), "run")
	if err != nil {
		return nil, &door.Error{Status: door.Input, Err: err}
	}
	return o, nil
}

// canonical returns a JSON object with its fields in alphabetical order, {} for an empty text.
func canonical(text []byte) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &fields); err != nil {
			return nil, refuse(door.Input, "run: no JSON object: %v", err)
		}
	}
	return json.Marshal(fields)
}

// describe returns the description of the unit: its default experiment and its variables. doc is the model's document.
func (p *packer) describe(m *door.Model, doc *model.Model, run *runs.Options) (*description, error) {
	o := p.options
	initial := m.Plan().Initial()
	begin := initial.Time
	d := &description{name: doc.Name, about: "mechanism for co-simulation", start: begin, stop: run.Until, step: run.Every}
	if d.name == "" {
		d.name = "mechanism"
	}
	if d.stop == 0 {
		d.stop = defaultStop(m.Plan().Mechanism(), initial)
	}
	if d.stop <= begin {
		return nil, refuse(door.Input, "run: until is %v s, and the model is at %v s", d.stop, begin)
	}
	if run.Step == 0 {
		if d.tolerance = run.Tolerance; d.tolerance == 0 {
			d.tolerance = sim.DefaultTolerance
			if run.Integrator == runs.GeneralizedAlpha {
				d.tolerance = runs.AlphaTolerance
			}
		}
	}
	d.variables = []variable{{name: "time", unit: "s"}}
	for _, list := range [...]struct {
		of    causality
		paths []string
	}{{input, o.Inputs}, {parameter, o.Parameters}} {
		if err := d.addKnobs(m, list.of, list.paths); err != nil {
			return nil, err
		}
	}
	if err := p.outputs(m); err != nil {
		return nil, err
	}
	options, err := p.wiring.options(0)
	if err != nil {
		return nil, err
	}
	r, err := m.NewRun(nil, options)
	if err != nil {
		return nil, err
	}
	names, units := r.Columns()
	of := map[string]string{}
	for i, name := range names {
		of[name] = units[i]
	}
	for _, name := range p.wiring.Outputs {
		d.variables = append(d.variables, variable{name: name, unit: of[name], of: output})
	}
	d.addStates(p.wiring.Exchange, of, m.Plan().Mechanism())
	return d, d.unique()
}

// outputs finds the columns that match the patterns of outputs, and stores them in the wiring. A run without the columns of model exchange
// expands the patterns.
func (p *packer) outputs(m *door.Model) error {
	patterns := p.options.Outputs
	if patterns == nil {
		patterns = defaultOutputs(m.Plan().Mechanism())
	}
	exchange := p.wiring.Exchange
	p.wiring.Exchange, p.wiring.Outputs = nil, patterns
	options, err := p.wiring.options(0)
	p.wiring.Exchange = exchange
	if err != nil || len(patterns) == 0 {
		return err
	}
	r, err := m.NewRun(nil, options)
	if err != nil {
		return err
	}
	names, _ := r.Columns()
	p.wiring.Outputs = names[1:] // without the time
	return nil
}

// coordinates chooses the freedoms of model exchange and stores them in the wiring, unless the model has none.
func (p *packer) coordinates(ctx context.Context, m *door.Model) error {
	o := p.options
	if o.CoSimulation {
		return nil
	}
	list, err := m.Independent(ctx, o.States)
	if err != nil {
		if o.States != nil || door.StatusOf(err) != door.Input {
			return err
		}
		p.summary.Why = err
		return nil
	}
	mech := m.Plan().Mechanism()
	x := &exchange{Freedoms: pairs(list), Candidates: pairs(o.States), Gaps: m.Gaps()}
	catalogue := sim.NewCatalogue(mech, nil)
	for _, f := range list {
		var names [3]string
		for i, c := range catalogue.Freedom(f) {
			names[i] = c.Name
		}
		x.Columns = append(x.Columns, names)
	}
	p.wiring.Exchange, p.summary.States = x, list
	return nil
}

// addStates adds the variables of model exchange: states, derivatives and event indicators. A nil x adds none. units has the unit of
// each column.
func (d *description) addStates(x *exchange, units map[string]string, mech *mechanism.Mechanism) {
	if x == nil {
		return
	}
	d.exchange, d.about = true, "mechanism for model exchange and co-simulation"
	n := len(x.Columns)
	unit := func(order int) string { // of the derivative of an order of all possible coordinates; "": their units differ
		u := ""
		for i := range mech.Joints {
			for f := range mech.Joints[i].Kind.Freedoms() {
				if !mech.Joints[i].Kind.Scalar(f) || x.Candidates != nil && !slices.Contains(x.Candidates, [2]int{i, f}) {
					continue
				}
				is := [...]string{"m", "m/s", "m/s²"}[order]
				if mech.Joints[i].Kind.Rotational(f) {
					is = [...]string{"rad", "rad/s", "rad/s²"}[order]
				}
				if u != "" && u != is {
					return ""
				}
				u = is
			}
		}
		return u
	}
	first := len(d.variables)
	for i := range 2 * n {
		v := variable{name: stateName(i, n), unit: unit(i / n), of: state, kind: continuous, about: x.Columns[i%n][i/n]}
		d.variables = append(d.variables, v)
	}
	for i := range 2 * n {
		v := variable{name: derivativeName(i, n), unit: unit(i/n + 1), of: state, kind: derivative, derivative: first + i}
		d.variables = append(d.variables, v)
	}
	for i := range x.Gaps {
		d.variables = append(d.variables, variable{name: gapName(x.Gaps, i), of: state, kind: indicator})
	}
}

// addKnobs adds the knobs at paths as inputs or parameters. It refuses knobs of the geometry, and values that are not finite.
func (d *description) addKnobs(m *door.Model, of causality, paths []string) error {
	for _, path := range paths {
		i, err := m.KnobAt(path)
		if err != nil {
			return err
		}
		k := m.Knobs()[i]
		switch {
		case k.Geometry:
			return refuse(door.Input, "%s is part of the model, which a unit does not change", path)
		case !algebra.Finite(k.Value):
			return refuse(door.Input, "%s: %v is not finite", path, k.Value)
		}
		d.variables = append(d.variables, variable{name: path, unit: k.Unit, of: of, start: k.Value})
	}
	return nil
}

// unique refuses two variables of one name.
func (d *description) unique() error {
	seen := map[string]bool{}
	for i := range d.variables {
		name := d.variables[i].name
		if seen[name] {
			return refuse(door.Input, "%s is there twice", fault.Name(name))
		}
		seen[name] = true
	}
	return nil
}

// write writes the files as a zip file, without times, so that equal files give equal bytes.
func (p *packer) write(w io.Writer) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
	for _, name := range p.names {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return refuse(door.Input, "%w", err)
		}
		if _, err := f.Write(p.files[name]); err != nil {
			return refuse(door.Input, "%w", err)
		}
	}
	if err := z.Close(); err != nil {
		return refuse(door.Input, "%w", err)
	}
	return nil
}
