//go:build !small

package simulate

import (
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
)

// parquetFormat is that of trajectories as Parquet.
var parquetFormat = runs.Format{Ending: ParquetEnding, Open: openParquet}

// parquetFile is a trajectory as Parquet.
type parquetFile struct {
	*parquet.Recorder
	path string
}

// openParquet begins the trajectory at path, or goes on with it where a checkpoint has left it.
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
