package simulate

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/spf13/cobra"
)

// integratorNames are the names that --integrator takes.
func integratorNames() (names []string) {
	for _, i := range runs.Integrators() {
		names = append(names, i.String())
	}
	return names
}

// Flags are the flags of rung simulate.
type Flags struct {
	until, every float64 // s
	integrator   string
	step, tol    float64
	rho          float64
	output       string
	bodies       []string
	wrenches     []string
	multipliers  []string
	chosen       []string // --columns: patterns of names
	list         bool     // --list-columns: print the columns of the model and end
	plot         string
	plotColumns  []string
	contacts     string // file of the contact forces, row by row
	events       string // file of touches and departures of contacts
	checkpoint   string
	resume       bool
	method       shell.MethodFlag
	stabilize    stabilizeFlag
	ordering     shell.OrderingFlag
	threads      shell.ThreadsFlag
	ranks        ranks.Flags
	views
	json, quiet                                 bool
	document                                    string        // --options: name of the document with options
	start                                       sim.Start     // says how a state that violates the joints is treated
	untilSet, everySet, stepSet, tolSet, rhoSet bool          // whether the flag was given
	Between                                     time.Duration // least time between checkpoints; 0 stands for the default of runs.Files
	Interrupted                                 func() bool   // called after each step, besides looking for signals; true ends the run. nil: only signals do
}

// views are the flags for pictures of a vehicle on terrain (drive): the names of the files, "" for none.
type views struct {
	view, side, relief string
	gradient           bool // arrows uphill in view
}

// note stores which flags were given.
func (f *Flags) note(cmd *cobra.Command) {
	changed := cmd.Flags().Changed
	f.untilSet, f.everySet, f.stepSet, f.tolSet = changed("until"), changed("every"), changed("step"), changed("tol")
	f.rhoSet = changed("rho")
}

// check returns the options of the run as the flags say, or the first mistake in the flags that shows without the model.
func (f *Flags) check(model string) (*runs.Options, error) {
	switch {
	case !f.untilSet:
		return nil, shell.UseErrorf("missing --until T")
	case !algebra.Finite(f.until):
		return nil, shell.UseErrorf("--until is not finite")
	}
	for _, x := range [...]struct {
		name  string
		set   bool
		value float64
	}{{"every", f.everySet, f.every}, {"step", f.stepSet, f.step}, {"tol", f.tolSet, f.tol}} {
		if x.set && x.value == 0 { // in runs.Options 0 would stand for "not given"
			return nil, shell.UseErrorf("--%s 0 is not above 0 and finite", x.name)
		}
	}
	o, err := f.options(nil, io.Discard) // of no model, so nothing is written
	if err != nil {
		return nil, err
	}
	if err := f.checkFiles(model); err != nil {
		return nil, err
	}
	return o, inFlags(o.Check())
}

// checkEnding returns an error if the name of the trajectory ends neither in .csv nor in .parquet, in any case of letters.
func (f *Flags) checkEnding() error {
	if ending := filepath.Ext(f.output); f.output != shell.Stdio && !strings.EqualFold(ending, CSVEnding) && !strings.EqualFold(ending, ParquetEnding) {
		return shell.UseErrorf("%s: trajectories end in %s or %s", f.output, CSVEnding, ParquetEnding)
	}
	return nil
}

// checkFiles returns the first mistake in the names of files: bad endings, flags that miss another one, and files that would
// replace each other.
func (f *Flags) checkFiles(model string) error {
	toFile := f.output != shell.Stdio
	if err := f.checkEnding(); err != nil {
		return err
	}
	switch {
	case !toFile && f.json:
		return shell.UseErrorf("--json and the trajectory in one output: give --out a file")
	case f.resume && f.checkpoint == "":
		return shell.UseErrorf("--resume needs --checkpoint FILE")
	}
	if err := shell.Apart(f.output, "the trajectory would replace the model", model); err != nil {
		return err
	}
	if err := shell.Apart(f.checkpoint, "the checkpoint would replace this file", model, f.output); err != nil {
		return err
	}
	if err := f.checkGround(model); err != nil {
		return err
	}
	return f.checkPlot(model)
}

// simError turns an error of package sim into a failure of the computation with the model called name. nil stays nil.
func simError(name string, err error) error {
	if err == nil {
		return nil
	}
	return shell.Failed(name, fault.Plain(err))
}

// ErrInterrupted ends a run from outside.
var ErrInterrupted = shell.ErrInterrupted

// interruption returns the error of a run that was interrupted at the model time t, s.
func (f *Flags) interruption(t float64) error {
	if f.checkpoint == "" {
		return &shell.Interruption{Text: fmt.Sprintf(" at t = %s s", sheet.Short(t))}
	}
	return &shell.Interruption{Text: fmt.Sprintf(" at t = %s s; --resume goes on from there", sheet.Short(t))}
}

// progressParts is the count of the progress bar at the end of a run; it is proportional to the model time.
const progressParts = 1e6

// tolUsage is the help text of --tol.
var tolUsage = fmt.Sprintf("relative error that a step may make (default %v, of %v %v)", sim.DefaultTolerance, runs.GeneralizedAlpha, runs.AlphaTolerance)

// addRho adds the flag --rho, the spectral radius at infinity of the generalized-α method.
func (f *Flags) addRho(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&f.rho, "rho", sim.DefaultRho, fmt.Sprintf("part of the fastest vibrations that a step of %v leaves, in [0, 1)", runs.GeneralizedAlpha))
}

// checkPlot returns the first mistake in the flags of the pictures.
func (f *Flags) checkPlot(model string) error {
	switch {
	case f.plot == "" && len(f.plotColumns) > 0:
		return shell.UseErrorf("--plot-columns needs --plot FILE")
	case f.view == "" && f.gradient:
		return shell.UseErrorf("--gradient needs a view to stand in: --view FILE")
	}
	others := []string{model, f.output, f.checkpoint}
	for _, path := range f.pictures() {
		if path == "" {
			continue
		}
		if !picture.Drawn {
			return shell.UseErrorf(picture.Missing)
		}
		if !slices.Contains(picture.Endings, strings.ToLower(filepath.Ext(path))) {
			return shell.UseErrorf("%s: pictures end in %s", path, strings.Join(picture.Endings, " or "))
		}
		if err := shell.Apart(path, "the picture would replace this file", others...); err != nil {
			return err
		}
		others = append(others, path)
	}
	return nil
}

// pictures returns the names of the files of all pictures; "" stands for no picture.
func (f *Flags) pictures() [4]string { return [...]string{f.plot, f.view, f.side, f.relief} }

// stabilizeFlag is the value of --stabilize: how the drift off the joints' constraints is corrected.
type stabilizeFlag struct{ runs.Stabilization }

// StabilizeNames are the names that --stabilize takes.
func StabilizeNames() (names []string) {
	for _, s := range runs.Stabilizations() {
		names = append(names, s.String())
	}
	return names
}

// Type implements pflag.Value.
func (f *stabilizeFlag) Type() string { return "name" }

// Set implements pflag.Value.
func (f *stabilizeFlag) Set(s string) (err error) {
	f.Stabilization, err = runs.ParseStabilization(s)
	if e := new(runs.OptionError); errors.As(err, &e) {
		return flagError{e}
	}
	return err
}

// Add adds the flag --stabilize to a command.
func (f *stabilizeFlag) Add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "stabilize", "how violations of joints are fought: "+strings.Join(StabilizeNames(), ", "))
	shell.Complete(cmd, "stabilize", StabilizeNames()...)
}

// The endings of the names of trajectory files, which choose their format.
const (
	CSVEnding     = ".csv"
	ParquetEnding = ".parquet"
)
