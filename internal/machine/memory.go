package machine

import (
	"runtime/metrics"
)

// Settings of the garbage collector, in percent (GOGC).
const (
	TightGC   = 20  // keeps the peak of the memory near the live size
	DefaultGC = 100 // the default of Go
)

// heldBytes returns the memory, in bytes, that the Go runtime has from the system and has not
// given back.
func heldBytes() int64 {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(s)
	return int64(s[0].Value.Uint64()) - int64(s[1].Value.Uint64())
}
