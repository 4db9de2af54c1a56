package halt

import (
	"context"
	"sync/atomic"
)

// Flag is raised when a context ends. A loop that may take more than some milliseconds looks at it and returns; the
// caller of the loop drops what it has done. A nil Flag is never raised.
type Flag struct {
	state uint32      // atomic: a plain word keeps Up short enough to be inlined
	look  func() bool // of WithLook
}

// States of a Flag.
const (
	down   uint32 = iota
	raised        // the context has ended
	asked         // ask look
)

// FlagOf returns the flag of ctx and a function that ends the watch. The flag is nil for a context that cannot end.
//
// Cost: none for such a context, else some allocations.
func FlagOf(ctx context.Context) (_ *Flag, end func()) {
	Must(ctx)
	if ctx.Done() == nil {
		return nil, never
	}
	f := &Flag{} // not a result, which would move to the heap for the closure in any case
	if look, ok := ctx.Value(lookKey{}).(func() bool); ok {
		f.look = look
		atomic.StoreUint32(&f.state, asked)
		return f, never
	}
	if ctx.Err() != nil {
		atomic.StoreUint32(&f.state, raised)
		return f, never
	}
	stop := context.AfterFunc(ctx, func() { atomic.StoreUint32(&f.state, raised) })
	return f, func() { stop() }
}

// Up reports whether the context has ended.
//
// Cost: a load.
func (f *Flag) Up() bool { return f != nil && atomic.LoadUint32(&f.state) != down && f.ended() }

// ended is Up for a flag that is not down. Inlined it would keep Up from being so.
//
//go:noinline
func (f *Flag) ended() bool { return atomic.LoadUint32(&f.state) == raised || f.look() }

// Every is Up in each 256th round of a loop, and false in the others: i is the loop's counter. A loop of few rounds
// does not look.
func (f *Flag) Every(i int) bool { return i&255 == 255 && f.Up() }

// Must panics if ctx is nil: at the head of what is given a context from outside.
func Must(ctx context.Context) {
	if ctx == nil {
		panic("rung: nil context")
	}
}

type lookKey struct{}

// WithLook returns a context like ctx, whose flags call look wherever they are looked at. look returns true if ctx has
// ended, which it may do itself. So a test ends a context at a certain look, or measures the time between looks. look may
// be called on several goroutines at the same time.
func WithLook(ctx context.Context, look func() bool) context.Context {
	return context.WithValue(ctx, lookKey{}, look)
}

func never() {}
