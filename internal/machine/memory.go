package machine

import (
	"runtime/metrics"
)

const (
	TightGC   = 20  // percent: the collector keeps the peak near the live size,
	DefaultGC = 100 // and as it runs in every Go program
)

// heldBytes returns the memory the Go runtime has from the system and has not
// given back.
func heldBytes() int64 {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(s)
	return int64(s[0].Value.Uint64()) - int64(s[1].Value.Uint64())
}
