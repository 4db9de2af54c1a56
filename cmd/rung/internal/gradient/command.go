package gradient

import (
	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// resultFormat is the format of what rung gradient prints.
const resultFormat = "rung-gradient/1"

// Commands returns the subcommands of this package.
func Commands() []*cobra.Command { return []*cobra.Command{newGradient()} }

// gradientFlags are the flags of rung gradient.
type gradientFlags struct {
	along    string
	untried  bool
	ordering shell.OrderingFlag
	json     bool
}

const gradientLong = `Prints how the accelerations and reactions of MODEL ("-": standard input) at its
state change along the directions of FILE, a document of rung-directions/1
(rung schema directions): changes of poses, velocities, loads, forces of
freedoms, time, and of any number of the model by its path. A direction with
"follow" is corrected by the least change such that all joints still hold.

Derivatives are exact, not differences. What has none is an error that names
the joint: a direction that breaks a loop of redundant joints, or that the
joints do not allow. Components of reactions that are not unique are null.`

func newGradient() *cobra.Command {
	f := &gradientFlags{}
	cmd := &cobra.Command{
		Use:   "gradient MODEL --along FILE",
		Short: "Exact derivatives of accelerations and reactions",
		Long:  gradientLong,
		Example: `  rung gradient four-bar.json --along directions.json
  rung gradient four-bar.json --along directions.json --json > gradient.json`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.along == "" {
				return shell.UseErrorf("missing --along FILE")
			}
			return runAlong(cmd, args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.along, "along", "", "directions, a document of rung-directions/1")
	flags.BoolVar(&f.untried, "untried", false, "do not try whether redundant joints close with another geometry")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	f.ordering.Add(cmd)
	return cmd
}
