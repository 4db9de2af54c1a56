//go:build small

package simulate

import (
	"errors"

	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
)

// openParquet refuses.
func openParquet(*outfile.Place, *sim.Columns, *sim.Checkpoint) (trajectory, error) {
	return nil, errors.New("this rung writes no Parquet, as it was built with the tag small; trajectories may end in " + CSVEnding)
}
