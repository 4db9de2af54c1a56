package simulate

import (
	"errors"
	"io"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
)

// options returns the options of a run of the model m as the flags say; m is nil when only the flags are checked. Rows go to
// stdout unless --out names a file.
func (f *Flags) options(m *model.Model, stdout io.Writer) (*runs.Options, error) {
	o := &runs.Options{
		Step: f.step, Method: f.method.Method, Stabilization: f.stabilize.Stabilization, Start: f.start, Model: m, Until: f.until, Every: f.every,
		Columns: f.chosen, Bodies: f.bodies, Wrenches: f.wrenches, Multipliers: f.multipliers,
		Files: runs.Files{
			Contacts: f.contacts, Events: f.events, Checkpoint: f.checkpoint, Resume: f.resume, Between: f.Between, Formats: []runs.Format{parquetFormat},
		},
	}
	var err error
	if o.Integrator, err = runs.ParseIntegrator(f.integrator); err != nil {
		return nil, inFlags(err)
	}
	if f.tolSet {
		o.Tolerance = f.tol
	}
	if f.rhoSet {
		o.Rho, o.Annihilate = f.rho, f.rho == 0
	}
	if f.output == shell.Stdio {
		o.Files.CSV = shell.NamedStdout{Writer: stdout}
	} else {
		o.Files.Trajectory = f.output
	}
	return o, nil
}

// flagNames has the flag for each field of runs.Options that an error may name.
var flagNames = map[string]string{
	"Integrator": "--integrator", "Step": "--step", "Tolerance": "--tol", "Rho": "--rho", "Method": "--method", "Stabilization": "--stabilize",
	"Until": "--until", "Every": "--every", "Columns": "--columns", "Bodies": "--bodies", "Wrenches": "--wrenches", "Multipliers": "--multipliers",
	"Files.Trajectory": "--out", "Files.CSV": "--out", "Files.Contacts": "--contacts", "Files.Events": "--events",
	"Files.Checkpoint": "--checkpoint", "Files.Resume": "--resume", "Drive": "--drive",
}

// flagError is a mistake in options whose text names flags rather than fields of runs.Options.
type flagError struct{ *runs.OptionError }

// Error implements error.
func (e flagError) Error() string {
	return e.In(func(field string) string { return flagNames[field] })
}

// Unwrap returns the mistake in the words of runs.Options.
func (e flagError) Unwrap() error { return e.OptionError }

// inFlags turns a mistake in options into an error of bad use that names the flags. Other errors, and nil, stay as they are.
func inFlags(err error) error {
	if e := new(runs.OptionError); errors.As(err, &e) {
		return shell.UseErrorf("%w", flagError{e})
	}
	return err
}

// runError turns an error of package runs into one of the command, which decides its exit status: a failure with the model
// called name, a failure of a file, bad use, or bad input. nil stays nil.
func runError(name string, err error) error {
	if err == nil {
		return nil
	}
	if e := new(runs.StartError); errors.As(err, &e) {
		return shell.Failed(name, e.Err)
	}
	if file := fileFailure(err); file != nil {
		return file
	}
	return fault.Plain(shell.FileError(inFlags(err)))
}

// fileFailure returns the failure of the command if err comes from writing a file of the run, else nil.
func fileFailure(err error) error {
	if e := new(runs.FileError); errors.As(err, &e) {
		return shell.Failed("", shell.FileError(e.Err))
	}
	return nil
}

// checkNames returns an error for the first body of --bodies or joint of --wrenches that the mechanism does not have.
func (f *Flags) checkNames(mech *mechanism.Mechanism) error {
	for _, name := range f.bodies {
		if _, err := mech.BodyIndex(name); err != nil {
			return shell.NoBody("--bodies", name, mech)
		}
	}
	for _, name := range f.wrenches {
		if _, err := mech.JointIndex(name); err != nil {
			return shell.NoJoint("--wrenches", name, mech)
		}
	}
	return nil
}

// checkUntil returns an error unless until, s, is after the time of the model, start.
func checkUntil(until, start float64) error {
	if until <= start {
		return shell.UseErrorf("--until %v is not after the time of the model, %v s", until, start)
	}
	return nil
}

// checkGround returns an error if the file of --contacts or of --events would replace another file of the run.
func (f *Flags) checkGround(model string) error {
	others := []string{model, f.output, f.checkpoint}
	for _, x := range [...]struct{ flag, path string }{{"contacts", f.contacts}, {"events", f.events}} {
		if err := shell.Apart(x.path, "the file of --"+x.flag+" would replace this file", others...); err != nil {
			return err
		}
		others = append(others, x.path)
	}
	return nil
}
