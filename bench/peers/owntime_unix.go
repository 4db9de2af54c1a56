//go:build unix

package main

import (
	"syscall"
	"time"
)

// ownTime returns what processors have worked for this process and those it has waited for.
func ownTime() (t time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			t += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return t
}
