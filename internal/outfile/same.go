package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Same reports whether two names are those of one file, by links of either kind or written in
// another way. Neither file need exist.
func Same(a, b string) bool {
	ia, ea := os.Stat(a)
	ib, eb := os.Stat(b)
	if ea == nil || eb == nil {
		return ea == nil && eb == nil && os.SameFile(ia, ib)
	}
	pa, _, ea := resolve(a)
	pb, _, eb := resolve(b)
	if ea != nil || eb != nil {
		return filepath.Clean(a) == filepath.Clean(b) // neither can be written
	}
	da, na := filepath.Split(pa)
	db, nb := filepath.Split(pb)
	if na != nb && !(foldsCase && strings.EqualFold(na, nb)) {
		return false
	}
	ia, ea = os.Stat(da)
	ib, eb = os.Stat(db)
	return ea == nil && eb == nil && os.SameFile(ia, ib)
}

// foldsCase tells where names that differ by case alone are usually one.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// Target returns the file that is written by the name path, links followed; it need not exist. It returns an error if
// that is a folder, a device or a pipe.
func Target(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", &fs.PathError{Op: "write", Path: path, Err: errIrregular}
	}
	name, direct, err := resolve(path)
	if err == nil && direct {
		err = errIrregular
	}
	if err != nil {
		return "", &fs.PathError{Op: "write", Path: path, Err: reason(err)}
	}
	return name, nil
}

var (
	errIrregular = errors.New("is no regular file")
	errLinks     = errors.New("too many links")
)

// longestChain is the number of links that are followed.
const longestChain = 40

// resolve follows the links of path to a name that is no link, in a folder that exists; the
// file need not exist. It reports whether this is one of the files that the process has open,
// which are written directly.
func resolve(path string) (name string, direct bool, err error) {
	for range longestChain {
		dir, base := filepath.Split(path) // not cleaned: links before a .. decide where it leads
		if base == "" {
			return "", false, errFolder
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
