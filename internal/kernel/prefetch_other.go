//go:build !amd64 || noasm || purego

package kernel

// Prefetch asks for x to be brought into the caches. It changes nothing and may
// do nothing.
func Prefetch([]float64) {}

// PrefetchDown is Prefetch.
func PrefetchDown([]float64) {}

// PrefetchItem is Prefetch for a structure.
func PrefetchItem[T any](*T) {}
