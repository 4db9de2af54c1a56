//go:build !small

package simulate

import (
	"errors"
	"io/fs"
	"os"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
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
		return nil, t.named(err)
	}
	return t, nil
}

// named makes errors of the system one line with the name of the file: that which the caller has given, or that of a part.
func (t *parquetFile) named(err error) error {
	if p := new(fs.PathError); errors.As(err, &p) && p.Path == t.place.Path() {
		return shell.InputError(t.place.Given(), err)
	}
	return shell.FileError(err)
}

func (t *parquetFile) Record(r *sim.Row) error {
	err := t.Recorder.Record(r)
	if e := t.named(err); e != err { // of the system
		return shell.Failed("", e)
	}
	return err
}

func (t *parquetFile) Mark() (int64, error) {
	at, err := t.Recorder.Mark()
	return at, t.named(err)
}

func (t *parquetFile) fresh() bool { return !t.was }

func (t *parquetFile) finish() error { return t.named(t.Recorder.Close()) }

func (t *parquetFile) release() error { return t.place.Release() }

func (t *parquetFile) leave() (string, error) {
	return t.place.Path() + parquet.PartsEnding, t.named(t.Leave())
}
