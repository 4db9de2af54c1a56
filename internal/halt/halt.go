package halt

import (
	"context"
	"sync/atomic"
)

// Flag is raised when a context ends. A loop that may take more than some milliseconds checks the flag and returns if it is raised;
// the caller of the loop discards the incomplete result. A nil Flag is never raised.
type Flag struct {
	state uint32      // read and written atomically; as a plain word it keeps Up short enough to be inlined
	look  func() bool // the function given to WithLook; nil without
}

// States of a Flag.
const (
	down   uint32 = iota
	raised        // the context has ended
	asked         // look tells whether the context has ended
)

// FlagOf returns a flag that is raised when ctx ends, and a function that detaches the flag from ctx. The flag is nil if ctx cannot
// end.
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

// ended is Up for a flag whose state is not down. It is not inlined, because Up could then not be inlined.
//
//go:noinline
func (f *Flag) ended() bool { return atomic.LoadUint32(&f.state) == raised || f.look() }

// Every returns Up in each 256th iteration of a loop, and false in the others; i is the loop's counter, from 0. A loop of fewer
// than 256 iterations never checks the flag.
func (f *Flag) Every(i int) bool { return i&255 == 255 && f.Up() }

// Must panics if ctx is nil. Exported functions with a context call it first.
func Must(ctx context.Context) {
	if ctx == nil {
		panic("rung: nil context")
	}
}

// lookKey is the key of the function look in a context of WithLook.
type lookKey struct{}

// WithLook returns a context like ctx. Each time a flag of it is checked, the flag calls look, which returns true if ctx has
// ended. look may also end ctx itself. A test can so end a context at a certain check, or measure the time between checks. look
// may be called on several goroutines at the same time.
func WithLook(ctx context.Context, look func() bool) context.Context {
	return context.WithValue(ctx, lookKey{}, look)
}

// never does nothing. It is the end function of a flag that is not attached to a context.
func never() {}
