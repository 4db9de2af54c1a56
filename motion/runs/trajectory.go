package runs

import (
	"errors"
	"io/fs"
	"os"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
)

// FileError wraps the error of the operating system when a file of a run could not be written.
type FileError struct{ Err error }

// Error returns the text of Err, which names the file.
func (e *FileError) Error() string { return "motion/runs: " + e.Err.Error() }

// Unwrap returns Err.
func (e *FileError) Unwrap() error { return e.Err }

// isSystem reports whether an error is one of the operating system about a file.
func isSystem(err error) bool {
	return errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError))
}

// named returns an error of the operating system with the name of the file that the caller has given, in place of the path that was
// opened. It returns other errors as they are.
func named(place *outfile.Place, err error) error {
	if p := new(fs.PathError); errors.As(err, &p) && (p.Path == place.Path() || p.Path == place.New()) {
		return &fs.PathError{Op: p.Op, Path: place.Given(), Err: p.Err}
	}
	if l := new(os.LinkError); errors.As(err, &l) {
		return &fs.PathError{Op: l.Op, Path: place.Given(), Err: l.Err}
	}
	return err
}

// failedWrite returns an error of the operating system as a FileError with the name of the file, and other errors as they are.
func failedWrite(place *outfile.Place, err error) error {
	if err == nil || !isSystem(err) {
		return err
	}
	return &FileError{named(place, err)}
}

// trajectory is the destination of rows: a file or a writer.
type trajectory interface {
	sim.Summed
	// fresh reports whether it replaces no old file.
	fresh() bool
	// finish completes it, and replaces an old file.
	finish() error
	// leave closes it without replacing an old file. It returns the name of the file with the rows, or "" if there is no old file.
	leave() (where string, err error)
	// release gives the file free for other writers.
	release()
}

// openTrajectory opens the trajectory for rows with these columns: a new one, or the existing one if check is not nil. It returns nil if
// there is none.
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

// openFile opens the file of the trajectory at a place, in the format of its ending: a new one, or if check is not nil the existing one, to
// continue after the checkpoint.
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

// fresh implements trajectory.
func (t *csvStream) fresh() bool { return true }

// finish implements trajectory.
func (t *csvStream) finish() error { return t.Flush() }

// leave implements trajectory.
func (t *csvStream) leave() (string, error) { return "", t.Flush() }

// release implements trajectory.
func (t *csvStream) release() {}

// csvFile is a file of comma-separated values. If there is an old file, it is beside that, with another name, until finish.
type csvFile struct {
	*sim.CSV
	place  *outfile.Place
	file   *os.File
	beside *outfile.File // the new file beside an old one; nil if there is no old one
}

// newCSV creates a trajectory with its header. If that fails it removes the new file.
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

// resumeCSV opens the trajectory of a checkpoint, as a killed run has left it: beside an old file, or else at its place.
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

// Record implements sim.Recorder.
func (t *csvFile) Record(r *sim.Row) error { return failedWrite(t.place, t.CSV.Record(r)) }

// Mark implements sim.Recorder.
func (t *csvFile) Mark() (int64, error) {
	at, err := t.CSV.Mark()
	return at, failedWrite(t.place, err)
}

// fresh implements trajectory.
func (t *csvFile) fresh() bool { return t.beside == nil || t.place.Direct() }

// release implements trajectory.
func (t *csvFile) release() { _ = t.place.Release() }

// finish writes the buffered rows, closes the file, and replaces an old one by it.
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
		return named(t.place, err) // of removing a file that a killed run may have left
	}
	return nil
}

// leave writes the buffered rows and closes the file. It returns the name of the file, or "" if there is no old file.
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
	old   bool // there is an old file
}

// Record implements sim.Recorder.
func (t *formatFile) Record(r *sim.Row) error { return failedWrite(t.place, t.Trajectory.Record(r)) }

// Mark implements sim.Recorder.
func (t *formatFile) Mark() (int64, error) {
	at, err := t.Trajectory.Mark()
	return at, failedWrite(t.place, err)
}

// fresh implements trajectory.
func (t *formatFile) fresh() bool { return !t.old }

// finish implements trajectory.
func (t *formatFile) finish() error { return named(t.place, t.Close()) }

// leave implements trajectory.
func (t *formatFile) leave() (string, error) {
	where, err := t.Leave()
	return where, named(t.place, err)
}

// release implements trajectory.
func (t *formatFile) release() { _ = t.place.Release() }
