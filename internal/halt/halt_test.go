//rung:race
package halt_test

import (
	"context"
	"testing"
	"time"

	"github.com/rung-mbd/rung/internal/halt"
)

// TestFlag: a flag goes up with its context, stays down when the watch
// has ended before, and is nil for a context without end.
func TestFlag(t *testing.T) {
	is := func(want, got bool, what string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %t", what, got)
		}
	}
	f, end := halt.FlagOf(context.Background())
	is(true, f == nil, "no flag")
	is(false, f.Up(), "without end")
	end()

	ctx, cancel := context.WithCancel(context.Background())
	f, end = halt.FlagOf(ctx)
	defer end()
	g, endG := halt.FlagOf(ctx)
	is(false, f.Up(), "not yet")
	endG()
	cancel()
	for late := time.Now().Add(5 * time.Second); !f.Up() && time.Now().Before(late); {
		time.Sleep(time.Microsecond)
	}
	is(true, f.Up(), "ended")
	is(true, f.Every(511), "looked at")
	is(false, f.Every(512), "not looked at")
	is(false, g.Up(), "of a watch that has ended before")

	f, end = halt.FlagOf(ctx)
	defer end()
	is(true, f.Up(), "ended before")
}
