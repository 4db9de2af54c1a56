//go:build !noasm && !purego

package kernel

// Prefetch asks for x to be brought into the caches. It changes nothing and may
// do nothing.
func Prefetch(x []float64) {
	if len(x) > 0 {
		prefetchLines(&x[0], 8*len(x))
	}
}

// prefetchLines asks for the lines from p on; bytes is positive.
//
//go:noescape
func prefetchLines(p *float64, bytes int)
