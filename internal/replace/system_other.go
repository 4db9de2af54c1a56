//go:build !unix && !windows

package replace

import (
	"io/fs"
	"os"
)

// keepOwner and SyncFolder do nothing on this system.
func keepOwner(*os.File, fs.FileInfo) {}
func SyncFolder(string) error         { return nil }
