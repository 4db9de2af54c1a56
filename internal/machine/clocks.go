package machine

import (
	"time"
)

// Clocks are readings of several clocks, or differences of two readings. A clock that the system does not
// have reads NotKnown.
type Clocks struct {
	CPU     time.Duration // ProcessorTime
	Waited  time.Duration // WaitedTime
	Machine time.Duration // time that all processors have worked for any program
}

// NotKnown is the reading of a clock that the system does not have. It is negative.
const NotKnown = time.Duration(-1)

// ReadClocks reads all clocks.
func ReadClocks() Clocks {
	c := Clocks{CPU: NotKnown, Waited: WaitedTime(), Machine: machineTime()}
	if ProcessorTimeKnown {
		c.CPU = ProcessorTime()
	}
	return c
}
