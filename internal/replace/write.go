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
	// ErrFolder is the error of a name that is a folder's.
	ErrFolder = errors.New("is a folder")

	errLinks = errors.New("too many links")
)

// Write replaces the file at path by what write writes. Each of several writers at a time has a new file of its own, and the last to end
// replaces those of the others. The file of a process that is killed meanwhile stays beside it, NAME.rung-new- and a number.
//
// It returns a *fs.PathError with the name path. After an error the old file is there and no new one.
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

// begin creates the file that is to replace the one at path, or opens what cannot be replaced.
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

// MayWrite returns the error of writing the file at path, which stays as it is.
func MayWrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// longestChain is the number of links that are followed.
const longestChain = 40

// Resolve follows the links of path to a name that is no link, in a folder that exists; the
// file need not exist. It reports whether this is one of the files that the process has open,
// which are written directly.
func Resolve(path string) (name string, direct bool, err error) {
	for range longestChain {
		dir, base := filepath.Split(path) // not cleaned: links before a .. decide where it leads
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
		if err != nil { // it is no link, or not there
			return name, false, nil
		}
		if !filepath.IsAbs(link) {
			link = dir + string(filepath.Separator) + link
		}
		path = link
	}
	return "", false, errLinks
}

// opened reports whether dir has the files that a process has open.
func opened(dir string) bool { return dir == "/dev/fd" || strings.HasPrefix(dir, "/proc/") }

// longestName is the length of a name, bytes, beyond which it is shortened for the files beside it.
const longestName = 200

// Beside returns the name of a file beside path.
func Beside(path, ending string) string {
	dir, name := filepath.Split(path)
	if len(name) > longestName {
		h := fnv.New64a()
		h.Write([]byte(name))
		name = fmt.Sprintf("%s~%016x", strings.ToValidUTF8(name[:longestName/2], ""), h.Sum64())
	}
	return filepath.Join(dir, name+ending)
}
