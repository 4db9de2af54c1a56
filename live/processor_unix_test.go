//go:build unix

package live

import (
	"syscall"
	"time"
)

// Processor returns the time that the process has had of processors.
func Processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
