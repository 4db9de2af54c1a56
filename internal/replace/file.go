package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file that is being written, to take the place of another.
type File struct {
	*os.File
	target string // empty: there is nothing to replace
}

// Begin creates the file at path, and replaces what is there. The new file is to replace the
// file target, and gets its permissions. It takes no lock, and removes what
// has the name path: only one writer uses that at a time.
func Begin(path, target string) (*File, error) {
	f, err := Create(path, target)
	if err != nil {
		return nil, err
	}
	return Over(f, target), nil
}

// Over returns f as what is to replace the file target; nothing if that is empty.
func Over(f *os.File, target string) *File { return &File{f, target} }

// To says which file f is to replace.
func (f *File) To(target string) { f.target = target }

// Direct reports whether f replaces nothing.
func (f *File) Direct() bool { return f.target == "" }

// Create creates the file at path, with the permissions of the file like if there is one.
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

// Commit makes the file durable, closes it and puts it in its place. After an error it is closed and
// still beside it, unless the error is one of making the move itself durable.
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

// Discard closes and removes the file, also after a Commit that has failed.
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

// Fill writes the file with write and commits it, or removes it.
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

// Reason returns err without names of files that the caller has not given.
func Reason(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Reason returns err without the name of the file itself, which the caller has not given.
func (f *File) Reason(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) && e.Path == f.Name() {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) && e.Old == f.Name() {
		return e.Err
	}
	return err
}

// And adds the error of cleaning up, in one line.
func And(err, more error) error {
	switch {
	case more == nil:
		return err
	case err == nil:
		return more
	}
	return fmt.Errorf("%w (%w)", err, more)
}
