//go:build !unix

package machine

import (
	"time"
)

// ProcessorTimeKnown reports whether ProcessorTime returns a processor time.
const ProcessorTimeKnown = false

// ProcessorTime returns the wall time, because this system does not tell the processor time. A
// difference of two readings is the elapsed time.
func ProcessorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
