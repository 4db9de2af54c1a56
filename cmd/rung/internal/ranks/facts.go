package ranks

import (
	"slices"

	"github.com/rung-mbd/rung/dist"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// files are the flags that name files, whose paths may differ between machines.
var files = []string{"out", "checkpoint", "contacts", "events", "plot", "view", "side", "relief", "csv"}

// own are the flags that may differ between processes, as no result depends on them.
var own = []string{"threads", "quiet"}

// factsOf returns the facts that must be equal in all processes: the subcommand and its flags. Models are compared by their contents
// (dist.NewPlan).
func factsOf(cmd *cobra.Command) []dist.Fact {
	facts := []dist.Fact{{Name: "the subcommand", Value: cmd.Name()}}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { // sorted by name
		value := f.Value.String()
		switch {
		case slices.Contains(own, f.Name):
			return
		case slices.Contains(files, f.Name) && value != "":
			value = "given"
		case value == "":
			value = "not given"
		}
		facts = append(facts, dist.Fact{Name: "--" + f.Name, Value: value})
	})
	return facts
}
