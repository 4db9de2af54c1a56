package outfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/internal/replace"
)

// File is a file that is being written, to take the place of another.
type File = replace.File

// MakeFolder makes a folder, and its name durable, unless it is there.
func MakeFolder(path string) error {
	err := os.Mkdir(path, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return replace.SyncFolder(filepath.Dir(path))
}

// ReplaceBy is Place.Replace for a caller that keeps other writers away from target by itself: the file begins under
// the name path in the same file system. It returns a *fs.PathError with the name target.
func ReplaceBy(path, target string, write func(w io.Writer) error) error {
	f, err := replace.Begin(path, target)
	if err != nil {
		return &fs.PathError{Op: "create", Path: target, Err: replace.Reason(err)}
	}
	if err := f.Fill(write); err != nil {
		return &fs.PathError{Op: "write", Path: target, Err: f.Reason(err)}
	}
	return nil
}
