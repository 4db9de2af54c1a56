package check

import (
	"os"
	"runtime/debug"
)

const (
	// collectPercent is the garbage for each byte that lives, in percent, after which tests collect.
	collectPercent = 800
	// collectBefore is the memory from which on they collect as often as it takes, bytes.
	collectBefore = 1 << 30
)

// Tests make much garbage around little that lives, so that collecting as often as a program does was a seventh of their
// processor time. GOGC and GOMEMLIMIT have the last word.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(collectBefore)
	}
}
