package factor

import (
	"context"

	"github.com/rung-mbd/rung/internal/halt"
)

// watched is what a workspace knows of the context of its caller.
type watched struct {
	ctx  context.Context
	stop *halt.Flag // nil if the context cannot end
}

// Watch makes the workspace end early when ctx does, until end is called: what factors and solves then returns within some
// milliseconds, with the cause for which ctx has ended where it returns an error, and leaves no factor and no solution.
// Where it returns none, ask ctx. The memory of the workspace serves the next factorization as before.
//
// Cost: none for a context that cannot end; else a few allocations.
func (w *watched) Watch(ctx context.Context) (end func()) {
	var unwatch func()
	before := *w
	w.ctx = ctx
	w.stop, unwatch = halt.Watch(ctx)
	return func() {
		unwatch()
		*w = before
	}
}

// cause returns the error of a workspace that has stopped early.
func (w *watched) cause() error { return context.Cause(w.ctx) }
