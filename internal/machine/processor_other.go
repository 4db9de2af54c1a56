//go:build !unix

package machine

import (
	"time"
)

// ProcessorTimeKnown says that ProcessorTime is that of the day.
const ProcessorTimeKnown = false

// ProcessorTime returns the time of day, where that of processors is not known:
// differences are the time that has passed.
func ProcessorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
