//go:build !linux

package machine

import (
	"time"
)

// WaitedTime is not known.
func WaitedTime() time.Duration { return NotKnown }

// machineTime is not known.
func machineTime() time.Duration { return NotKnown }
