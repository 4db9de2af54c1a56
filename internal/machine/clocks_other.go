//go:build !linux

package machine

import (
	"time"
)

// WaitedTime returns NotKnown on this system.
func WaitedTime() time.Duration { return NotKnown }

// machineTime returns NotKnown on this system.
func machineTime() time.Duration { return NotKnown }
