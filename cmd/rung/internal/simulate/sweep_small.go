//go:build small

package simulate

import (
	"errors"

	"github.com/spf13/cobra"
)

// runSweep returns an error, as small builds have no sweeps.
func runSweep(*cobra.Command, string, *sweepFlags) error {
	return errors.New("this rung runs no sweeps, as it was built with the tag small, without Parquet")
}
