package sim

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/team"
)

// Watcher is implemented by a Dynamics, a Projector or a Stepper that can be interrupted: after Watch, and until end is called, its
// methods return early with an error when ctx ends.
type Watcher interface {
	Watch(ctx context.Context) (end func())
}

// ending holds the context of a run, whose end ends the run.
type ending struct {
	ctx  context.Context
	halt team.Watch // watches ctx
}

// follow makes ctx the context of the run, and of all Watchers in the list. It returns a function that ends the watch.
func (e *ending) follow(ctx context.Context, all ...any) (end func()) {
	halt.Must(ctx)
	e.ctx = ctx
	if ctx.Done() == nil {
		return unwatched
	}
	ends := []func(){e.halt.Begin(ctx)}
	for _, w := range all {
		ends = append(ends, watchOf(ctx, w))
	}
	return func() {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i]()
		}
	}
}

func unwatched() {}

// ended reports whether the context has ended.
func (e *ending) ended() bool { return e.ctx.Err() != nil }

// orCause returns err, or, if the context has ended, the cause of the context with the time t.
func (e *ending) orCause(t float64, err error) error {
	if !e.ended() {
		return err
	}
	return fault.Errorf("sim: at t = %v: %w", t, context.Cause(e.ctx))
}

// watchOf makes w watch ctx, if w is a Watcher. It returns a function that ends the watch.
func watchOf(ctx context.Context, w any) (end func()) {
	if w, ok := w.(Watcher); ok {
		return w.Watch(ctx)
	}
	return unwatched
}

// watchBoth makes own, and w if it is a Watcher, watch ctx. It returns a function that ends both watches.
func watchBoth(ctx context.Context, own *team.Watch, w any) (end func()) {
	first, second := own.Begin(ctx), watchOf(ctx, w)
	return func() {
		second()
		first()
	}
}
