package outfile

import (
	"errors"
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
// file target, and gets its permissions. Begin takes no lock: the caller holds a Place that
// both names belong to.
func Begin(path, target string) (*File, error) {
	f, err := begin(path, target)
	if err != nil {
		return nil, err
	}
	return &File{f, target}, nil
}

// begin creates the file at path, with the permissions of the file like if there is one.
func begin(path, like string) (*os.File, error) {
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
		return nil, and(err, (&File{f, path}).Discard())
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
	return syncFolder(filepath.Dir(f.target))
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

// fill writes the file with write and commits it, or removes it.
func (f *File) fill(write func(w io.Writer) error) error {
	err := write(f)
	if err == nil {
		err = f.Commit()
	}
	if err != nil {
		err = and(err, f.Discard())
	}
	return err
}

// MakeFolder makes a folder, and its name durable, unless it is there.
func MakeFolder(path string) error {
	err := os.Mkdir(path, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// ReplaceBy is Place.Replace for a caller that keeps other writers away from target by itself: the file begins under
// the name path in the same file system. It returns a *fs.PathError with the name target.
func ReplaceBy(path, target string, write func(w io.Writer) error) error {
	f, err := Begin(path, target)
	if err != nil {
		return &fs.PathError{Op: "create", Path: target, Err: reason(err)}
	}
	if err := f.fill(write); err != nil {
		return &fs.PathError{Op: "write", Path: target, Err: f.reason(err)}
	}
	return nil
}
