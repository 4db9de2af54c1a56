package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrInterrupted is the error of a command that a signal has ended, SIGINT or SIGTERM, and the cause of its context then.
var ErrInterrupted = errors.New("interrupted")

// grace is the time after a signal until the process ends even if the command goes on. Most commands see the end of their
// context within some milliseconds. The others have nothing to keep: a file that is not complete is written under another name
// (package outfile).
const grace = 400 * time.Millisecond

// Interruptible calls execute, which returns an exit status, with a context that ends at the first signal to end the
// process. If execute has not returned after some time, or at a second signal, Interruptible prints that the command was
// interrupted and calls exit, which does not return. A command that has called Keep gets the time that it needs.
func Interruptible(stderr io.Writer, execute func(ctx context.Context) int, exit func()) int {
	return interruptible(grace, stderr, execute, exit)
}

// interruptible is Interruptible with another grace.
func interruptible(grace time.Duration, stderr io.Writer, execute func(ctx context.Context) int, exit func()) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	keeps := new(atomic.Int32)
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), keepKey{}, keeps))
	defer cancel(nil)
	ended := make(chan struct{})
	go func() {
		select {
		case <-signals:
		case <-ended:
			return
		}
		cancel(ErrInterrupted)
		wait := time.NewTimer(grace)
		for more := true; more; {
			select {
			case <-ended:
				return
			case <-signals:
				more = false
			case <-wait.C:
				more = keeps.Load() > 0
				wait.Reset(grace)
			}
		}
		if Terminal(stderr) {
			fmt.Fprintln(stderr) // below the bar
		}
		fmt.Fprintln(stderr, "rung: "+ErrInterrupted.Error())
		exit()
	}()
	defer close(ended)
	return execute(ctx)
}

type keepKey struct{}

// Keep tells Interruptible, until release is called, to wait for the command after a signal. It is for commands that have rows of a run or
// a checkpoint to write, and end by themselves soon after their context.
func Keep(ctx context.Context) (release func()) {
	keeps, _ := ctx.Value(keepKey{}).(*atomic.Int32)
	if keeps == nil {
		return func() {}
	}
	keeps.Add(1)
	return func() { keeps.Add(-1) }
}

// Interrupted returns ErrInterrupted if ctx has ended by a signal, else nil.
func Interrupted(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), ErrInterrupted) {
		return ErrInterrupted
	}
	return nil
}

// whyEnded returns ErrInterrupted in place of err if a signal has ended ctx and err says no more than that; else err.
func whyEnded(ctx context.Context, err error) error {
	if ended := Interrupted(ctx); ended != nil && (errors.Is(err, context.Canceled) || errors.Is(err, ErrInterrupted) && !errors.As(err, new(*Interruption))) {
		return ended
	}
	return err
}

// Interruption is ErrInterrupted with a text behind it about the work that has been kept.
type Interruption struct{ Text string }

// Error implements error.
func (i *Interruption) Error() string { return ErrInterrupted.Error() + i.Text }

// Unwrap returns ErrInterrupted.
func (i *Interruption) Unwrap() error { return ErrInterrupted }
