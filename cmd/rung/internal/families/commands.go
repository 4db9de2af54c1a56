package families

import (
	"github.com/spf13/cobra"
)

// Commands returns the subcommands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{newGenerate(), newBench()}
}
