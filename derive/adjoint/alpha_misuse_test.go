package adjoint_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// TestAlphaMisuse: what the caller could know panics.
func TestAlphaMisuse(t *testing.T) {
	m, err := bench.NFourBar(1, 0.4, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	panics := func(text string, f func()) {
		t.Helper()
		require.PanicsWithValue(t, "derive/adjoint: "+text, f)
	}
	panics("no end of a step", func() { adjoint.NewAlphaTape(mech, 15, nil) })
	tape := adjoint.NewAlphaTape(mech, 15, func(adjoint.Stand) sim.AlphaEnd { return sim.AlphaEnd{} })
	panics("a tape of steps that leave more than a state; use AddStep", func() { _ = tape.Add(mech.Initial()) })
	panics("a sweep takes a mechanism, a method and a field", func() { adjoint.NewAlphaSweep[int](mech, nil, nil) })
	panics("tangents take a mechanism, a method, a field and a number of directions", func() { adjoint.NewAlphaTangents[int](mech, nil, nil, 1) })
	panics("no accelerations of a step", func() { adjoint.NewRattleTape(mech, nil) })
	chord := adjoint.NewRattleTape(mech, func(adjoint.Stand) []float64 { return nil })
	panics("a tape of steps that leave more than a state; use AddStep", func() { _ = chord.Add(mech.Initial()) })
	panics("a sweep takes a mechanism and a field", func() { adjoint.NewRattleSweep[int](mech, nil) })
	panics("tangents take a mechanism, a field and a number of directions", func() { adjoint.NewRattleTangents[int](mech, nil, 1) })
	for _, tape := range []*adjoint.Tape{tape, chord, adjoint.NewTape(mech)} {
		panics("a tape without a step of RATTLE", func() { _ = new(adjoint.RattleSweep[int]).Run(context.Background(), tape, nil, nil) })
		panics("a tape without a step of RATTLE", func() { _ = new(adjoint.RattleTangents[int]).Run(context.Background(), tape, nil, nil, nil, nil) })
	}
	var s adjoint.AlphaSweep[int]
	for _, tape := range []*adjoint.Tape{tape, adjoint.NewTape(mech)} {
		panics("a tape without a step of generalized-alpha", func() { _ = s.Run(context.Background(), tape, nil, nil) })
	}
}
