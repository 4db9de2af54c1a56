package check

import (
	"os"
	"runtime/debug"
)

// init lets the heap grow more between garbage collections, because tests allocate much and keep little. Beyond 2 GB the collector
// works as usual. It changes nothing if GOGC or GOMEMLIMIT is set.
func init() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(500)
		debug.SetMemoryLimit(2 << 30)
	}
}
