package view

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
)

// A request that has ended is an error with its cause. It is no report of a state without a solution, and no reactions that are not
// numbers.
func TestEnded(t *testing.T) {
	m, err := bench.Scissor(3, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	v, err := NewViewer(scene.New(mech, scene.Options{}), mech.Initial(), "", Options{Plan: kkt.NewPlan(mech, kkt.Options{})})
	require.NoError(t, err)
	ctx, end := context.WithCancel(t.Context())
	r, err := v.reportOf(ctx, 0)
	require.NoError(t, err)
	require.Empty(t, r.Error)
	_, err = v.reactions(ctx, 0)
	require.NoError(t, err)
	end()
	_, err = v.reportOf(ctx, 0)
	require.ErrorIs(t, err, context.Canceled)
	_, err = v.reactions(ctx, 0)
	require.ErrorIs(t, err, context.Canceled)
}
