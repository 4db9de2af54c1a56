//go:build !linux

package main

// resetPeak makes peakBytes count from now on.
func resetPeak() {}

// peakBytes returns the memory the Go runtime holds after the evaluations,
// when everything has been allocated; what was freed before and given back to
// the system is not in it.
func peakBytes() int64 { return heldBytes() }

// residentBytes returns the memory the Go runtime holds.
func residentBytes() int64 { return heldBytes() }
