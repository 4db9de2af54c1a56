//go:build !linux

package machine

// ResetPeak makes PeakBytes count from now on.
func ResetPeak() {}

// PeakBytes returns the memory the Go runtime holds after the evaluations,
// when everything has been allocated; what was freed before and given back to
// the system is not in it.
func PeakBytes() int64 { return heldBytes() }

// ResidentBytes returns the memory the Go runtime holds.
func ResidentBytes() int64 { return heldBytes() }
