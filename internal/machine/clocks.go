package machine

import (
	"time"
)

// Clocks are readings of several clocks besides that of the day, or what passed between two
// readings. A clock that the system does not have reads negative.
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
