//go:build unix

package machine

import (
	"syscall"
	"time"
)

// ProcessorTimeKnown reports whether ProcessorTime returns a processor time.
const ProcessorTimeKnown = true

// ProcessorTime returns the time that processors have worked for this process, or 0 if the system does not tell.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
