package reach

import (
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/spf13/cobra"
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

	given func(name string) bool
}

// Commands returns the subcommands of this package.
func Commands() []*cobra.Command { return []*cobra.Command{newIK()} }

func newIK() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "ik MODEL [TASK]",
		Short: "Inverse kinematics: pose a mechanism so that targets are met, or move it along a path",
		Long: `Finds where the driven freedoms of MODEL ("-": standard input) have to go so that
the targets of TASK (a document of rung-ik/1) are met: points, orientations,
poses, axes, planes, distances, coordinates, centres of mass. It works on any
mechanism: loops are closed exactly, limits of the model are kept. With a path in
TASK the targets move, and --out writes the coordinates over time.

Without TASK, targets are those of --reach and --orient: "BODY = x,y,z" brings
the origin of a body there, "BODY at px,py,pz = x,y,z" a point of it, and --orient
"BODY = w,x,y,z" turns it, all in the world. With TASK, both may name targets
whose place they change.

Driven are, unless TASK or --driven says otherwise, all freedoms that are not
prescribed. What they leave free is an error that names it.

If targets are not reached, the reason is printed: out of reach, against a limit,
stuck, contradictory. The exit status is then 1, and nothing is written to -o
unless --nearest asks for the nearest pose.`,
		Example: `  rung ik arm.json task.json -o posed.json
  rung ik arm.json --reach "hand = 0.4,0.2,0.3" --json
  rung ik stewart.json path.json --out legs.csv --model-out moving.json`,
		Args:              arguments,
		ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed
			return f.run(cmd, args[0], append(args, "")[1])
		},
	}
	f.add(cmd)
	return cmd
}

// arguments checks that there are a model and at most one task.
func arguments(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return shell.Arguments("MODEL", "TASK")(cmd, args)
	}
	return shell.Arguments("MODEL")(cmd, args)
}

// completeFiles makes the shell offer the model and the task.
func completeFiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
}

func (f *flags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", `model in the pose, ending in .json; "-" is standard output`)
	flags.StringArrayVar(&f.reach, "reach", nil, `"NAME = x,y,z": where a body or a target should be, m`)
	flags.StringArrayVar(&f.orient, "orient", nil, `"NAME = w,x,y,z": how a body or a target should stand`)
	flags.StringSliceVar(&f.driven, "driven", nil, "freedoms that may move: joints, or JOINT.i")
	flags.StringVar(&f.method, "method", "", "how to step: "+methods()+" (default that of TASK, auto)")
	flags.StringVar(&f.engine, "engine", "", "who supplies the Jacobian: "+engines()+" (default that of TASK, auto)")
	flags.IntVar(&f.steps, "steps", 0, "largest number of steps from a start (default that of TASK, 200)")
	flags.IntVar(&f.restarts, "restarts", 0, "further starts at random (default that of TASK, for trees 100, else 0)")
	flags.Uint64Var(&f.seed, "seed", 0, "of random starts (default that of TASK, 0)")
	flags.Float64Var(&f.tolerance, "tolerance", 0, "what may be missing of all targets, m and rad (default that of TASK: 1e-9 of the typical length of the bodies, and 1e-9 rad)")
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

// check returns the first mistake in the flags that shows without the files.
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

// checkFiles is check for the names of files.
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
	for _, path := range []string{f.output, f.modelOut} {
		if path != "" {
			if err := shell.CheckModelOutput(path); err != nil {
				return err
			}
		}
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
