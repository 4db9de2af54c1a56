package machine

import (
	"bytes"
	"os"
	"strconv"
)

// ResetPeak makes peakBytes count from now on.
func ResetPeak() {
	// Without this right the peak is that of the whole process so far: too
	// high, never too low.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// PeakBytes returns the largest resident memory of the process since
// resetPeak.
func PeakBytes() int64 { return procStatus("VmHWM:", heldBytes) }

// ResidentBytes returns the resident memory of the process.
func ResidentBytes() int64 { return procStatus("VmRSS:", heldBytes) }

// procStatus returns a line of the process's status in bytes, or other() if
// there is none.
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
