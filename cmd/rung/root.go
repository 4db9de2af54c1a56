package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/schema"
	"github.com/rung-mbd/rung/internal/fault"
)

// helpColumns is the width that help texts are wrapped to.
const helpColumns = "80"

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "rung",
		Short: "Forward dynamics of mechanisms with many kinematic loops",
		Long: `Rung computes the forward dynamics of mechanisms with many kinematic loops:
all bodies and joints go into one sparse system that is factored in linear time
on ladders, chains and the like, with redundant and nearly singular constraints
solved and explained by name.

Models are files of the format rung-model/1, ending in .json; "-" is standard
input. Exit status: 0 done, 1 the computation could not be done or the disk is
full, 2 bad use or bad input.`,
		Example: `  rung generate ladder 1000 -o ladder.json
  rung accel ladder.json`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          subcommand,

		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetUsageTemplate(strings.NewReplacer(
		"{{if .Runnable}}", "{{if and .Runnable (not .HasSubCommands)}}",
		".LocalFlags.FlagUsages", ".LocalFlags.FlagUsagesWrapped "+helpColumns,
		".InheritedFlags.FlagUsages", ".InheritedFlags.FlagUsagesWrapped "+helpColumns,
	).Replace(root.UsageTemplate()))
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &useError{err} })
	root.AddCommand(newAccel(), newAnalyze(), newAssemble(), newMatrix(), newInverse(), newSimulate(), newEquilibrium(), newModes(), newGenerate(), newBench(), newValidate(), newVersion(),
		schema.New(func(err error) error { return failed("", err) }))
	return root
}

// subcommand rejects arguments of the command without a subcommand.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return useErrorf("unknown command %s, did you mean %s?", fault.Name(args[0]), strings.Join(near, " or "))
	}
	return useErrorf("unknown command %s", fault.Name(args[0]))
}

// arguments checks that there is one argument a name.
func arguments(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return useErrorf("missing %s", strings.Join(names[len(args):], " and "))
		case len(args) > len(names):
			return useErrorf("unexpected argument %s", fault.Name(args[len(names)]))
		}
		return nil
	}
}

// streams returns the input and outputs of cmd.
func streams(cmd *cobra.Command) (stdin io.Reader, stdout, stderr io.Writer) {
	stdout = cmd.OutOrStdout()
	if o, ok := stdout.(*watched); ok {
		stdout = o.w // the commands look at the errors themselves
	}
	return cmd.InOrStdin(), stdout, cmd.ErrOrStderr()
}
