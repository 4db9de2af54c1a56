//go:build !small

package simulate

import (
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
)

// parquetFormat is the format of trajectories in Parquet files.
var parquetFormat = runs.Format{Ending: ParquetEnding, Open: openParquet}

// parquetFile is a trajectory in a Parquet file at path.
type parquetFile struct {
	*parquet.Recorder
	path string
}

// openParquet begins the trajectory at path, or, if from is not nil, continues it from that checkpoint.
func openParquet(path string, columns *sim.Columns, from *sim.Checkpoint) (runs.Trajectory, error) {
	t := &parquetFile{path: path}
	var err error
	if from == nil {
		t.Recorder, err = parquet.New(path, columns, parquet.Options{})
	} else {
		t.Recorder, err = parquet.Resume(path, columns, from.Recorded, parquet.Options{Sum: from.Sum})
	}
	return t, err
}

// Leave implements runs.Trajectory.
func (t *parquetFile) Leave() (string, error) {
	return t.path + parquet.PartsEnding, t.Recorder.Leave()
}
