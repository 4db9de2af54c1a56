// Package guard sees misuse: two goroutines on an object that belongs to one at a time.
package guard
