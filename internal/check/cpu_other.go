//go:build !unix

package check

import "time"

// begun is the time when the process started.
var begun = time.Now()

// processorTime returns the wall time since the start of the process.
func processorTime() time.Duration { return time.Since(begun) }
