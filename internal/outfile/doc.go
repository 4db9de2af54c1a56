// Package outfile writes files that are whole. Whenever the process ends, and whatever the disk
// holds, a file is what it was before or all of the new one.
//
// A file is written beside the one that it replaces, made durable, and renamed. Three names
// belong to it: NAME itself; NAME.rung-new, which is being written; and NAME.rung-lock, an
// empty file that is locked as long as somebody writes NAME. The locks are those of the system
// (flock, LockFileEx), which end with the process. So the files of a killed run stop nobody,
// and the next writer of NAME removes them.
//
// Links are followed: the file that a link leads to is replaced, and the link stays. Devices
// and pipes cannot be replaced. They are written directly, and nobody locks them. A new file
// has the permissions that the process gives (umask). One that replaces another has the
// permissions of that one, and its owner where the system allows that.
package outfile
