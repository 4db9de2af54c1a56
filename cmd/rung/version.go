package main

import (
	"fmt"
	"runtime"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/spf13/cobra"
)

// newVersion returns the command rung version.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of rung and of Go, and the platform",
		Args:  shell.Arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "rung version %s (%s %s/%s)\n",
				rung.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return shell.Failed("", err)
		},
	}
}
