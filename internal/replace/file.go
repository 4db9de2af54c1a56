package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file that is being written and replaces another at the end.
type File struct {
	*os.File
	target string // path of the file to be replaced; empty if f is written directly
}

// Begin creates the file at path, which is to replace the file target and gets its
// permissions. It removes a file that is already at path. It takes no lock: only one writer
// may use the name path at a time.
func Begin(path, target string) (*File, error) {
	f, err := Create(path, target)
	if err != nil {
		return nil, err
	}
	return Over(f, target), nil
}

// Over returns f as a File that replaces the file target. If target is empty, it replaces nothing.
func Over(f *os.File, target string) *File { return &File{f, target} }

// To sets the path of the file that f replaces.
func (f *File) To(target string) { f.target = target }

// Direct reports whether f replaces nothing.
func (f *File) Direct() bool { return f.target == "" }

// Create creates the file at path anew, with the permissions and the owner of the file like if that exists.
func Create(path, like string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	was, err := os.Stat(like)
	if errors.Is(err, fs.ErrNotExist) {
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, was.Mode().Perm())
	if err != nil {
		return nil, err
	}
	keepOwner(f, was)
	if err := f.Chmod(was.Mode().Perm()); err != nil {
		return nil, And(err, Over(f, path).Discard())
	}
	return f, nil
}

// Commit makes the file durable, closes it, and renames it to the target. After an error the file is closed and
// not renamed, unless only the new name could not be made durable.
func (f *File) Commit() error {
	if f.target == "" {
		return f.Close()
	}
	err := f.Sync()
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), f.target)
	}
	if err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(f.target))
}

// Discard closes and removes the file. It may be called after a failed Commit.
func (f *File) Discard() error {
	if err := f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	if f.target == "" {
		return nil
	}
	if err := os.Remove(f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Fill writes the file by write and commits it. After an error it removes the file.
func (f *File) Fill(write func(w io.Writer) error) error {
	err := write(f)
	if err == nil {
		err = f.Commit()
	}
	if err != nil {
		err = And(err, f.Discard())
	}
	return err
}

// Reason returns the cause in err without the operation and the names of files, which the caller has not given.
func Reason(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Reason returns err without the name of f, which the caller has not given. Names of other files remain.
func (f *File) Reason(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) && e.Path == f.Name() {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) && e.Old == f.Name() {
		return e.Err
	}
	return err
}

// And returns err with the error more of cleaning up, in one line. Either may be nil.
func And(err, more error) error {
	switch {
	case more == nil:
		return err
	case err == nil:
		return more
	}
	return fmt.Errorf("%w (%w)", err, more)
}
