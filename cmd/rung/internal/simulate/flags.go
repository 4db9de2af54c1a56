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
	chosen       []string // patterns of columns
	list         bool     // of the columns that there are
	plot         string
	plotColumns  []string
	contacts     string // file of contacts
	events       string // file of touches and departures
	checkpoint   string
	resume       bool
	method       shell.MethodFlag
	stabilize    stabilizeFlag
	ordering     shell.OrderingFlag
	threads      shell.ThreadsFlag
	ranks        ranks.Flags
	views
	json, quiet bool
	document    string    // of the options
	start       sim.Start // what becomes of a state that violates the joints

	untilSet, everySet, stepSet, tolSet, rhoSet bool // which were given

	Between     time.Duration // least time between checkpoints; 0 stands for that of runs.Files
	Interrupted func() bool   // asked after each step besides signals; nil: nobody is
}

// views are pictures of a drive.
type views struct {
	view, side, relief string
	gradient           bool
}

// note stores which flags were given.
func (f *Flags) note(cmd *cobra.Command) {
	changed := cmd.Flags().Changed
	f.untilSet, f.everySet, f.stepSet, f.tolSet = changed("until"), changed("every"), changed("step"), changed("tol")
	f.rhoSet = changed("rho")
}

// check returns the first mistake in the flags that shows without the model, or the options that they say.
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
		if x.set && x.value == 0 { // which stands for none in options
			return nil, shell.UseErrorf("--%s 0 is not above 0 and finite", x.name)
		}
	}
	o, err := f.options(nil, io.Discard)
	if err != nil {
		return nil, err
	}
	if err := f.checkFiles(model); err != nil {
		return nil, err
	}
	return o, inFlags(o.Check())
}

// checkEnding checks what the name of the trajectory ends in.
func (f *Flags) checkEnding() error {
	if ending := filepath.Ext(f.output); f.output != shell.Stdio && !strings.EqualFold(ending, CSVEnding) && !strings.EqualFold(ending, ParquetEnding) {
		return shell.UseErrorf("%s: trajectories end in %s or %s", f.output, CSVEnding, ParquetEnding)
	}
	return nil
}

// checkFiles is check for the names of files.
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

// simError makes an error of package sim, which may be nil, a failure of the
// computation with the model.
func simError(name string, err error) error {
	if err == nil {
		return nil
	}
	return shell.Failed(name, fault.Plain(err))
}

// ErrInterrupted ends a run from outside.
var ErrInterrupted = shell.ErrInterrupted

// interruption is what is said of an interrupted run.
func (f *Flags) interruption(t float64) error {
	if f.checkpoint == "" {
		return &shell.Interruption{Text: fmt.Sprintf(" at t = %s s", sheet.Short(t))}
	}
	return &shell.Interruption{Text: fmt.Sprintf(" at t = %s s; --resume goes on from there", sheet.Short(t))}
}

// progressParts is the number of parts of a run that the bar counts.
const progressParts = 1e6

var tolUsage = fmt.Sprintf("relative error that a step may make (default %v, of %v %v)", sim.DefaultTolerance, runs.GeneralizedAlpha, runs.AlphaTolerance)

func (f *Flags) addRho(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&f.rho, "rho", sim.DefaultRho, fmt.Sprintf("part of the fastest vibrations that a step of %v leaves, in [0, 1)", runs.GeneralizedAlpha))
}

// checkPlot is check for the flags of the pictures.
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

// pictures are the files of all pictures; "" is none.
func (f *Flags) pictures() [4]string { return [...]string{f.plot, f.view, f.side, f.relief} }

// stabilizeFlag is the value of --stabilize: how violations of the joints are fought.
type stabilizeFlag struct{ runs.Stabilization }

// StabilizeNames are the names that --stabilize takes.
func StabilizeNames() (names []string) {
	for _, s := range runs.Stabilizations() {
		names = append(names, s.String())
	}
	return names
}

func (f *stabilizeFlag) Type() string { return "name" }

func (f *stabilizeFlag) Set(s string) (err error) {
	f.Stabilization, err = runs.ParseStabilization(s)
	if e := new(runs.OptionError); errors.As(err, &e) {
		return flagError{e}
	}
	return err
}

func (f *stabilizeFlag) Add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "stabilize", "how violations of joints are fought: "+strings.Join(StabilizeNames(), ", "))
	shell.Complete(cmd, "stabilize", StabilizeNames()...)
}

// The endings of the trajectories that are written.
const (
	CSVEnding     = ".csv"
	ParquetEnding = ".parquet"
)
