package runs

import (
	"errors"
	"io/fs"
	"os"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
)

// FileError is wrapped around the error of the system by which a file of a run could not be written.
type FileError struct{ Err error }

// Error says which file, and why.
func (e *FileError) Error() string { return "motion/runs: " + e.Err.Error() }

// Unwrap returns the error of the system.
func (e *FileError) Unwrap() error { return e.Err }

// isSystem reports whether an error is one of the system about a file.
func isSystem(err error) bool {
	return errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError))
}

// named gives an error of the system the name of the file that the caller knows.
func named(place *outfile.Place, err error) error {
	if p := new(fs.PathError); errors.As(err, &p) && (p.Path == place.Path() || p.Path == place.New()) {
		return &fs.PathError{Op: p.Op, Path: place.Given(), Err: p.Err}
	}
	if l := new(os.LinkError); errors.As(err, &l) {
		return &fs.PathError{Op: l.Op, Path: place.Given(), Err: l.Err}
	}
	return err
}

// failedWrite makes an error of the system a FileError with the name of the file; others pass.
func failedWrite(place *outfile.Place, err error) error {
	if err == nil || !isSystem(err) {
		return err
	}
	return &FileError{named(place, err)}
}

// trajectory is where rows go: a file or a writer.
type trajectory interface {
	sim.Summed
	// fresh reports whether there was no trajectory when the run began.
	fresh() bool
	// finish leaves it complete, in its place.
	finish() error
	// leave leaves the rows so far, and what was there before: where, or "" if that is no other file.
	leave() (where string, err error)
	// release lets others write the file.
	release()
}

// openTrajectory opens where the rows with these columns go, which exists already if there is a checkpoint; nil: nowhere.
func (f *Files) openTrajectory(columns *sim.Columns, check *sim.Checkpoint) (trajectory, error) {
	if f.Trajectory == "" {
		if f.CSV == nil {
			return nil, nil
		}
		t, err := sim.NewCSV(f.CSV, columns)
		if err != nil {
			return nil, &FileError{err}
		}
		return &csvStream{t}, nil
	}
	place, err := outfile.Hold(f.Trajectory)
	if err != nil {
		return nil, err
	}
	t, err := f.openFile(place, columns, check)
	if err != nil {
		_ = place.Release() // the first error counts
		if errors.As(err, new(*FileError)) {
			return nil, err
		}
		return nil, named(place, err)
	}
	return t, nil
}

// openFile opens the trajectory at a place, in the format of its ending; with a checkpoint, to go on there.
func (f *Files) openFile(place *outfile.Place, columns *sim.Columns, check *sim.Checkpoint) (trajectory, error) {
	if place.Direct() && check != nil {
		return nil, fault.Errorf("motion/runs: %s: %w", fault.Line(place.Given()), errNotResumable)
	}
	if format := f.format(); format != nil {
		_, e := os.Stat(place.Path())
		t, err := format.Open(place.Path(), columns, check)
		if err != nil {
			return nil, err
		}
		return &formatFile{t, place, e == nil}, nil
	}
	if check != nil {
		return resumeCSV(place, columns, check)
	}
	return newCSV(place, columns)
}

// csvStream is a trajectory that goes to a writer.
type csvStream struct{ *sim.CSV }

func (t *csvStream) fresh() bool { return true }

func (t *csvStream) finish() error { return t.Flush() }

func (t *csvStream) leave() (string, error) { return "", t.Flush() }

func (t *csvStream) release() {}

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
	if t.file, t.beside, err = begin(place); err != nil {
		return nil, err
	}
	if t.CSV, err = sim.NewCSV(t.file, columns); err != nil {
		if t.beside != nil {
			_ = t.beside.Discard()
		} else {
			_ = errors.Join(t.file.Close(), os.Remove(place.Path()))
		}
		return nil, &FileError{named(place, err)}
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

func (t *csvFile) Mark() (int64, error) {
	at, err := t.CSV.Mark()
	return at, failedWrite(t.place, err)
}

func (t *csvFile) fresh() bool { return t.beside == nil || t.place.Direct() }

func (t *csvFile) release() { _ = t.place.Release() }

// finish writes what is left and lets the file take its place.
func (t *csvFile) finish() error {
	if err := t.Flush(); err != nil {
		return named(t.place, errors.Join(err, t.file.Close()))
	}
	if t.beside != nil {
		return named(t.place, t.beside.Commit())
	}
	if err := errors.Join(t.file.Sync(), t.file.Close()); err != nil {
		return named(t.place, err)
	}
	if err := os.Remove(t.place.New()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return named(t.place, err) // what a killed run has left
	}
	return nil
}

// leave writes what is left and closes the file. It returns where the rows are, "" if the file was new and stays where it is.
func (t *csvFile) leave() (string, error) {
	err := t.Flush()
	if e := t.file.Close(); err == nil {
		err = e
	}
	if t.fresh() {
		return "", named(t.place, err)
	}
	return t.place.New(), named(t.place, err)
}

// formatFile is a trajectory of one of Files.Formats.
type formatFile struct {
	Trajectory
	place *outfile.Place
	was   bool // there was a file before
}

func (t *formatFile) Record(r *sim.Row) error { return failedWrite(t.place, t.Trajectory.Record(r)) }

func (t *formatFile) Mark() (int64, error) {
	at, err := t.Trajectory.Mark()
	return at, failedWrite(t.place, err)
}

func (t *formatFile) fresh() bool { return !t.was }

func (t *formatFile) finish() error { return named(t.place, t.Close()) }

func (t *formatFile) leave() (string, error) {
	where, err := t.Leave()
	return where, named(t.place, err)
}

func (t *formatFile) release() { _ = t.place.Release() }
