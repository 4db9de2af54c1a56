//go:build !small

package simulate

import (
	"os"

	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
)

// parquetFile is a trajectory as Parquet.
type parquetFile struct {
	*parquet.Recorder
	place *outfile.Place
	was   bool // there was a file before
}

func openParquet(place *outfile.Place, columns *sim.Columns, check *sim.Checkpoint) (trajectory, error) {
	_, err := os.Stat(place.Path())
	t := &parquetFile{place: place, was: err == nil}
	if check == nil {
		t.Recorder, err = parquet.New(place.Path(), columns, parquet.Options{})
	} else {
		t.Recorder, err = parquet.Resume(place.Path(), columns, check.Recorded, parquet.Options{Sum: check.Sum})
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (t *parquetFile) Record(r *sim.Row) error { return failedWrite(t.place, t.Recorder.Record(r)) }

func (t *parquetFile) fresh() bool { return !t.was }

func (t *parquetFile) finish() error { return t.Recorder.Close() }

func (t *parquetFile) release() error { return t.place.Release() }

func (t *parquetFile) leave() (string, error) {
	return t.place.Path() + parquet.PartsEnding, t.Leave()
}
