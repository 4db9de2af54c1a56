// Package replace replaces a file by a complete new one. The new file is written beside the old one, made durable, and renamed. So
// whenever the process ends, and even if the disk is full, a file has its old content or all of the new content.
//
// Links are followed: the file that a link leads to is replaced, and the link stays. Devices and pipes cannot be replaced,
// and are written directly. A new file has the permissions that the process gives (umask). A file that replaces another gets
// the permissions of the old file, and its owner if the system allows that.
//
// The package takes no locks. [Write] needs none, because each writer has a new file of its own. Locks are needed for files
// that take long to write, for outputs of several files, and for files that a later run continues; see internal/outfile.
package replace
