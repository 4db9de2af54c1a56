//go:build !unix

package main

import "time"

// processorTime returns the time of day, where that of processors is not known:
// differences are the time that has passed.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
