package replace

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

var (
	// ErrFolder is the error for the path of a folder.
	ErrFolder = errors.New("is a folder")

	// errLinks is the error for a chain of links that is too long.
	errLinks = errors.New("too many links")
)

// Write replaces the file at path by a file written by write. Several writers may write path at the same time: each has a new file of its
// own, and the last one to end replaces the files of the others. A killed process leaves its new file, NAME.rung-new- and a number.
//
// An error is a *fs.PathError with the name path. After an error the old file is unchanged, and there is no new file.
func Write(path string, write func(w io.Writer) error) error {
	f, err := begin(path)
	if err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: Reason(err)}
	}
	if err := f.Fill(write); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: f.Reason(err)}
	}
	return nil
}

// begin creates the file that is to replace the file at path. If that is a device or a pipe, it opens it for writing.
func begin(path string) (*File, error) {
	info, err := os.Stat(path)
	exists := err == nil
	if exists && info.IsDir() {
		return nil, ErrFolder
	}
	target, direct, err := Resolve(path)
	if err != nil {
		return nil, err
	}
	if direct || exists && !info.Mode().IsRegular() {
		f, err := os.OpenFile(target, os.O_WRONLY|os.O_TRUNC, 0)
		return Over(f, ""), err
	}
	if exists {
		if err := MayWrite(target); err != nil {
			return nil, err
		}
	}
	f, err := Begin(Beside(target, fmt.Sprintf(".rung-new-%016x", rand.Uint64())), target)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("no file can be made beside it: %w", Reason(err))
	}
	return f, err
}

// MayWrite returns the error of opening the file at path for writing, and nil if there is none. It does not change the file.
func MayWrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// longestChain is the largest number of links that are followed.
const longestChain = 40

// Resolve follows the links of path. It returns a path that is no link, in a folder that exists; the
// file need not exist. direct reports whether the path stands for an open file of a process, such as
// /dev/fd/1, which is written directly.
func Resolve(path string) (name string, direct bool, err error) {
	for range longestChain {
		dir, base := filepath.Split(path) // not cleaned: the folder before .. may be a link
		if base == "" {
			return "", false, ErrFolder
		}
		if dir == "" {
			dir = "."
		}
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return "", false, err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return "", false, err
		}
		name = filepath.Join(dir, base)
		if opened(dir) {
			return name, true, nil
		}
		link, err := os.Readlink(name)
		if err != nil { // it is no link, or does not exist
			return name, false, nil
		}
		if !filepath.IsAbs(link) {
			link = dir + string(filepath.Separator) + link
		}
		path = link
	}
	return "", false, errLinks
}

// opened reports whether the files in dir stand for open files of a process.
func opened(dir string) bool { return dir == "/dev/fd" || strings.HasPrefix(dir, "/proc/") }

// longestName is the largest length of a name, in bytes, that Beside does not shorten.
const longestName = 200

// Beside returns the path of the file beside path whose name has the given ending appended. A long name is replaced by its beginning
// and a hash.
func Beside(path, ending string) string {
	dir, name := filepath.Split(path)
	if len(name) > longestName {
		h := fnv.New64a()
		h.Write([]byte(name))
		name = fmt.Sprintf("%s~%016x", strings.ToValidUTF8(name[:longestName/2], ""), h.Sum64())
	}
	return filepath.Join(dir, name+ending)
}
