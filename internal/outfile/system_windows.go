package outfile

import "syscall"

// hasLocks says whether the system locks files.
const hasLocks = true

// noRoom are the errors of the system that Full looks for: ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL,
// ERROR_DISK_QUOTA_EXCEEDED, and what package syscall calls the first of them.
var noRoom = [...]error{syscall.Errno(112), syscall.Errno(39), syscall.Errno(1295), syscall.ENOSPC}
