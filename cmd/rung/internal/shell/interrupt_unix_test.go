//go:build unix

package shell

import (
	"bytes"
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterruptible: the first signal ends the context. The process ends around a command that goes on for longer than grace, and around
// one that has Kept at the second signal. Cases that wait for grace to pass have little of it, the others more than a slow machine takes.
func TestInterruptible(t *testing.T) {
	const (
		status = 7
		little = 10 * time.Millisecond
		much   = time.Minute
	)
	interrupt := func() { require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGINT)) }
	for name, c := range map[string]struct {
		exits   bool
		grace   time.Duration
		execute func(ctx context.Context, exited <-chan struct{})
	}{
		"returns": {false, much, func(ctx context.Context, _ <-chan struct{}) {
			interrupt()
			<-ctx.Done()
			assert.ErrorIs(t, Interrupted(ctx), ErrInterrupted)
		}},
		"goes on": {true, little, func(_ context.Context, exited <-chan struct{}) {
			interrupt()
			<-exited
		}},
		"keeps": {false, little, func(ctx context.Context, _ <-chan struct{}) {
			Keep(ctx) // until it has returned
			interrupt()
			<-ctx.Done()
			time.Sleep(3 * little)
		}},
		"keeps for too long": {true, much, func(ctx context.Context, exited <-chan struct{}) {
			defer Keep(ctx)()
			interrupt()
			<-ctx.Done()
			interrupt()
			<-exited
		}},
		"no signal": {false, much, func(ctx context.Context, _ <-chan struct{}) {
			Keep(ctx)()
			assert.NoError(t, Interrupted(ctx))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			var exits atomic.Int32
			exited := make(chan struct{})
			got := interruptible(c.grace, &stderr, func(ctx context.Context) int {
				c.execute(ctx, exited)
				return status
			}, func() {
				exits.Add(1)
				close(exited)
			})
			assert.Equal(t, status, got)
			if !c.exits {
				assert.Zero(t, exits.Load())
				return
			}
			assert.EqualValues(t, 1, exits.Load())
			assert.Equal(t, "rung: interrupted\n", stderr.String())
		})
	}
}
