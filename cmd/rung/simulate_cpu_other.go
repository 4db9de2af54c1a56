//go:build !unix

package main

import "time"

// processorTimeKnown says that processorTime is that of the day.
const processorTimeKnown = false

// processorTime returns the time of day, where that of processors is not known:
// differences are the time that has passed.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
