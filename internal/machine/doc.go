// Package machine measures what a process uses of the machine: memory,
// the time of processors, and how long it waited for one.
package machine
