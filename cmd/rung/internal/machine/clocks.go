package machine

import (
	"time"
)

// Clocks are readings of the clocks beside that of the day, or what passed between two readings. One that is not there is negative.
type Clocks struct{ CPU, Waited, Machine time.Duration }

// NotKnown is the reading of a clock that is not there.
const NotKnown = time.Duration(-1)

// ReadClocks reads all clocks.
func ReadClocks() Clocks {
	c := Clocks{CPU: NotKnown, Waited: WaitedTime(), Machine: machineTime()}
	if ProcessorTimeKnown {
		c.CPU = ProcessorTime()
	}
	return c
}
