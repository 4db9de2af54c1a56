//go:build unix

package outfile

import "syscall"

// hasLocks reports whether the system can lock files.
const hasLocks = true

// noRoom are the errors of the system that Full looks for.
var noRoom = [...]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
