package derive

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// TestErrorsBeside: an error at the state a rounding away, next to a singular pose, has one of three meanings. If redundant rows contradict
// each other there, it says nothing; if accelerations are lost there, derivatives are in doubt; else it is an error of its own.
func TestErrorsBeside(t *testing.T) {
	m, err := bench.NFourBar(1, 1.57, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
	d := New(plan, m)
	require.NoError(t, d.At(plan.Initial()))
	near, _ := d.shaky()
	require.True(t, near && d.digits.near)
	before, _ := d.Acceleration(0)
	for _, c := range []struct{ fails, want error }{
		{nil, nil}, {kkt.ErrInconsistent, nil}, {ErrBreaksLoop, nil}, {ErrNotAllowed, nil},
		{kkt.ErrInaccurate, ErrDoubt}, {context.Canceled, context.Canceled}, {mechanism.ErrNotFinite, mechanism.ErrNotFinite},
	} {
		_, err := d.again(func(by other, moved bool) (float64, error) {
			return 0, by(func() error {
				if !moved || c.fails == nil {
					return nil
				}
				return fault.Errorf("derive: joint: %w", c.fails)
			})
		})
		if c.want == nil {
			assert.NoError(t, err, "%v", c.fails)
		} else {
			assert.ErrorIs(t, err, c.want, "%v", c.fails)
		}
		after, _ := d.Acceleration(0)
		assert.Equal(t, before, after, "the state is as it was")
	}
}
