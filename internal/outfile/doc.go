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
//
// # Files in several parts
//
// Some files are several. They are written so that a reader gets all of one writer, or an error with the name of the
// file that is wrong. Formats do that in one of two ways.
//
// A folder with a head (Layout) is one file. Its writer goes through these steps, and may end at any point:
//
//  1. It locks the head, which is the lock of the whole folder, and removes parts that the head does not name.
//  2. It writes each part under a temporary name, makes it durable, and gives it a name with the digest of its bytes. So a
//     part never takes the place of one with other bytes, and all that the old head names is still there.
//  3. It makes the names of the parts durable, and only then writes the new head beside the old one, seals it and makes it
//     durable.
//  4. It renames the head. That is the one moment in which the folder turns from the old into the new one. It makes the
//     name durable.
//  5. It removes the parts that the new head does not name, and the lock.
//
// A writer that ends before step 4 leaves the old folder, or one without a head where there was none; readers refuse
// that. After step 4 it leaves the new one. The next writer removes what is left over. The old folder is there until the new
// one is whole, so the disk has to have room for both.
//
// A reader takes the head, checks its seal, and opens the parts that it names. Where one of them has gone and the head is
// another one by now, it begins anew. Open files stay what they are. Some systems do not remove them; there the next writer
// does that. Each block of a part is compared with its digest in the head when it is read first, so that a range of a large
// part is checked without reading all of it.
//
// Parts of a run that goes on (the row groups of a trajectory, the runs of a sweep) are files that stand alone. They have a
// seal (Sealed): the digest of their own bytes. It says of each whether it is as it was written, so that a damaged one is
// named, and made anew where that is possible. Who joins them checks all seals.
package outfile
