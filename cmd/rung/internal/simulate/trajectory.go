package simulate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
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
func (f *Flags) openTrajectory(columns *sim.Columns, check *sim.Checkpoint, stdout io.Writer) (trajectory, error) {
	if f.output == shell.Stdio {
		t, err := sim.NewCSV(stdout, columns)
		if err != nil {
			return nil, shell.Failed("", shell.InputError("stdout", err))
		}
		return &csvStream{t}, nil
	}
	place, err := outfile.Hold(f.output)
	if err != nil {
		return nil, shell.InputError(f.output, err)
	}
	t, err := openFile(place, columns, check)
	if err != nil {
		_ = place.Release() // the first error counts
		if errors.As(err, new(*shell.Failure)) {
			return nil, err
		}
		return nil, plainSim(shell.InputError(f.output, err))
	}
	return t, nil
}

var errNotResumable = errors.New("no regular file, so that no run can go on with it")

func openFile(place *outfile.Place, columns *sim.Columns, check *sim.Checkpoint) (trajectory, error) {
	switch {
	case place.Direct() && check != nil:
		return nil, fmt.Errorf("%s: %w", fault.Line(place.Given()), errNotResumable)
	case strings.EqualFold(filepath.Ext(place.Given()), ParquetEnding):
		return openParquet(place, columns, check)
	case check != nil:
		return resumeCSV(place, columns, check)
	}
	return newCSV(place, columns)
}

// csvStream is a trajectory on standard output.
type csvStream struct{ *sim.CSV }

func (t *csvStream) fresh() bool { return true }

func (t *csvStream) finish() error { return t.Flush() }

func (t *csvStream) leave() (string, error) { return "", t.Flush() }

func (t *csvStream) release() error { return nil }

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
		return nil, shell.Failed("", shell.InputError(place.Given(), err))
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

func (t *csvFile) fresh() bool { return t.beside == nil || t.place.Direct() }

func (t *csvFile) release() error { return t.place.Release() }

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

// failedWrite makes an error of the system a failure, which names the file as the caller does; others pass.
func failedWrite(place *outfile.Place, err error) error {
	if err == nil {
		return nil
	}
	if e := shell.InputError(place.Given(), err); e != err {
		return shell.Failed("", e)
	}
	return err
}
