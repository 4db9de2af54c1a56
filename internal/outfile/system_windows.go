package outfile

import "syscall"

// hasLocks reports whether the system can lock files.
const hasLocks = true

// noRoom are the errors of the system that Full looks for: ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL,
// ERROR_DISK_QUOTA_EXCEEDED, and the value that package syscall uses for the first of them.
var noRoom = [...]error{syscall.Errno(112), syscall.Errno(39), syscall.Errno(1295), syscall.ENOSPC}
