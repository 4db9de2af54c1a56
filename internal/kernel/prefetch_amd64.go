//go:build !noasm && !purego

package kernel

// Prefetch asks for x to be brought into the caches. It changes nothing and may
// do nothing.
func Prefetch(x []float64) {
	if len(x) > 0 {
		prefetchLines(&x[0], 8*len(x))
	}
}

// PrefetchDown is Prefetch that asks for the last lines first: where several slices are
// fetched one below the other, processors foresee the next.
func PrefetchDown(x []float64) {
	if len(x) > 0 {
		prefetchLinesDown(&x[len(x)-1], 8*len(x))
	}
}

// prefetchLinesDown asks for the lines from p down; bytes is positive.
//
//go:noescape
func prefetchLinesDown(p *float64, bytes int)

// prefetchLines asks for the lines from p on; bytes is positive.
//
//go:noescape
func prefetchLines(p *float64, bytes int)
