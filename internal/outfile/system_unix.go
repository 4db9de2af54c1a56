//go:build unix

package outfile

import "syscall"

// hasLocks says whether the system locks files.
const hasLocks = true

// noRoom are the errors of the system that Full looks for.
var noRoom = [...]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
