package gradient

import (
	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// Commands returns the subcommands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{newGradient(), newLinearize(), newFit(), newOptimize()}
}

// gradientFlags are the flags of rung gradient.
type gradientFlags struct {
	along    string
	untried  bool
	check    bool
	plot     string
	ordering shell.OrderingFlag
	json     bool
}

const gradientLong = `With --along, prints how the accelerations and reactions of MODEL ("-": standard
input) at its state change along the directions of FILE, a document of
rung-directions/1 (rung schema directions): changes of poses, velocities, loads,
forces of freedoms, time, and of any number of the model by its path. A
direction with "follow" is corrected by the least change such that all joints
still hold.

Without it, the argument is an OBJECTIVE, a document of rung-objective/1 (rung
schema objective): columns of the state of a model, of its equilibrium and the
modes about it, of the solution of a task of rung ik, or of a run: at the end,
integrated, the extreme, or the misfit to data. Printed are its value and its
gradient by numbers of the model, and of the task. A run is differentiated as it
is computed, step by step, backwards: once for all parameters. rung fit and rung
optimize search by such gradients.

Derivatives are exact, not differences. What has none is an error that names
the joint: a direction that breaks a loop of redundant joints, or that the
joints do not allow. Components of reactions that are not unique are null.`

// newGradient returns the command rung gradient with its flags and their defaults.
func newGradient() *cobra.Command {
	f := &gradientFlags{}
	cmd := &cobra.Command{
		Use:   "gradient OBJECTIVE | MODEL --along FILE",
		Short: "Exact derivatives of accelerations, reactions and runs",
		Long:  gradientLong,
		Example: `  rung gradient objective.json
  rung gradient four-bar.json --along directions.json --json > gradient.json`,
		Args:              shell.Arguments("OBJECTIVE or MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.along != "" && (f.check || f.plot != ""):
				return shell.UseErrorf("--check and --plot are for objectives, not for --along")
			case f.along != "":
				return runAlong(cmd, args[0], f)
			case f.untried:
				return shell.UseErrorf("--untried is for --along")
			}
			if err := checkPlot(f.plot); err != nil {
				return err
			}
			if err := shell.Apart(f.plot, "the picture would replace this file", args[0]); err != nil {
				return err
			}
			return runObjective(cmd, args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.along, "along", "", "directions at the state of MODEL, a document of rung-directions/1")
	flags.BoolVar(&f.untried, "untried", false, "do not try whether redundant joints close with another geometry")
	flags.BoolVar(&f.check, "check", false, "compare with differences of whole runs; status 1 if one disagrees")
	flags.StringVar(&f.plot, "plot", "", "picture of gradient·value, a bar for each parameter, .svg or .png")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	f.ordering.Add(cmd)
	return cmd
}
