package outfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/internal/replace"
)

// File is a file that is being written and replaces another at the end.
type File = replace.File

// MakeFolder makes a folder, and makes its name durable. It does nothing if the folder exists.
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

// ReplaceBy is Place.Replace without a lock, for a caller that makes sure that nobody else writes target. The new file is first
// written under the name path, which is in the same file system. An error is a *fs.PathError with the name target.
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
