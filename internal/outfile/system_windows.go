package outfile

import (
	"io/fs"
	"os"
	"syscall"
)

// noRoom are the errors of the system that Full looks for: ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL and
// ERROR_DISK_QUOTA_EXCEEDED.
var noRoom = [...]error{syscall.Errno(112), syscall.Errno(39), syscall.Errno(1295)}

// keepOwner does nothing: rights are those of the folder.
func keepOwner(*os.File, fs.FileInfo) {}

// syncFolder does nothing: a folder cannot be made durable.
func syncFolder(string) error { return nil }
