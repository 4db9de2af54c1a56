//go:build !linux

package main

import "time"

// waitedTime is not known.
func waitedTime() time.Duration { return notKnown }

// machineTime is not known.
func machineTime() time.Duration { return notKnown }
