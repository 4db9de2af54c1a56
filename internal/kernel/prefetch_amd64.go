//go:build !noasm && !purego

package kernel

import "unsafe"

// Prefetch asks for x to be brought into the caches. It changes nothing and may
// do nothing.
func Prefetch(x []float64) {
	if len(x) > 0 {
		prefetchLines(&x[0], 64, 8*len(x))
	}
}

// PrefetchItem is Prefetch for a structure.
func PrefetchItem[T any](x *T) {
	prefetchLines((*float64)(unsafe.Pointer(x)), 64, int(unsafe.Sizeof(*x)))
}

// PrefetchDown is Prefetch that asks for the last lines first: where several slices are
// fetched one below the other, processors foresee the next.
func PrefetchDown(x []float64) {
	if len(x) > 0 {
		prefetchLines(&x[len(x)-1], -64, 8*len(x))
	}
}

// prefetchLines asks for the lines of 64 bytes at p, p + step and so on, as many as
// hold the given bytes, which are positive.
//
//go:noescape
func prefetchLines(p *float64, step, bytes int)
