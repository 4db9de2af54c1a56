// Package replace puts a whole file in the place of another. The new one is written beside it, made durable, and renamed. So whenever the
// process ends, and whatever the disk holds, a file is what it was before or all of the new one.
//
// Links are followed: the file that a link leads to is replaced, and the link stays. Devices and pipes cannot be replaced,
// and are written directly. A new file has the permissions that the process gives (umask). One that replaces another has
// the permissions of that one, and its owner where the system allows that.
//
// Nothing is locked. [Write] needs no lock, as each writer has a new file of its own. Files that take long to write, that are
// several, or that a killed run goes on with need one: internal/outfile.
package replace
