package reach

import (
	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// Commands returns the subcommands of this package.
func Commands() []*cobra.Command { return []*cobra.Command{newIK()} }

// newIK returns the command rung ik with its flags and their defaults.
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

// completeFiles completes the paths of the model and of the task in the shell.
func completeFiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
}
