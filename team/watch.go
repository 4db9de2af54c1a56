package team

import (
	"context"

	"github.com/rung-mbd/rung/internal/halt"
)

// Watch is a context with which workspaces stop early. The zero value and nil have none.
type Watch struct {
	ctx  context.Context
	stop *halt.Flag // nil if the context cannot end
}

// Begin makes the workspaces that heed w end early when ctx does, until end is called. Factorizations and solves then return within some
// milliseconds, and leave no factor and no solution. Methods that return an error return Err; after others, ask Err. The memory serves the
// next factorization as before. Calls may be nested.
//
// Cost: none for a context that cannot end; else a few allocations.
func (w *Watch) Begin(ctx context.Context) (end func()) {
	halt.Must(ctx)
	if ctx.Done() == nil {
		return func() {}
	}
	before := *w
	if outer := before.ctx; outer != nil { // the end of either counts
		both, cancel := context.WithCancelCause(ctx)
		release := context.AfterFunc(outer, func() { cancel(context.Cause(outer)) })
		inner := w.watch(both)
		return func() {
			inner()
			release()
			cancel(nil)
			*w = before
		}
	}
	inner := w.watch(ctx)
	return func() {
		inner()
		*w = before
	}
}

// watch sets the context of w, and returns the function that gives up its flag.
func (w *Watch) watch(ctx context.Context) (end func()) {
	w.ctx = ctx
	w.stop, end = halt.FlagOf(ctx)
	return end
}

// Err returns the cause for which the context has ended, or nil.
func (w *Watch) Err() error {
	if w == nil || w.ctx == nil || w.ctx.Err() == nil {
		return nil
	}
	return context.Cause(w.ctx)
}

// Context returns the context that is watched, one without end if there is none.
func (w *Watch) Context() context.Context {
	if w == nil || w.ctx == nil {
		return context.Background()
	}
	return w.ctx
}

// Up reports whether the context has ended.
//
// Cost: a load.
func (w *Watch) Up() bool { return w != nil && w.stop.Up() }

// Every is Up in each 256th round of a loop, and false in the others: i is the loop's counter. A loop of few rounds
// does not look.
func (w *Watch) Every(i int) bool { return i&255 == 255 && w.look() }

// look is Up, not inlined, so that Every is.
//
//go:noinline
func (w *Watch) look() bool { return w.Up() }
