//go:build !unix

package check

import "time"

var begun = time.Now()

// processorTime returns the time since the start.
func processorTime() time.Duration { return time.Since(begun) }
