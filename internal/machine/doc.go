// Package machine measures the resources used by a process: memory,
// processor time, and the time it waited for a processor.
package machine
