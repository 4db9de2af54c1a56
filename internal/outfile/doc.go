// Package outfile writes complete files. Whenever the process ends, and even if the disk is
// full, a file has its old content or all of the new content.
//
// A file is written beside the file that it replaces, made durable, and renamed. Three names
// belong to it: NAME itself; NAME.rung-new, which is being written; and NAME.rung-lock, an
// empty file that is locked as long as a process writes NAME. The locks are locks of the system
// (flock, LockFileEx), which end with the process. So the files of a killed run do not block other
// writers, and the next writer of NAME removes them.
//
// Links are followed: the file that a link leads to is replaced, and the link stays. Devices
// and pipes cannot be replaced. They are written directly, without a lock. A new file
// has the permissions that the process gives (umask). A file that replaces another gets the
// permissions of the old file, and its owner if the system allows that.
//
// # Files in several parts
//
// Some outputs consist of several files. A reader gets all of them from the same writer, or an error with the name of the
// wrong file. Formats achieve that in one of two ways.
//
// In the first way, a folder with a head (Layout) acts as one file. Its writer goes through these steps, and may end at any point:
//
//  1. It locks the head, which is the lock of the whole folder, and removes parts that the head does not name.
//  2. It writes each part under a temporary name, makes it durable, and gives it a name with the digest of its bytes. So a
//     part never replaces a part with other bytes, and all parts that the old head names are still there.
//  3. It makes the names of the parts durable, and only then writes the new head beside the old one, seals it and makes it
//     durable.
//  4. It renames the head. At this moment, the folder changes from its old content to the new. It makes the
//     name durable.
//  5. It removes the parts that the new head does not name, and the lock.
//
// A writer that ends before step 4 leaves the old content, or a folder without a head if there was none before; readers refuse
// such a folder. A writer that ends after step 4 leaves the new content. The next writer removes the files that no head names.
// The old content remains until the new content is complete, so the disk needs room for both.
//
// A reader reads the head, checks its seal, and opens the parts that the head names. If a part is missing and the head has
// changed meanwhile, it begins anew. Files that are open keep their content when they are removed. On systems that cannot remove
// open files, the next writer removes them. Each block of a part is compared with its digest in the head when it is read for the
// first time, so a range of a large part is checked without reading all of it.
//
// In the second way, each file stands alone, such as a row group of a trajectory or a run of a sweep. It has a seal (Sealed),
// which is the digest of its own bytes. The seal tells whether a file is unchanged since it was written. So an error
// names a damaged file, and the file can be written anew if its data can be computed again. A program that joins the files checks
// all seals.
package outfile
