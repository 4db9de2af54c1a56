//go:build !amd64 || noasm || purego

package kernel

// Prefetch does nothing without assembly.
func Prefetch([]float64) {}

// PrefetchDown does nothing without assembly.
func PrefetchDown([]float64) {}

// PrefetchItem does nothing without assembly.
func PrefetchItem[T any](*T) {}
