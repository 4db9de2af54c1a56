//rung:race
package desk_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rungwasm/internal/desk"
	"github.com/rung-mbd/rung/door"
)

func fourBar(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/four-bar.model.json")
	require.NoError(t, err)
	return string(text)
}

// patience is how long a test waits for what comes within some frames on a machine that is not busy.
const patience = 20 * time.Second

// heard is a page that keeps the times at which frames came, and why the desk has ended.
func heard() (p desk.Page, frames chan struct{}, ended chan error) {
	frames, ended = make(chan struct{}, 1000), make(chan error, 1)
	return desk.Page{
		Frame: func([]byte) {
			select {
			case frames <- struct{}{}:
			default:
			}
		},
		Status: func([]byte) {},
		Ended:  func(err error) { ended <- err },
	}, frames, ended
}

func wait[T any](t *testing.T, c chan T) T {
	t.Helper()
	select {
	case x := <-c:
		return x
	case <-time.After(patience):
		require.Fail(t, "nothing comes")
		panic("not reached")
	}
}

// report is what the tests read of rung-result/1.
type report struct {
	Time        float64
	Constraints struct{ Mobility, Redundant int }
}

func reportOf(t *testing.T, d *desk.Desk) (r report) {
	t.Helper()
	text, err := d.Document(context.Background(), "accel", nil)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

// TestDesk: a model moves when the page looks, and its report and its numbers are those of the present pose; a wrong message ends it.
func TestDesk(t *testing.T) {
	p, frames, ended := heard()
	d, err := desk.Open(context.Background(), "model", []byte(fourBar(t)), nil, p)
	require.NoError(t, err)
	defer d.Close()
	assert.False(t, d.Closed())
	first := reportOf(t, d)
	assert.Zero(t, first.Time)
	assert.Equal(t, 1, first.Constraints.Mobility)
	assert.Equal(t, 3, first.Constraints.Redundant)
	was, err := d.Get(context.Background(), "frame?row=0")
	require.NoError(t, err)
	d.Send([]byte(`{"type": "look", "on": true}`))
	for range 3 {
		wait(t, frames)
	}
	assert.Positive(t, reportOf(t, d).Time)
	now, err := d.Get(context.Background(), "frame?row=0")
	require.NoError(t, err)
	assert.NotEqual(t, was, now)
	head, err := d.Get(context.Background(), "scene.json")
	require.NoError(t, err)
	assert.Contains(t, string(head), `"live":{`)
	_, err = d.Get(context.Background(), "secrets")
	assert.Equal(t, door.Failed, door.StatusOf(err))
	d.Send([]byte(`{"type": "fly"}`))
	require.ErrorContains(t, wait(t, ended), `there is no "fly"`)
	d.Send([]byte(`{"type": "run"}`)) // does nothing
}

// TestDeskRefuses: errors of texts have their places, and a start that violates the joints is closed and said to be.
func TestDeskRefuses(t *testing.T) {
	p, _, _ := heard()
	_, err := desk.Open(context.Background(), "model", []byte(strings.Replace(fourBar(t), `"mass": 1`, `"mass": -1`, 1)), nil, p)
	assert.Equal(t, door.Input, door.StatusOf(err))
	assert.Contains(t, string(door.Details(err)), `"path":"$.bodies[0].mass"`)

	const place = `"position": [2, 0, 0], "orientation": [0.89442719`
	open := strings.Replace(fourBar(t), place, strings.Replace(place, "2,", "2.01,", 1), 1)
	require.NotEqual(t, fourBar(t), open)
	rounded := strings.Replace(fourBar(t), place, strings.Replace(place, "2,", "2.00000001,", 1), 1)
	for text, violated := range map[string]bool{open: true, rounded: false} {
		d, err := desk.Open(context.Background(), "model", []byte(text), nil, p)
		require.NoError(t, err)
		defer d.Close()
		assert.Equal(t, violated, d.Closed())
	}

	far := strings.Replace(fourBar(t), `"predecessor_frame": {"position": [2, 0, 0]`, `"predecessor_frame": {"position": [20, 0, 0]`, 1)
	require.NotEqual(t, fourBar(t), far)
	_, err = desk.Open(context.Background(), "model", []byte(far), nil, p)
	assert.Equal(t, door.Failed, door.StatusOf(err))
}
