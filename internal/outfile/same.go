package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rung-mbd/rung/internal/replace"
)

// Same reports whether two paths lead to the same file, which need not exist. They may differ by hard or symbolic links, or in
// spelling.
func Same(a, b string) bool {
	ia, ea := os.Stat(a)
	ib, eb := os.Stat(b)
	if ea == nil || eb == nil {
		return ea == nil && eb == nil && os.SameFile(ia, ib)
	}
	pa, _, ea := replace.Resolve(a)
	pb, _, eb := replace.Resolve(b)
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

// foldsCase reports whether names that differ only in case usually mean the same file on this system.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// Target returns the path of the file that a writer of path would write, with links followed. The file need not exist. It returns
// an error if it is a folder, a device or a pipe.
func Target(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", &fs.PathError{Op: "write", Path: path, Err: errIrregular}
	}
	name, direct, err := replace.Resolve(path)
	if err == nil && direct {
		err = errIrregular
	}
	if err != nil {
		return "", &fs.PathError{Op: "write", Path: path, Err: replace.Reason(err)}
	}
	return name, nil
}

// errIrregular is the error for a folder, a device or a pipe.
var errIrregular = errors.New("is no regular file")
