package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
)

// The endings of the trajectories that are written.
const (
	csvEnding     = ".csv"
	parquetEnding = ".parquet"
)

// trajectory is a file that is written, or standard output. Its errors of writing are failures.
type trajectory interface {
	sim.Summed
	// fresh reports whether there was no trajectory when the run began.
	fresh() bool
	// finish leaves it complete, in its place.
	finish() error
	// leave leaves the rows so far, and what was there before: where, or "" if that is no other file.
	leave() (where string, err error)
	// release lets others write the file.
	release() error
}

// openTrajectory opens the trajectory of f with these columns, which exists already
// if there is a checkpoint.
func (f *simulateFlags) openTrajectory(columns *sim.Columns, check *sim.Checkpoint, stdout io.Writer) (trajectory, error) {
	if f.output == stdio {
		t, err := sim.NewCSV(stdout, columns)
		if err != nil {
			return nil, failed("", inputError("stdout", err))
		}
		return &csvStream{t}, nil
	}
	place, err := outfile.Hold(f.output)
	if err != nil {
		return nil, inputError(f.output, err)
	}
	t, err := openFile(place, columns, check)
	if err != nil {
		_ = place.Release() // the first error counts
		if errors.As(err, new(*failure)) {
			return nil, err
		}
		return nil, plainSim(inputError(f.output, err))
	}
	return t, nil
}

func openFile(place *outfile.Place, columns *sim.Columns, check *sim.Checkpoint) (trajectory, error) {
	switch {
	case place.Direct() && check != nil:
		return nil, errors.New("no regular file, so that no run can go on with it")
	case strings.EqualFold(filepath.Ext(place.Given()), parquetEnding):
		return openParquet(place, columns, check)
	case check != nil:
		return resumeCSV(place, columns, check)
	}
	return newCSV(place, columns)
}

// csvStream is a trajectory on standard output.
type csvStream struct{ *sim.CSV }

func (t *csvStream) fresh() bool            { return true }
func (t *csvStream) finish() error          { return t.Flush() }
func (t *csvStream) leave() (string, error) { return "", t.Flush() }
func (t *csvStream) release() error         { return nil }

// csvFile is a trajectory of comma-separated values: in its place, where nothing else was, or beside it.
type csvFile struct {
	*sim.CSV
	place  *outfile.Place
	file   *os.File
	beside *outfile.File // file, or nil if that is in its place
}

// newCSV begins a trajectory.
func newCSV(place *outfile.Place, columns *sim.Columns) (trajectory, error) {
	t := &csvFile{place: place}
	var err error
	if t.file, err = os.OpenFile(place.Path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); errors.Is(err, fs.ErrExist) {
		if t.beside, err = place.Create(); err == nil {
			t.file = t.beside.File
		}
	}
	if err != nil {
		return nil, err
	}
	if t.CSV, err = sim.NewCSV(t.file, columns); err != nil {
		if t.beside != nil {
			_ = t.beside.Discard()
		} else {
			_ = errors.Join(t.file.Close(), os.Remove(place.Path()))
		}
		return nil, failed("", inputError(place.Given(), err))
	}
	return t, nil
}

// resumeCSV goes on with the trajectory of a checkpoint, where a killed run has left it: beside its place or there.
func resumeCSV(place *outfile.Place, columns *sim.Columns, check *sim.Checkpoint) (trajectory, error) {
	f, err := place.Reopen()
	if err == nil {
		t, e := check.ResumeCSV(f.File, columns)
		if e == nil {
			return &csvFile{t, place, f.File, f}, nil
		}
		err = e
		_ = f.Close()
	}
	there, e := os.OpenFile(place.Path(), os.O_RDWR, 0)
	if e != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = e
		}
		return nil, err
	}
	t, err := check.ResumeCSV(there, columns)
	if err != nil {
		_ = there.Close()
		return nil, err
	}
	return &csvFile{t, place, there, nil}, nil
}

func (t *csvFile) Record(r *sim.Row) error { return failedWrite(t.place, t.CSV.Record(r)) }
func (t *csvFile) fresh() bool             { return t.beside == nil || t.place.Direct() }
func (t *csvFile) release() error          { return t.place.Release() }

func (t *csvFile) finish() error {
	if err := t.Flush(); err != nil {
		return errors.Join(err, t.file.Close())
	}
	if t.beside != nil {
		return t.beside.Commit()
	}
	if err := errors.Join(t.file.Sync(), t.file.Close()); err != nil {
		return err
	}
	if err := os.Remove(t.place.New()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // what a killed run has left
	}
	return nil
}

func (t *csvFile) leave() (string, error) {
	err := t.Flush()
	if e := t.file.Close(); err == nil {
		err = e
	}
	if t.fresh() {
		return "", err
	}
	return t.place.New(), err
}

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
func (t *parquetFile) fresh() bool             { return !t.was }
func (t *parquetFile) finish() error           { return t.Recorder.Close() }
func (t *parquetFile) release() error          { return t.place.Release() }

func (t *parquetFile) leave() (string, error) {
	return t.place.Path() + parquet.PartsEnding, t.Leave()
}

// failedWrite makes an error of the system a failure, which names the file as the caller does; others pass.
func failedWrite(place *outfile.Place, err error) error {
	if err == nil {
		return nil
	}
	if e := inputError(place.Given(), err); e != err {
		return failed("", e)
	}
	return err
}

// chosenJoints returns the numbers of the joints of --wrenches.
func (f *simulateFlags) chosenJoints(mech *mechanism.Mechanism) ([]int, error) {
	var chosen []int
	seen := map[int]bool{}
	for _, name := range f.wrenches {
		j, err := mech.JointIndex(name)
		if err != nil {
			return nil, useErrorf("--wrenches: no joint %s", fault.Name(name))
		}
		if seen[j] {
			return nil, useErrorf("--wrenches: joint %s is given twice", fault.Name(name))
		}
		seen[j] = true
		chosen = append(chosen, j)
	}
	return chosen, nil
}
