package replace

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: rights are those of the folder.
func keepOwner(*os.File, fs.FileInfo) {}

// SyncFolder does nothing: a folder cannot be made durable.
func SyncFolder(string) error { return nil }
