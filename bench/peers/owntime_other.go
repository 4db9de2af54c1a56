//go:build !unix

package main

import "time"

// ownTime returns 0, as the time is not known on this system.
func ownTime() time.Duration { return 0 }
