//go:build !linux

package machine

// ResetPeak does nothing on this system.
func ResetPeak() {}

// PeakBytes returns the memory, in bytes, that the Go runtime holds now, since this system has no peak.
// Memory that was freed before and given back to the system does not count.
func PeakBytes() int64 { return heldBytes() }

// ResidentBytes returns the memory that the Go runtime holds, in bytes.
func ResidentBytes() int64 { return heldBytes() }
