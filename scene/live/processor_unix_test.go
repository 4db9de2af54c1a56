//go:build unix

package live_test

import (
	"syscall"
	"time"
)

// processor returns the time that the process has had of processors.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
