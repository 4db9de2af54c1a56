package check

import (
	"os"
	"runtime/debug"
)

// Tests allocate much and keep little: with a larger heap the collector takes less of their time. Beyond 2 GB it works
// as ever. The environment goes before.
func init() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(500)
		debug.SetMemoryLimit(2 << 30)
	}
}
