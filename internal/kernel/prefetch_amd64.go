//go:build !noasm && !purego

package kernel

import "unsafe"

// Prefetch tells the processor to load x into its caches. It is a hint that the processor may
// ignore.
func Prefetch(x []float64) {
	if len(x) > 0 {
		prefetchLines(&x[0], 64, 8*len(x))
	}
}

// PrefetchItem is Prefetch for the structure *x.
func PrefetchItem[T any](x *T) {
	prefetchLines((*float64)(unsafe.Pointer(x)), 64, int(unsafe.Sizeof(*x)))
}

// PrefetchDown is Prefetch from the last cache line to the first. If several slices are
// fetched in the order of falling addresses, processors predict the next ones.
func PrefetchDown(x []float64) {
	if len(x) > 0 {
		prefetchLines(&x[len(x)-1], -64, 8*len(x))
	}
}

// prefetchLines prefetches the cache lines of 64 bytes at p, p + step and so on, as many as
// hold the given number of bytes, which is positive.
//
//go:noescape
func prefetchLines(p *float64, step, bytes int)
