package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/gofrs/flock"

	"github.com/rung-mbd/rung/internal/replace"
)

// The endings of the files beside an output.
const (
	newEnding  = ".rung-new"
	lockEnding = ".rung-lock"
)

// ErrHeld is wrapped by the error of a place that another writer holds.
var ErrHeld = errors.New("another run is writing this file")

// Place is the path of a file to be written, reserved for one writer. It belongs to one goroutine.
type Place struct {
	given  string       // path given by the caller
	path   string       // path with links followed
	direct bool         // the file cannot be replaced and is written directly
	lock   *flock.Flock // nil for a direct place, and on systems without locks
}

// Hold reserves the path of a file, which need not exist, for this writer until Release. It does not change the file.
//
// It returns a *fs.PathError if path cannot be written, as far as that can be seen before
// writing. It returns an error that wraps ErrHeld if somebody else holds the place.
func Hold(path string) (*Place, error) {
	p := &Place{given: path}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return nil, p.fail("write", replace.ErrFolder)
	}
	exists := err == nil
	if p.path, p.direct, err = replace.Resolve(path); err != nil {
		return nil, p.fail("write", err)
	}
	if exists && !info.Mode().IsRegular() {
		p.direct = true
	}
	if p.direct {
		return p, nil
	}
	if exists {
		if err := replace.MayWrite(p.path); err != nil {
			return nil, p.fail("write", err)
		}
	}
	if !hasLocks {
		return p, nil
	}
	if p.lock, err = take(replace.Beside(p.path, lockEnding)); err != nil {
		return nil, p.fail("lock", err)
	}
	return p, nil
}

// takeTries is the largest number of attempts to take a lock whose file others remove meanwhile.
const takeTries = 100

// take locks the file at path, and returns ErrHeld if somebody else has locked it. A writer that releases a lock
// removes its file. So a lock counts only if its file still exists after the lock has been taken.
func take(path string) (*flock.Flock, error) {
	for range takeTries {
		l := flock.New(path, flock.SetPermissions(0o666))
		ok, err := l.TryLock()
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("no file can be made beside it: %w", replace.Reason(err))
		}
		if err != nil {
			return nil, errors.Join(replace.Reason(err), l.Close())
		}
		if !ok {
			return nil, errors.Join(ErrHeld, l.Close())
		}
		locked, err := l.Stat()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		if there, err := os.Stat(path); err == nil && os.SameFile(locked, there) {
			return l, nil
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
	}
	return nil, ErrHeld
}

// Given returns the name that Hold was called with.
func (p *Place) Given() string { return p.given }

// Path returns the path of the file that is replaced, with links followed.
func (p *Place) Path() string { return p.path }

// Direct reports whether the file is written directly, as devices and pipes are.
func (p *Place) Direct() bool { return p.direct }

// New returns the name of the file that is being written.
func (p *Place) New() string { return NewName(p.path) }

// NewName returns the name of the new file beside the file at path, which is no link.
func NewName(path string) string { return replace.Beside(path, newEnding) }

// Create creates the new file. If a run has left one, its content is removed.
func (p *Place) Create() (*File, error) {
	if p.direct {
		f, err := os.OpenFile(p.path, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return nil, p.fail("open", err)
		}
		return replace.Over(f, ""), nil
	}
	f, err := replace.Begin(p.New(), p.path)
	return f, p.fail("create", err)
}

// Reopen opens the new file that a run has left, for reading and writing. If there is none, the error wraps
// fs.ErrNotExist.
func (p *Place) Reopen() (*File, error) {
	if p.direct {
		return nil, p.fail("open", fs.ErrNotExist)
	}
	f, err := os.OpenFile(p.New(), os.O_RDWR, 0)
	if err != nil {
		return nil, p.fail("open", err)
	}
	return replace.Over(f, p.path), nil
}

// Replace writes the new file by write and replaces the old file by it. After an error the old file is
// unchanged, and there is no new file.
func (p *Place) Replace(write func(w io.Writer) error) error {
	f, err := p.Create()
	if err != nil {
		return err
	}
	return p.failed(f, f.Fill(write))
}

// failed is fail for an error in writing f. Names of other files that write has read remain in the message.
func (p *Place) failed(f *File, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: p.given, Err: f.Reason(err)}
}

// Release ends the reservation. A new file that is not committed remains.
func (p *Place) Release() error {
	if p.lock == nil {
		return nil
	}
	l := p.lock
	p.lock = nil
	if runtime.GOOS == "windows" { // open files cannot be removed there
		err := l.Close()
		_ = os.Remove(l.Path()) // fails if another writer has locked it meanwhile
		return p.fail("unlock", err)
	}
	err := os.Remove(l.Path())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return p.fail("unlock", errors.Join(err, l.Close()))
}

// Write replaces the file at path by a file written by write. It calls Hold, Replace and Release.
func Write(path string, write func(w io.Writer) error) error {
	p, err := Hold(path)
	if err != nil {
		return err
	}
	return replace.And(p.Replace(write), p.Release())
}

// fail returns err as a *fs.PathError with the path that the caller gave, and nil for nil.
func (p *Place) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: p.given, Err: replace.Reason(err)}
}
