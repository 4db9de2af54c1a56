package runs

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/motion"
)

// OptionError names an option with a fault, and says what the fault is.
type OptionError struct {
	Field string // the first field that is concerned, such as Files.Trajectory

	text string // a format for args, with names of fields in braces, such as {Step}
	args []any
}

// wrong returns an OptionError. text is a format for args in which names of fields are in braces.
func wrong(field, text string, args ...any) error { return &OptionError{field, text, args} }

// Error returns the text with the names of the fields.
func (e *OptionError) Error() string {
	return "motion/runs: " + e.In(func(field string) string { return field })
}

// In returns the text with other names for the fields, as name returns them, such as the names of flags.
func (e *OptionError) In(name func(field string) string) string {
	var format strings.Builder
	for rest := e.text; rest != ""; {
		text, from, _ := strings.Cut(rest, "{")
		format.WriteString(text)
		field, after, named := strings.Cut(from, "}")
		if named {
			format.WriteString(strings.ReplaceAll(name(field), "%", "%%"))
		}
		rest = after
	}
	return fmt.Errorf(format.String(), e.args...).Error()
}

// Unwrap returns the error that is the cause, or nil if there is none.
func (e *OptionError) Unwrap() error {
	for _, a := range e.args {
		if err, ok := a.(error); ok {
			return err
		}
	}
	return nil
}

// Check returns an *OptionError for the first fault that can be found without a mechanism, or nil.
func (o *Options) Check() error {
	if err := o.checkColumns(); err != nil {
		return err
	}
	if err := o.checkSteps(); err != nil {
		return err
	}
	if err := o.checkMethod(); err != nil {
		return err
	}
	switch {
	case o.Resume != nil && o.Files.Resume:
		return wrong("Resume", "{Resume} and {Files.Resume} exclude each other: a run goes on from one checkpoint")
	case o.Resume != nil && o.Files.CSV != nil:
		return wrong("Resume", "{Resume} needs a trajectory to go on with: give {Files.Trajectory} a file")
	}
	return o.Files.check()
}

// checkColumns returns an error if Columns and the other lists of columns are both given, or a name in Columns is empty.
func (o *Options) checkColumns() error {
	switch {
	case len(o.Columns) > 0 && len(o.Bodies)+len(o.Wrenches)+len(o.Multipliers) > 0:
		return wrong("Columns", "{Columns} chooses all columns: {Bodies}, {Wrenches} and {Multipliers} are for trajectories without it")
	case slices.Contains(o.Columns, ""):
		return wrong("Columns", "{Columns} has an empty name")
	}
	return nil
}

// checkSteps returns an error for a number that is out of range, an undefined choice, or a step that is missing or excluded.
func (o *Options) checkSteps() error {
	switch {
	case !algebra.Finite(o.Until):
		return wrong("Until", "{Until} is not finite")
	case int(o.Integrator) >= len(integratorNames):
		return wrong("Integrator", "{Integrator} is out of range")
	case int(o.Stabilization) >= len(stabilizationNames):
		return wrong("Stabilization", "{Stabilization} is out of range")
	case int(o.Start) >= len(startNames):
		return wrong("Start", "{Start} is out of range")
	case !slices.Contains(motion.Methods(), o.Method):
		return wrong("Method", "{Method} is out of range")
	case o.Step != 0 && o.Tolerance != 0:
		return wrong("Step", "{Step} and {Tolerance} exclude each other: steps are fixed or chosen by their error")
	case o.Step == 0 && o.Integrator.NeedsStep():
		return wrong("Step", "%v has no error control: give {Step}", o.Integrator)
	}
	for _, x := range [...]struct {
		field string
		value float64
	}{{"Every", o.Every}, {"Step", o.Step}, {"Tolerance", o.Tolerance}} {
		if !(x.value >= 0 && !math.IsInf(x.value, 1)) {
			return wrong(x.field, "{"+x.field+"} %v is not above 0 and finite", x.value)
		}
	}
	return nil
}

// checkMethod returns an error if integrator, method, stabilization and their options do not fit together.
func (o *Options) checkMethod() error {
	baumgarte, sparse := o.Stabilization == Baumgarte, o.Method == motion.Sparse
	switch i := o.Integrator; {
	case (o.Rho != 0 || o.Annihilate) && i != GeneralizedAlpha:
		return wrong("Rho", "{Rho} is of %v, not of %v", GeneralizedAlpha, i)
	case !(o.Rho >= 0 && o.Rho < 1) || o.Annihilate && o.Rho != 0:
		return wrong("Rho", "{Rho} %v is not in [0, 1)", o.Rho)
	case i != Rattle && o.Rattle != (motion.RattleOptions{}):
		return wrong("Rattle", "{Rattle} is of %v, not of %v", Rattle, i)
	case i == ForceBalance && !sparse:
		return wrong("Method", "%v has a spanning tree of its own: {Method} is not for it", i)
	case i == ForceBalance && baumgarte:
		return wrong("Stabilization", "%v has no accelerations to feed violations back in: {Stabilization} %v is not for it", i, Baumgarte)
	case i == Rattle && (!sparse || o.Stabilization != Projection):
		return wrong("Stabilization", "%v closes the joints by itself, with the sparse method: {Method} and {Stabilization} are not for it", i)
	case i == GeneralizedAlpha && !sparse:
		return wrong("Method", "%v needs {Method} %v: its Newton matrix is that of the sparse method", i, motion.Sparse)
	case i == GeneralizedAlpha && baumgarte:
		return wrong("Stabilization", "%v meets the joints by itself: {Stabilization} %v is not for it", i, Baumgarte)
	case baumgarte && !sparse:
		return wrong("Stabilization", "{Stabilization} %v needs {Method} %v: the tree methods do not see violations of the tree's joints", Baumgarte, motion.Sparse)
	}
	return nil
}

// csvEnding is the ending of the names of files of comma-separated values.
const csvEnding = ".csv"

// check returns an error if files exclude each other, need another one, are the same file, or have an ending without a format.
func (f *Files) check() error {
	switch {
	case f.Trajectory != "" && f.CSV != nil:
		return wrong("Files.CSV", "{Files.Trajectory} and {Files.CSV} exclude each other: rows go to one place")
	case f.Trajectory != "" && !hasEnding(f.Trajectory, csvEnding) && f.format() == nil:
		return wrong("Files.Trajectory", "%s: trajectories end in %s", f.Trajectory, strings.Join(f.endings(), " or "))
	case f.Resume && f.Checkpoint == "":
		return wrong("Files.Resume", "{Files.Resume} needs {Files.Checkpoint}")
	case f.CSV != nil && f.Checkpoint != "":
		return wrong("Files.Checkpoint", "{Files.Checkpoint} needs a trajectory to go on with: give {Files.Trajectory} a file")
	case f.Between < 0:
		return wrong("Files.Between", "{Files.Between} %v is negative", f.Between)
	}
	for _, x := range [...]struct{ field, path string }{{"Files.Contacts", f.Contacts}, {"Files.Events", f.Events}} {
		if x.path != "" && !hasEnding(x.path, csvEnding) {
			return wrong(x.field, "{"+x.field+"} %s: the file ends in %s", x.path, csvEnding)
		}
	}
	var before []string
	for _, x := range [...]struct{ field, path string }{
		{"Files.Trajectory", f.Trajectory}, {"Files.Checkpoint", f.Checkpoint}, {"Files.Contacts", f.Contacts}, {"Files.Events", f.Events},
	} {
		for _, other := range before {
			if x.path != "" && outfile.Same(x.path, other) {
				return wrong(x.field, "%s: the file of {"+x.field+"} would replace another of the run", x.path)
			}
		}
		if x.path != "" {
			before = append(before, x.path)
		}
	}
	return nil
}

// hasEnding reports whether the name of a file has the ending, such as .csv, in upper or lower case.
func hasEnding(path, ending string) bool { return strings.EqualFold(filepath.Ext(path), ending) }

// format returns the format among Formats with the ending of the trajectory; nil if there is none, as for comma-separated values.
func (f *Files) format() *Format {
	for i := range f.Formats {
		if hasEnding(f.Trajectory, f.Formats[i].Ending) {
			return &f.Formats[i]
		}
	}
	return nil
}

// endings returns the endings that a trajectory may have.
func (f *Files) endings() []string {
	list := []string{csvEnding}
	for i := range f.Formats {
		list = append(list, f.Formats[i].Ending)
	}
	return list
}

const (
	// mostRows is the largest number of rows of a trajectory.
	mostRows = 100_000_000
	// MostSteps is the largest number of fixed steps of a run: days of computing for the smallest mechanism.
	MostSteps = 1e11
	// MostKept is the largest memory for rows that are kept in memory, bytes.
	MostKept = 1 << 30
	// leastPart is the least interval between rows, and the least step, relative to the times of the run.
	leastPart = 1e-13
)

// Span checks the times of a run from start up to Until, s, and fills in Every if it is 0, by OutputParts. It does
// nothing if Until is not after the start.
//
// It returns an *OptionError if Every or Step is below the rounding of time, or gives more rows or steps than mostRows or MostSteps.
func (o *Options) Span(start float64) error {
	span := o.Until - start
	if !(span > 0) {
		return nil
	}
	if o.Every == 0 {
		o.Every = span / OutputParts
	}
	least := leastPart * max(math.Abs(o.Until), math.Abs(start))
	if o.Every < least || o.Step > 0 && o.Step < least {
		return wrong("Every", "{Every} and {Step} have to be above the rounding of time, %.1g s", least)
	}
	if rows := span / o.Every; rows > mostRows {
		return wrong("Every", "{Every} %v over %v s %s {Every}", o.Every, span, fault.TooDear(rows, mostRows, "rows", "give a longer"))
	}
	if steps := span / o.Step; o.Step > 0 && steps > MostSteps {
		return wrong("Step", "{Step} %v over %v s %s {Step}", o.Step, span, fault.TooDear(steps, MostSteps, "steps", "give a longer"))
	}
	return nil
}

// checkEvery returns an error if Every is not given, for a run with rows from the time start, s.
func (o *Options) checkEvery(start float64) error {
	switch {
	case o.Every > 0:
		return nil
	case o.Until != 0:
		return wrong("Until", "{Until} %v is not after the start, %v s", o.Until, start)
	}
	return wrong("Every", "rows need {Every}, or {Until} for a part of the run")
}

// checkKept returns an error if rows of n columns, from the time start up to Until, take more memory than MostKept. It returns nil if Until
// is not after start.
func (o *Options) checkKept(start float64, n int) error {
	const number = 8
	if bytes := number * (o.Until - start) / o.Every * float64(n); bytes > MostKept {
		return wrong("Every", "{Every} %v over %v s in memory %s {Every}", o.Every, o.Until-start, fault.TooDear(bytes, MostKept, "B", "give rows a file, or a longer"))
	}
	return nil
}
