//go:build unix

package replace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and the group of another file, or only the group, if the system lets
// this process do so.
func keepOwner(f *os.File, was fs.FileInfo) {
	s, ok := was.Sys().(*syscall.Stat_t)
	if !ok || f.Chown(int(s.Uid), int(s.Gid)) == nil {
		return
	}
	_ = f.Chown(-1, int(s.Gid))
}

// SyncFolder makes the names in a folder durable, if its file system can do so.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil // the folder may be written but not read
		}
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
