package sim

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/team"
)

// Watcher is what a Dynamics, a Projector or a Stepper may be besides: after Watch, and until end is called, its methods
// return early with an error when ctx ends.
type Watcher interface {
	Watch(ctx context.Context) (end func())
}

// watch makes the run end with ctx, and returns what ends the watch.
func (s *Simulation) watch(ctx context.Context) (end func()) {
	halt.Must(ctx)
	s.ctx = ctx
	if ctx.Done() == nil {
		return unwatched
	}
	own, stepper, projector := s.halt.Begin(ctx), watchOf(ctx, s.stepper), watchOf(ctx, s.o.Projector)
	return func() {
		projector()
		stepper()
		own()
	}
}

func unwatched() {}

// ended reports whether the context of the run has ended.
func (s *Simulation) ended() bool { return s.ctx.Err() != nil }

// watchOf watches ctx if w can.
func watchOf(ctx context.Context, w any) (end func()) {
	if w, ok := w.(Watcher); ok {
		return w.Watch(ctx)
	}
	return unwatched
}

// orCause returns err, or, if the context of the run has ended, its cause with the time.
func (s *Simulation) orCause(err error) error {
	if !s.ended() {
		return err
	}
	return fault.Errorf("sim: at t = %v: %w", s.st.Time, context.Cause(s.ctx))
}

// Watch implements Watcher, for the dynamics too if they do.
func (k *RungeKutta) Watch(ctx context.Context) (end func()) { return watchBoth(ctx, &k.halt, k.dyn) }

// Watch implements Watcher, for the dynamics too if they do.
func (k *GeneralizedAlpha) Watch(ctx context.Context) (end func()) {
	return watchBoth(ctx, &k.halt, k.dyn)
}

// watchBoth makes own, and w if it can, watch ctx.
func watchBoth(ctx context.Context, own *team.Watch, w any) (end func()) {
	first, second := own.Begin(ctx), watchOf(ctx, w)
	return func() {
		second()
		first()
	}
}

// Watch implements Watcher if the dynamics do.
func (b *Baumgarte) Watch(ctx context.Context) (end func()) { return watchOf(ctx, b.Dynamics) }
