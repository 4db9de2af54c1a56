//go:build !amd64 || noasm || purego

package tape

// sets returns the sets of instructions of the processor.
func sets() map[string]func(w, shared []float64, list []Op) { return nil }
