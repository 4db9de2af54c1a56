package machine

import (
	"bytes"
	"os"
	"strconv"
)

// ResetPeak restarts the measurement of PeakBytes.
func ResetPeak() {
	// If the process may not write this file, PeakBytes is the peak since the start of the process: too
	// high, never too low.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// PeakBytes returns the largest resident memory of the process since
// ResetPeak, in bytes.
func PeakBytes() int64 { return procStatus("VmHWM:", heldBytes) }

// ResidentBytes returns the resident memory of the process, in bytes.
func ResidentBytes() int64 { return procStatus("VmRSS:", heldBytes) }

// procStatus returns the value of a line in the process's status, in bytes. If there is no
// such line, it returns other().
func procStatus(key string, other func() int64) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return other()
	}
	for line := range bytes.Lines(status) {
		f := bytes.Fields(line)
		if len(f) == 3 && string(f[0]) == key {
			if kB, err := strconv.ParseInt(string(f[1]), 10, 64); err == nil {
				return kB << 10
			}
		}
	}
	return other()
}
