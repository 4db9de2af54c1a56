//go:build !unix

package live

import "time"

// Processor would be the time that the process has had of processors.
func Processor() time.Duration { return 0 }
