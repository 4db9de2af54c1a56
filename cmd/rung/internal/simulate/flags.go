package simulate

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/study"
	"github.com/spf13/cobra"
)

// OutputParts is the number of intervals of a trajectory where --every is not given.
const OutputParts = 100

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
	view, side   string // pictures of a drive
	relief       string
	gradient     bool
	contacts     string // file of contacts
	events       string // file of touches and departures
	checkpoint   string
	resume       bool
	method       shell.MethodFlag
	stabilize    stabilizeFlag
	ordering     shell.OrderingFlag
	threads      shell.ThreadsFlag
	ranks        ranks.Flags
	json, quiet  bool

	untilSet, everySet, stepSet, tolSet, rhoSet bool // which were given

	Between     time.Duration // least time between checkpoints; 0 stands for checkpointInterval
	Interrupted func() bool   // asked after each step besides signals; nil: nobody is
}

// tableaux are those of the Runge–Kutta methods that --integrator takes.
var tableaux = [...]struct {
	name    string
	tableau func() *sim.Tableau
}{
	{study.DormandPrince, sim.DormandPrince},
	{study.RungeKutta4, sim.RungeKutta4},
}

// note stores which flags were given.
func (f *Flags) note(cmd *cobra.Command) {
	changed := cmd.Flags().Changed
	f.untilSet, f.everySet, f.stepSet, f.tolSet = changed("until"), changed("every"), changed("step"), changed("tol")
	f.noteRho(cmd)
}

// tableau returns the method, nil if there is none of that name.
func (f *Flags) tableau() *sim.Tableau {
	for _, i := range tableaux {
		if i.name == f.integrator {
			return i.tableau()
		}
	}
	return nil
}

// check returns the first mistake in the flags that shows without the model.
func (f *Flags) check(model string) error {
	names := study.Integrators()
	switch {
	case len(f.chosen) > 0 && len(f.bodies)+len(f.wrenches)+len(f.multipliers) > 0:
		return shell.UseErrorf("--columns chooses all columns: --bodies, --wrenches and --multipliers are for trajectories without it")
	case slices.Contains(f.chosen, ""):
		return shell.UseErrorf("--columns has an empty name")
	case !f.untilSet:
		return shell.UseErrorf("missing --until T")
	case math.IsNaN(f.until) || math.IsInf(f.until, 0):
		return shell.UseErrorf("--until is not finite")
	case !slices.Contains(names, f.integrator):
		return shell.UseErrorf("%s", fault.NoneOf("integrator", f.integrator, names))
	case f.stepSet && f.tolSet:
		return shell.UseErrorf("--step and --tol exclude each other: steps are fixed or chosen by their error")
	case !f.stepSet && study.NeedsStep(f.integrator):
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
func (f *Flags) checkFiles(model string) error {
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
	if f.stabilize == baumgarte && f.method.Method != motion.Sparse {
		return shell.UseErrorf("--stabilize baumgarte needs --method sparse: the tree methods do not see violations of the tree's joints")
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

// leastPart is the smallest interval and step relative to the times of the run.
const leastPart = 1e-13

// checkTimes checks the times of a run that starts at start and what they cost, and sets the output
// interval if it is not given.
func (f *Flags) checkTimes(start float64) error {
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
	return priceTimes(f.until-start, f.every, f.step)
}

// chosenBodies returns the numbers of the bodies of --bodies, nil for all.
func (f *Flags) chosenBodies(mech *mechanism.Mechanism) ([]int, error) {
	var chosen []int
	for k, name := range f.bodies {
		if slices.Contains(f.bodies[:k], name) {
			return nil, shell.UseErrorf("--bodies: body %s is given twice", fault.Name(name))
		}
		i, err := mech.BodyIndex(name)
		if err != nil {
			return nil, shell.NoBody("--bodies", name, mech)
		}
		if i == mechanism.World {
			return nil, shell.UseErrorf("--bodies: the world does not move")
		}
		chosen = append(chosen, i)
	}
	return chosen, nil
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
	return fault.Plain(err)
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

// alphaIntegrator is the implicit method that --integrator takes.
const alphaIntegrator = study.GeneralizedAlpha

// alphaTolerance is the tolerance of a step of alphaIntegrator where none is given:
// a method of order 2 takes long for that of dopri5.
const alphaTolerance = 1e-6

var tolUsage = fmt.Sprintf("relative error that a step may make (default %v, of %s %v)", sim.DefaultTolerance, alphaIntegrator, alphaTolerance)

// balanceIntegrator is the method of force balance that --integrator takes.
const balanceIntegrator = study.ForceBalance

// balanced reports whether the integrator is balanceIntegrator.
func (f *Flags) balanced() bool { return f.integrator == balanceIntegrator }

// rattles reports whether the integrator is RATTLE.
func (f *Flags) rattles() bool { return f.integrator == study.Rattle }

// implicit reports whether the integrator is alphaIntegrator.
func (f *Flags) implicit() bool { return f.integrator == alphaIntegrator }

func (f *Flags) addRho(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&f.rho, "rho", sim.DefaultRho, "part of the fastest vibrations that a step of "+alphaIntegrator+" leaves, in [0, 1)")
}

// noteRho is note for --rho and what is different with it.
func (f *Flags) noteRho(cmd *cobra.Command) {
	f.rhoSet = cmd.Flags().Changed("rho")
	if f.implicit() && !f.tolSet {
		f.tol = alphaTolerance
	}
}

// checkRho is check for --rho and what is different with it.
func (f *Flags) checkRho() error {
	switch {
	case f.rhoSet && !f.implicit():
		return shell.UseErrorf("--rho is of %s, not of %s", alphaIntegrator, f.integrator)
	case !(f.rho >= 0 && f.rho < 1):
		return shell.UseErrorf("--rho %v is not in [0, 1)", f.rho)
	case f.balanced() && f.method.Method != motion.Sparse:
		return shell.UseErrorf("%s has a spanning tree of its own: --method is not for it", balanceIntegrator)
	case f.balanced() && f.stabilize == baumgarte:
		return shell.UseErrorf("%s has no accelerations to feed violations back in: --stabilize baumgarte is not for it", balanceIntegrator)
	case f.rattles() && (f.method.Method != motion.Sparse || f.stabilize != Projection):
		return shell.UseErrorf("%s closes the joints by itself, with the sparse method: --method and --stabilize are not for it", study.Rattle)
	case f.implicit() && f.method.Method != motion.Sparse:
		return shell.UseErrorf("%s needs --method sparse: its Newton matrix is that of the sparse method", alphaIntegrator)
	case f.implicit() && f.stabilize == baumgarte:
		return shell.UseErrorf("%s meets the joints by itself: --stabilize baumgarte is not for it", alphaIntegrator)
	}
	return nil
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

// chosenJoints returns the numbers of the joints of --wrenches.
func (f *Flags) chosenJoints(mech *mechanism.Mechanism) ([]int, error) {
	for _, name := range f.wrenches {
		if _, err := mech.JointIndex(name); err != nil {
			return nil, shell.NoJoint("--wrenches", name, mech)
		}
	}
	return chosen("wrenches", "joint", f.wrenches, mech.JointIndex)
}

// chosenCouplings returns the numbers of the couplings of --multipliers.
func (f *Flags) chosenCouplings(mech *mechanism.Mechanism) ([]int, error) {
	return chosen("multipliers", "coupling", f.multipliers, mech.CouplingIndex)
}

// chosen returns the numbers of what the names of a flag name.
func chosen(flag, kind string, names []string, find func(name string) (int, error)) ([]int, error) {
	var list []int
	seen := map[int]bool{}
	for _, name := range names {
		j, err := find(name)
		if err != nil {
			return nil, shell.UseErrorf("--%s: %w", flag, err)
		}
		if seen[j] {
			return nil, shell.UseErrorf("--%s: %s %s is given twice", flag, kind, fault.Name(name))
		}
		seen[j] = true
		list = append(list, j)
	}
	return list, nil
}

// stabilizeFlag is the value of --stabilize: how violations of the joints are fought.
type stabilizeFlag string

// The values of --stabilize.
const (
	Projection stabilizeFlag = "projection"
	baumgarte  stabilizeFlag = "baumgarte"
	none       stabilizeFlag = "none"
)

// StabilizeNames are the names that --stabilize takes.
var StabilizeNames = []string{string(Projection), string(baumgarte), string(none)}

func (f *stabilizeFlag) String() string { return string(*f) }

func (f *stabilizeFlag) Type() string { return "name" }

func (f *stabilizeFlag) Set(s string) error {
	if !slices.Contains(StabilizeNames, s) {
		return errors.New(fault.NoneOf("stabilization", s, StabilizeNames))
	}
	*f = stabilizeFlag(s)
	return nil
}

func (f *stabilizeFlag) Add(cmd *cobra.Command) {
	*f = Projection
	cmd.Flags().Var(f, "stabilize", "how violations of joints are fought: "+strings.Join(StabilizeNames, ", "))
	shell.Complete(cmd, "stabilize", StabilizeNames...)
}

// The endings of the trajectories that are written.
const (
	CSVEnding     = ".csv"
	ParquetEnding = ".parquet"
)
