package factor

import (
	"context"

	"github.com/rung-mbd/rung/internal/halt"
)

// Watch is a context that workspaces heed. The zero value watches none.
type Watch struct {
	ctx  context.Context
	stop *halt.Flag // nil if the context cannot end
}

// Begin makes the workspaces that heed w end early when ctx does, until end is called. What factors and solves returns within
// some milliseconds then, and leaves no factor and no solution. Where it has an error it returns Err; where it has none,
// ask Err. The memory serves the next factorization as before. Calls may be nested.
//
// Cost: none for a context that cannot end; else a few allocations.
func (w *Watch) Begin(ctx context.Context) (end func()) {
	if ctx.Done() == nil {
		return unwatched
	}
	before := *w
	var unwatch func()
	w.ctx = ctx
	w.stop, unwatch = halt.Watch(ctx)
	return func() {
		unwatch()
		*w = before
	}
}

func unwatched() {}

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

// up reports whether the context has ended, at the cost of a load.
func (w *Watch) up() bool { return w != nil && w.stop.Up() }

// heeds is the part of a workspace that ends early.
type heeds struct{ watch *Watch }

// Heed makes the workspace end early when the context ends that w watches; nil is for none.
func (h *heeds) Heed(w *Watch) { h.watch = w }

// Watched returns the watch that the workspace heeds, nil if there is none.
func (h *heeds) Watched() *Watch { return h.watch }
