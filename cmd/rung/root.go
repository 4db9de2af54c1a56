package main

import (
	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/bring"
	"github.com/rung-mbd/rung/cmd/rung/internal/families"
	"github.com/rung-mbd/rung/cmd/rung/internal/gradient"
	"github.com/rung-mbd/rung/cmd/rung/internal/look"
	"github.com/rung-mbd/rung/cmd/rung/internal/reach"
	"github.com/rung-mbd/rung/cmd/rung/internal/schema"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/cmd/rung/internal/state"
	"github.com/rung-mbd/rung/cmd/rung/internal/terrain"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/spf13/cobra"
)

// newRoot returns the command rung with all subcommands.
func newRoot() *cobra.Command {
	root := shell.Root()
	root.Short = "Forward dynamics of mechanisms with many kinematic loops"
	root.Long = `Rung computes the forward dynamics of mechanisms with many kinematic loops:
all bodies and joints go into one sparse system that is factored in linear time
on ladders, chains and the like, with redundant and nearly singular constraints
solved and explained by name.

Models are files of the format rung-model/1, ending in .json, or robots and
assemblies of other formats (rung import); "-" is standard input. Exit status: 0
done, 1 the computation could not be done or the disk is full, 2 bad use or bad
input.`
	root.Example = `  rung generate ladder 1000 -o ladder.json
  rung accel ladder.json`
	root.Version = rung.Version()
	root.Args = subcommand
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.AddCommand(state.Commands()...)
	root.AddCommand(gradient.Commands()...)
	root.AddCommand(simulate.Commands()...)
	root.AddCommand(reach.Commands()...)
	root.AddCommand(families.Commands()...)
	root.AddCommand(terrain.New(), bring.New(), bring.NewExport(), newVersion(), newMan(), schema.New())
	root.AddCommand(look.New()...)
	haveTables(root)
	return root
}

// subcommand returns an error of use for an argument that is no subcommand.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return shell.UseErrorf("unknown command %s%s", fault.Name(args[0]), fault.Meant(args[0], names...))
}
