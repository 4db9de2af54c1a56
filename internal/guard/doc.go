// Package guard detects that two goroutines use an object that only one may use at a time.
package guard
