package halt

import (
	"context"
	"sync/atomic"
)

// Flag is raised when a context ends. A loop that may take more than some milliseconds looks at it and returns; the
// caller of the loop drops what it has done. A nil Flag is never raised.
type Flag struct{ up atomic.Bool }

// Watch returns the flag of ctx and a function that ends the watch. The flag is nil for a context that cannot end.
//
// Cost: none for such a context, else two allocations.
func Watch(ctx context.Context) (f *Flag, end func()) {
	if ctx.Done() == nil {
		return nil, never
	}
	f = &Flag{}
	if ctx.Err() != nil {
		f.up.Store(true)
		return f, never
	}
	stop := context.AfterFunc(ctx, func() { f.up.Store(true) })
	return f, func() { stop() }
}

// Up reports whether the context has ended.
//
// Cost: a load.
func (f *Flag) Up() bool { return f != nil && f.up.Load() }

// Every reports in each 256th round of a loop whether the context has ended: i is the loop's counter.
func (f *Flag) Every(i int) bool { return i&255 == 0 && f.Up() }

func never() {}
