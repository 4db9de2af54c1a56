//go:build !unix

package live_test

import "time"

// processor would be the time that the process has had of processors.
func processor() time.Duration { return 0 }
