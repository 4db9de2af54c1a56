package shell

import "github.com/spf13/cobra"

// Root returns the command rung without subcommands and texts. Execute prints its errors, and its help fits the
// terminal.
func Root() *cobra.Command {
	root := &cobra.Command{Use: "rung", SilenceErrors: true, SilenceUsage: true}
	FitHelp(root)
	root.SetFlagErrorFunc(FlagError)
	return root
}
