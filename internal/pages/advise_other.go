//go:build !linux

package pages

// advise does nothing on this system.
func advise([]byte) {}
