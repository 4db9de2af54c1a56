//go:build !unix && !windows

package outfile

import (
	"io/fs"
	"os"
)

// noRoom are the errors of the system that Full looks for; these systems have no common ones.
var noRoom = [...]error{}

// keepOwner and syncFolder do nothing.
func keepOwner(*os.File, fs.FileInfo) {}
func syncFolder(string) error         { return nil }
