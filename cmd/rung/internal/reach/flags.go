package reach

import (
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/fault"
)

// flags are the flags of rung ik.
type flags struct {
	method, engine string
	steps          int
	restarts       int
	seed           uint64
	tolerance      float64
	maxTime        time.Duration
	driven         []string
	reach, orient  []string
	all, nearest   bool
	output         string // model in the pose
	out            string // path as CSV
	modelOut       string // model that moves along the path
	plot           string
	ordering       shell.OrderingFlag
	threads        shell.ThreadsFlag
	json           bool

	given func(name string) bool // reports whether a flag was given
}

func methods() string { return strings.Join(ik.MethodNames(), ", ") }

func engines() string { return strings.Join(ik.EngineNames(), ", ") }

// add declares the flags.
func (f *flags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", `model in the pose, ending in .json; "-" is standard output`)
	flags.StringArrayVar(&f.reach, "reach", nil, `"NAME = x,y,z": where a body or a target should be, m`)
	flags.StringArrayVar(&f.orient, "orient", nil, `"NAME = w,x,y,z": how a body or a target should stand`)
	flags.StringSliceVar(&f.driven, "driven", nil, "freedoms that may move: joints, or JOINT.i")
	flags.StringVar(&f.method, "method", "", "how to step: "+methods()+" (default as in TASK, "+ik.Auto.String()+")")
	flags.StringVar(&f.engine, "engine", "", "who supplies the Jacobian: "+engines()+" (default as in TASK, "+ik.AutoEngine.String()+")")
	flags.IntVar(&f.steps, "steps", 0, "largest number of steps from a start (default as in TASK, 200)")
	flags.IntVar(&f.restarts, "restarts", 0, "further starts at random (default as in TASK, for trees 100, else 0)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of random starts (default as in TASK, 0)")
	flags.Float64Var(&f.tolerance, "tolerance", 0, "largest error of a target, m and rad (default as in TASK: 1e-9 of the typical length of the bodies, and 1e-9 rad)")
	flags.DurationVar(&f.maxTime, "max-time", 0, "end the search after this time, such as 5ms; the result then depends on the machine")
	flags.BoolVar(&f.all, "all", false, "find all distinct solutions that random starts lead to")
	flags.BoolVar(&f.nearest, "nearest", false, "take the nearest pose where targets are out of reach")
	flags.StringVar(&f.out, "out", "", `motion along the path, ending in .csv; "-" is standard output`)
	flags.StringVar(&f.modelOut, "model-out", "", "model whose driven freedoms move along the path, ending in .json")
	flags.StringVar(&f.plot, "plot", "", "picture of errors, coordinates and rates, and of some poses, .svg or .png")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	shell.CompleteNames(cmd, "driven", shell.FreedomNames)
	shell.Complete(cmd, "method", ik.MethodNames()...)
	shell.Complete(cmd, "engine", ik.EngineNames()...)
	f.ordering.Add(cmd)
	f.threads.Add(cmd)
}

// check returns the first mistake in the flags that can be found without reading files.
func (f *flags) check(model, task string) error {
	switch {
	case model == shell.Stdio && task == shell.Stdio:
		return shell.UseErrorf("MODEL and TASK cannot both be standard input")
	case task == "" && len(f.reach)+len(f.orient) == 0:
		return shell.UseErrorf("no target: give TASK, --reach or --orient")
	case f.given("steps") && f.steps < 1:
		return shell.UseErrorf("--steps %d: there has to be one at least", f.steps)
	case f.given("restarts") && f.restarts < 0:
		return shell.UseErrorf("--restarts %d is negative", f.restarts)
	case f.given("tolerance") && !(f.tolerance > 0 && !math.IsInf(f.tolerance, 1)):
		return shell.UseErrorf("--tolerance %v is not above 0 and finite", f.tolerance)
	case f.given("max-time") && f.maxTime <= 0:
		return shell.UseErrorf("--max-time %v is not above 0", f.maxTime)
	case f.plot != "" && !picture.Drawn:
		return shell.UseErrorf(picture.Missing)
	}
	return f.checkFiles(model, task)
}

// checkFiles returns the first mistake in the names of files: two outputs on standard output, a wrong ending, or an output that would
// replace another file of the command.
func (f *flags) checkFiles(model, task string) error {
	stdout := 0
	for _, path := range []string{f.output, f.out, f.modelOut} {
		if path == shell.Stdio {
			stdout++
		}
	}
	if f.json {
		stdout++
	}
	if stdout > 1 {
		return shell.UseErrorf("several outputs on standard output: give all but one a file")
	}
	if err := shell.CheckNewModel(f.modelOut, false); err != nil {
		return err
	}
	if f.given("out") && f.out != shell.Stdio && !strings.EqualFold(filepath.Ext(f.out), ".csv") {
		return shell.UseErrorf("--out %s: motions end in .csv", fault.Name(f.out))
	}
	if err := shell.CheckPicture(f.plot, picture.Endings...); err != nil {
		return err
	}
	others := []string{model, task}
	for _, o := range [...]struct{ path, text string }{
		{f.out, "the motion would replace this file"}, {f.modelOut, "the moving model would replace this file"}, {f.plot, "the picture would replace this file"},
	} {
		if err := shell.Apart(o.path, o.text, others...); err != nil {
			return err
		}
		others = append(others, o.path)
	}
	return shell.Apart(f.output, "the model would replace this file", append([]string{task}, others[2:]...)...)
}
