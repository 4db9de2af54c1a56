//go:build small

package simulate

import (
	"errors"

	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// parquetFormat refuses.
var parquetFormat = runs.Format{Ending: ParquetEnding, Open: func(string, *sim.Columns, *sim.Checkpoint) (runs.Trajectory, error) {
	return nil, errors.New("this rung writes no Parquet, as it was built with the tag small; trajectories may end in " + CSVEnding)
}}
