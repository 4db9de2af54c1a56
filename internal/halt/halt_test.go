//rung:race
package halt_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/internal/halt"
)

// TestFlag: a flag goes up with its context, stays down when the watch
// has ended before, and is nil for a context without end.
func TestFlag(t *testing.T) {
	f, end := halt.FlagOf(context.Background())
	assert.Nil(t, f)
	assert.False(t, f.Up())
	end()

	ctx, cancel := context.WithCancel(context.Background())
	f, end = halt.FlagOf(ctx)
	defer end()
	g, endG := halt.FlagOf(ctx)
	assert.False(t, f.Up())
	endG()
	cancel()
	assert.Eventually(t, f.Up, 5*time.Second, time.Microsecond)
	assert.True(t, f.Every(511))
	assert.False(t, f.Every(512), "not looked at")
	assert.False(t, g.Up())

	f, end = halt.FlagOf(ctx)
	defer end()
	assert.True(t, f.Up(), "ended before")
}
