//go:build unix

package check

import (
	"syscall"
	"time"
)

// processorTime returns the time that processors have spent on this process, or 0 if the system does not tell.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
