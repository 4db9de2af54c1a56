package simulate

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/spf13/cobra"
)

// SimulateFlags are the flags of rung simulate.
type SimulateFlags struct {
	until, every float64 // s
	integrator   string
	step, tol    float64
	rho          float64
	output       string
	bodies       []string
	wrenches     []string
	plot         string
	plotColumns  []string
	checkpoint   string
	resume       bool
	method       shell.MethodFlag
	stabilise    stabiliseFlag
	ordering     shell.OrderingFlag
	threads      shell.ThreadsFlag
	json, quiet  bool

	untilSet, everySet, stepSet, tolSet, rhoSet bool // which were given

	Between     time.Duration // least time between checkpoints; 0 stands for checkpointInterval
	Interrupted func() bool   // asked after each step besides signals; nil: nobody is
}

// integrators are the methods that --integrator takes.
var integrators = [...]struct {
	name    string
	tableau func() *sim.Tableau
}{
	{"dopri5", sim.DormandPrince},
	{"rk4", sim.RungeKutta4},
}

// OutputParts is the number of intervals of a trajectory where --every is not given.
const OutputParts = 100

func newSimulate() *cobra.Command { return SimulateCommand(&SimulateFlags{}) }

func SimulateCommand(f *SimulateFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate MODEL --until T",
		Short: "Integrate over time and write a trajectory",
		Long: `Integrates the motion of MODEL ("-": standard input) from its state and time to
the time T and writes a trajectory, comma-separated values or Parquet by the
ending of its name: time, pose and velocity of the body frames as in the model
format, energies, how far the joints are from holding, and the constraint
wrenches of the joints in --wrenches. A summary goes to standard error.

A state that does not fit the joints is closed first, as by rung assemble.
During the run positions and velocities are put back on the joints whenever
they are off by more than 1e-10, and fixed steps close the joints at every
stage where some are redundant; --stabilise baumgarte feeds the violations back
instead, and none leaves them alone. dopri5 chooses its steps by the tolerance
--tol unless --step gives a fixed one; rk4 needs --step. generalized-alpha, an
implicit method of order 2 for stiff springs and dampers, takes either; --rho is
what a step leaves of the fastest vibrations.

Ctrl-C ends the run after the current step with status 1. The trajectory written
so far is valid then. With --checkpoint the run can go on from there, or from
the last checkpoint before a crash, written every few seconds: repeat the
command with --resume, and the file will be the same, byte for byte, as that of
a run that was never interrupted. Without --resume a run
begins anew and replaces both files.

A trajectory that is there already stays until the new one is whole, or can go
on from a checkpoint; until then the new rows are in a file beside it, with
.rung-new after its name. Where none is there they go to the file itself. A
Parquet file is joined when the run ends; until then its row groups are beside
it, in a folder with .parts after its name, Parquet files themselves.

--plot draws energies, drift and the columns in --plot-columns over time, from
where this run began.`,
		Example: `  rung simulate four-bar.json --until 10 --every 0.01 --out four-bar.csv
  rung simulate ladder.json --until 1 --bodies L1 | head
  rung simulate four-bar.json --until 10 --out four-bar.parquet --wrenches p1,p4
  rung simulate four-bar.json --until 10 --plot run.svg --plot-columns crank.px
  rung simulate big.json --until 60 --out big.csv --checkpoint big.ckpt
  rung simulate big.json --until 60 --out big.csv --checkpoint big.ckpt --resume`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.note(cmd)
			return runSimulate(cmd, args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.until, "until", 0, "model time to end at, s (required)")
	flags.Float64Var(&f.every, "every", 0, "output interval, s (default a hundredth of the run)")
	flags.StringVar(&f.integrator, "integrator", integrators[0].name, "method: "+strings.Join(integratorNames(), ", "))
	flags.Float64Var(&f.step, "step", 0, "fixed step, s")
	flags.Float64Var(&f.tol, "tol", sim.DefaultTolerance, tolUsage)
	f.addRho(cmd)
	flags.StringVarP(&f.output, "out", "o", shell.Stdio, `trajectory to write, ending in .csv or .parquet; "-" is standard output, CSV`)
	flags.StringSliceVar(&f.bodies, "bodies", nil, "bodies to write (default all)")
	flags.StringSliceVar(&f.wrenches, "wrenches", nil, "joints whose constraint wrenches are written, after the other columns")
	flags.StringVar(&f.plot, "plot", "", "picture of the run, ending in .svg or .png")
	flags.StringSliceVar(&f.plotColumns, "plot-columns", nil, "columns of the trajectory in the picture (default the position of its first body)")
	flags.StringVar(&f.checkpoint, "checkpoint", "", "file to keep what is needed to go on after an interruption")
	flags.BoolVar(&f.resume, "resume", false, "go on from the checkpoint")
	flags.BoolVar(&f.json, "json", false, "print the summary as one JSON document")
	flags.BoolVar(&f.quiet, "quiet", false, "no summary and no progress")
	f.method.Add(cmd)
	f.stabilise.Add(cmd)
	f.ordering.Add(cmd)
	f.threads.Add(cmd)
	shell.CompleteNames(cmd, "bodies", shell.BodyNames)
	shell.CompleteNames(cmd, "wrenches", shell.JointNames)
	shell.Complete(cmd, "integrator", integratorNames()...)
	return cmd
}

// integratorNames returns the names that --integrator takes.
func integratorNames() []string {
	var names []string
	for _, i := range integrators {
		names = append(names, i.name)
	}
	return append(names, alphaIntegrator)
}

// note stores which flags were given.
func (f *SimulateFlags) note(cmd *cobra.Command) {
	changed := cmd.Flags().Changed
	f.untilSet, f.everySet, f.stepSet, f.tolSet = changed("until"), changed("every"), changed("step"), changed("tol")
	f.noteRho(cmd)
}

// tableau returns the method, nil if there is none of that name.
func (f *SimulateFlags) tableau() *sim.Tableau {
	for _, i := range integrators {
		if i.name == f.integrator {
			return i.tableau()
		}
	}
	return nil
}

// check returns the first mistake in the flags that shows without the model.
func (f *SimulateFlags) check(model string) error {
	tab := f.tableau()
	switch {
	case !f.untilSet:
		return shell.UseErrorf("missing --until T")
	case math.IsNaN(f.until) || math.IsInf(f.until, 0):
		return shell.UseErrorf("--until is not finite")
	case tab == nil && !f.implicit():
		return shell.UseErrorf("no integrator %s; there are %s", fault.Name(f.integrator), strings.Join(integratorNames(), ", "))
	case f.stepSet && f.tolSet:
		return shell.UseErrorf("--step and --tol exclude each other: steps are fixed or chosen by their error")
	case !f.stepSet && tab != nil && tab.ErrorOrder == 0:
		return shell.UseErrorf("%s has no error control: give --step", f.integrator)
	}
	for _, x := range [...]struct {
		name  string
		set   bool
		value float64
	}{{"every", f.everySet, f.every}, {"step", f.stepSet, f.step}, {"tol", f.tolSet, f.tol}} {
		if x.set && !(x.value > 0 && !math.IsInf(x.value, 1)) {
			return shell.UseErrorf("--%s %v is not above 0 and finite", x.name, x.value)
		}
	}
	if err := f.checkRho(); err != nil {
		return err
	}
	return f.checkFiles(model)
}

// checkFiles is check for the names of files.
func (f *SimulateFlags) checkFiles(model string) error {
	toFile := f.output != shell.Stdio
	switch ending := filepath.Ext(f.output); {
	case toFile && !strings.EqualFold(ending, CSVEnding) && !strings.EqualFold(ending, ParquetEnding):
		return shell.UseErrorf("%s: trajectories end in %s or %s", f.output, CSVEnding, ParquetEnding)
	case !toFile && f.json:
		return shell.UseErrorf("--json and the trajectory in one output: give --out a file")
	case f.resume && f.checkpoint == "":
		return shell.UseErrorf("--resume needs --checkpoint FILE")
	case !toFile && f.checkpoint != "":
		return shell.UseErrorf("--checkpoint needs a trajectory to go on with: give --out a file")
	}
	if f.stabilise == baumgarte && f.method.Method != motion.Sparse {
		return shell.UseErrorf("--stabilise baumgarte needs --method sparse: the tree methods do not see violations of the tree's joints")
	}
	if err := shell.Apart(f.output, "the trajectory would replace the model", model); err != nil {
		return err
	}
	if err := shell.Apart(f.checkpoint, "the checkpoint would replace this file", model, f.output); err != nil {
		return err
	}
	return f.checkPlot(model)
}

// leastPart is the smallest interval and step relative to the times of the run.
const leastPart = 1e-13

// checkTimes checks the times of a run that starts at start, and sets the output
// interval if it is not given.
func (f *SimulateFlags) checkTimes(start float64) error {
	if f.until <= start {
		return shell.UseErrorf("--until %v is not after the time of the model, %v s", f.until, start)
	}
	if !f.everySet {
		f.every = (f.until - start) / OutputParts
	}
	least := leastPart * max(math.Abs(f.until), math.Abs(start))
	if f.every < least || f.stepSet && f.step < least {
		return shell.UseErrorf("--every and --step have to be above the rounding of time, %.1g s", least)
	}
	return nil
}

// chosenBodies returns the numbers of the bodies of --bodies, nil for all.
func (f *SimulateFlags) chosenBodies(mech *mechanism.Mechanism) ([]int, error) {
	var chosen []int
	for k, name := range f.bodies {
		if slices.Contains(f.bodies[:k], name) {
			return nil, shell.UseErrorf("--bodies: body %s is given twice", fault.Name(name))
		}
		i, err := mech.BodyIndex(name)
		if err != nil {
			return nil, shell.UseErrorf("--bodies: no body %s", fault.Name(name))
		}
		if i == mechanism.World {
			return nil, shell.UseErrorf("--bodies: the world does not move")
		}
		chosen = append(chosen, i)
	}
	return chosen, nil
}

func runSimulate(cmd *cobra.Command, path string, f *SimulateFlags) error {
	if err := f.check(path); err != nil {
		return err
	}
	stdin, stdout, stderr := shell.Streams(cmd)
	bar := stderr
	if f.quiet || f.json || f.output == shell.Stdio && shell.Terminal(stdout) {
		bar = io.Discard // of rows and bar, on one screen, nothing could be read
	}
	p := shell.NewProgress(bar)
	defer p.End()
	r, err := newRunner(path, stdin, f, p)
	if err != nil {
		return err
	}
	defer r.release()
	if err := r.open(stdout); err != nil {
		return err
	}
	err = r.run(cmd.Context())
	p.End()
	s := r.summary()
	if f.json {
		if e := shell.WriteJSON(stdout, s); err == nil {
			err = e
		}
	} else if !f.quiet {
		page := sheet.NewPage(stderr, shell.Columns(stderr))
		printSimulation(page, s)
		_ = page.Flush() // as of all messages
	}
	return err
}

// simError makes an error of package sim, which may be nil, a failure of the
// computation with the model.
func simError(name string, err error) error {
	if err == nil {
		return nil
	}
	return shell.Failed(name, plainSim(err))
}

// plainSim is plain for errors of package sim.
func plainSim(err error) error {
	return shell.Plain(err)
}

// ErrInterrupted ends a run from outside.
var ErrInterrupted = errors.New("interrupted")

// interruption is what is said of an interrupted run.
func (f *SimulateFlags) interruption(t float64) error {
	if f.checkpoint == "" {
		return fmt.Errorf("%w at t = %s s", ErrInterrupted, sheet.Short(t))
	}
	return fmt.Errorf("%w at t = %s s; --resume goes on from there", ErrInterrupted, sheet.Short(t))
}
