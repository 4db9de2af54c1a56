package bring

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/fmu"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// unitEnding is the ending of functional mock-up units.
const unitEnding = ".fmu"

// unitFlags are the flags of export that only functional mock-up units have.
type unitFlags struct {
	version                     int
	inputs, outputs, parameters []string
	states                      []string
	run, libraries              string
}

// unitFlagNames are the names of the flags in unitFlags.
var unitFlagNames = [...]string{"fmi", "inputs", "outputs", "parameters", "states", "run", "libraries"}

// add declares the flags.
func (f *unitFlags) add(cmd *cobra.Command) {
	s := cmd.Flags()
	s.IntVar(&f.version, "fmi", 2, "version of FMI of a unit: 2 or 3")
	s.StringSliceVar(&f.inputs, "inputs", nil, "knobs that are inputs of a unit:\n\"joints[O].force[0]\",…")
	s.StringSliceVar(&f.parameters, "parameters", nil, "knobs that are parameters of a unit")
	s.StringSliceVar(&f.outputs, "outputs", nil, "columns that are outputs of a unit\n(default joint.*.q*; of bodies if there is no joint)")
	s.StringSliceVar(&f.states, "states", nil,
		"freedoms among which the states of model exchange\nare chosen, JOINT or JOINT.I, or none\n(default: all)")
	s.StringVar(&f.run, "run", "", "document of rung-run/1 by which a unit moves\n(default: as rung simulate does)")
	s.StringVar(&f.libraries, "libraries", "", "folder with the libraries of a unit (default\nlib/rung beside the command or above it)")
}

// check refuses flags of units for a file with another ending, and unknown versions of FMI.
func (f *unitFlags) check(cmd *cobra.Command, ending string) error {
	for _, name := range unitFlagNames {
		if ending != unitEnding && cmd.Flags().Changed(name) {
			return shell.UseErrorf("--%s is for units, files that end in %s", name, unitEnding)
		}
	}
	if f.version != 2 && f.version != 3 {
		return shell.UseErrorf("--fmi %d: there are 2 and 3", f.version)
	}
	return nil
}

// unitLibraries are the files of the folder of libraries, their names in a unit, and the targets of the Makefile that build them.
var unitLibraries = [...]struct{ file, name, made string }{
	{"rung-fmu.so", "rung.so", "fmu-stub"},
	{"librung.so", "librung-1.so", "library"},
}

// installed returns the folder of the libraries that were installed with a command in a folder: lib/rung below that folder, as in an
// archive, or beside it, as on a system that has the command in bin.
func installed(beside string) string {
	below, above := filepath.Join(beside, "lib", "rung"), filepath.Join(filepath.Dir(beside), "lib", "rung")
	if _, err := os.Stat(below); os.IsNotExist(err) {
		if _, err := os.Stat(above); err == nil {
			return above
		}
	}
	return below
}

// read reads the libraries of a unit. It returns an error if one is missing, or if they are for different processors.
func (f *unitFlags) read() ([]fmu.Library, error) {
	folder := f.libraries
	if folder == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("where the command is cannot be told (%w): --libraries names the folder with those of a unit", err)
		}
		folder = installed(filepath.Dir(self))
	}
	var list []fmu.Library
	var missing, targets []string
	for _, l := range unitLibraries {
		path := filepath.Join(folder, l.file)
		data, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			missing, targets = append(missing, l.file), append(targets, l.made)
			continue
		}
		if err != nil {
			return nil, shell.InputError(path, err)
		}
		system, err := systemOf(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fault.Line(path), err)
		}
		list = append(list, fmu.Library{System: system, Name: l.name, Data: data})
	}
	if len(missing) > 0 {
		how := "make " + strings.Join(targets, " ") + " LIBDIR=FOLDER builds them, with a C compiler; --libraries names the folder"
		return nil, fmt.Errorf("%s: no %s, which a unit needs: %s", fault.Line(folder), strings.Join(missing, " and "), how)
	}
	if list[0].System != list[1].System {
		return nil, fmt.Errorf("%s: %s and %s are of different processors", fault.Line(folder), unitLibraries[0].file, unitLibraries[1].file)
	}
	return list, nil
}

// systemOf returns the system for which a library was built.
func systemOf(data []byte) (fmu.System, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil || f.Type != elf.ET_DYN {
		return 0, fmt.Errorf("no shared library of Linux")
	}
	switch f.Machine {
	case elf.EM_X86_64:
		return fmu.LinuxAMD64, nil
	case elf.EM_AARCH64:
		return fmu.LinuxARM64, nil
	}
	return 0, fmt.Errorf("a library for %v; units are for x86-64 and ARM of 64 bits", f.Machine)
}

// defaultRun has the options of rung simulate, which closes open joints.
const defaultRun = `{"format": "rung-run/1", "start": "close"}`

// writer returns a function that writes the model at path as a unit. It first reads the libraries and the options of the run.
func (f *unitFlags) writer(cmd *cobra.Command, path string) (func(io.Writer, *model.Model) (*source.Report, error), error) {
	libraries, err := f.read()
	if err != nil {
		return nil, err
	}
	o := fmu.Options{
		Version: f.version, Inputs: f.inputs, Parameters: f.parameters, Outputs: f.outputs, Libraries: libraries,
	}
	o.Run = []byte(defaultRun)
	if f.run != "" {
		if o.Run, err = os.ReadFile(f.run); err != nil {
			return nil, shell.InputError(f.run, err)
		}
	}
	folder := "."
	if path != shell.Stdio {
		folder = filepath.Dir(path)
	}
	return func(w io.Writer, m *model.Model) (*source.Report, error) {
		report := &source.Report{Format: "fmu", Version: fmt.Sprintf("%d.0", f.version)}
		if err := f.choose(&o, m); err != nil {
			return report, err
		}
		made, err := fmu.Write(cmd.Context(), w, m, folder, o)
		if made.Why != nil {
			report.Entries = append(report.Entries, source.Entry{
				Severity: source.Note, What: "the unit is for co-simulation alone", Why: fault.Plain(made.Why).Error(),
			})
		}
		return report, err
	}, nil
}

// noStates is the value of --states for units without model exchange.
const noStates = "none"

// choose sets the freedoms of model exchange in o by the flag --states. It returns an error for freedoms without a coordinate, and for
// prescribed ones.
func (f *unitFlags) choose(o *fmu.Options, m *model.Model) error {
	if len(f.states) == 0 {
		return nil
	}
	mech, err := mechanism.New(m)
	if err != nil {
		return err
	}
	if len(f.states) == 1 && f.states[0] == noStates {
		if _, err := mech.JointIndex(noStates); err != nil { // else it is the name of a joint
			o.CoSimulation = true
			return nil
		}
	}
	list, err := shell.Freedoms("--states", mech, f.states)
	if err != nil {
		return err
	}
	for _, at := range list {
		if jt := &mech.Joints[at.Joint]; !jt.Kind.Scalar(at.Freedom) || jt.Prescribed(at.Freedom) {
			name := fault.Name(mech.JointName(at.Joint))
			return shell.UseErrorf("--states: freedom %d of joint %s has no coordinate, or a motion", at.Freedom, name)
		}
	}
	o.States = list
	return nil
}
