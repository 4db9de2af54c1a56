//go:build unix

package machine

import (
	"syscall"
	"time"
)

// ProcessorTimeKnown says that processorTime is that of processors.
const ProcessorTimeKnown = true

// ProcessorTime returns the time that processors have worked for this process.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
