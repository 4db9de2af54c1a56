//go:build small

package simulate

import (
	"errors"

	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// parquetFormat stands for the format of Parquet files in small builds: opening one is an error.
var parquetFormat = runs.Format{Ending: ParquetEnding, Open: func(string, *sim.Columns, *sim.Checkpoint) (runs.Trajectory, error) {
	return nil, errors.New("this rung writes no Parquet, as it was built with the tag small; trajectories may end in " + CSVEnding)
}}
