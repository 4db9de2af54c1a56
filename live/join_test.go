//rung:race
package live_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/live"
	"github.com/rung-mbd/rung/scene/view"
)

// TestJoin: a page of the same process gets frames that go on and statuses, and what it sends is done, until its context ends; a wrong
// message ends it with the reason, and a session that has ended takes none.
func TestJoin(t *testing.T) {
	m, err := bench.Scissor(2, 1)
	require.NoError(t, err)
	p := newPlay(t, m, live.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	messages, times, states := make(chan []byte), make(chan float64, 1000), make(chan status, 1000)
	joined := make(chan error)
	show := func(frame bool, b []byte) {
		if !frame {
			var s status
			if assert.NoError(t, json.Unmarshal(b, &s)) {
				states <- s
			}
			return
		}
		assert.Len(t, b, 8+view.FrameSize(p.mech.NumBodies()))
		times <- math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	go func() { joined <- p.session.Join(ctx, messages, show) }()
	messages <- []byte(`{"type": "look", "on": true}`)
	last := -1.0
	for range 5 {
		now := <-times
		require.GreaterOrEqual(t, now, last)
		last = now
	}
	assert.Positive(t, last)
	messages <- []byte(`{"type": "pause"}`)
	for s := range states {
		if !s.Running {
			assert.Equal(t, 1, s.Pages)
			break
		}
	}
	messages <- []byte(`{"type": "fly"}`)
	require.ErrorIs(t, <-joined, live.ErrMessage)

	ctx, leave := context.WithCancel(ctx)
	go func() { joined <- p.session.Join(ctx, messages, show) }()
	messages <- []byte(`{"type": "look"}`)
	leave()
	require.NoError(t, <-joined)
	p.end()
	within, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	require.ErrorContains(t, p.session.Join(within, messages, show), "has ended")
}
