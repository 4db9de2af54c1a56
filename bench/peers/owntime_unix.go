//go:build unix

package main

import (
	"syscall"
	"time"
)

// ownTime returns the processor time of this process and of its children that have ended.
func ownTime() (t time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			t += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return t
}
