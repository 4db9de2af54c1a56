// Package outfile writes files that are whole: whenever the process ends, and whatever the disk holds, a
// file is what it was before or all of the new one.
//
// A file is written beside the one whose place it takes, made durable, and renamed. Three names belong to
// it: NAME itself, NAME.rung-new, which is being written, and NAME.rung-lock, an empty file that is locked
// as long as somebody holds the place. Locks are those of the system (flock, LockFileEx), which end with
// the process: what a killed run leaves behind stops nobody, and the next writer of NAME cleans it up.
// WebAssembly has no locks: there nothing keeps two writers of one file apart.
//
// Links are followed: the file that a link leads to is replaced, and the link stays. Devices and pipes have no
// place that could be taken; they are written directly, and nobody locks them. A new file has the permissions
// that the process gives (umask), one that replaces another has the permissions of that one, and its
// owner where the system allows that.
package outfile
