//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTimeKnown says that processorTime is that of processors.
const processorTimeKnown = true

// processorTime returns the time that processors have worked for this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
