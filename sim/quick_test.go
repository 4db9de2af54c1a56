package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/sim"
)

// TestQuick: where rows turn much in a step, as those of cams do, quick steps take less than half of the corrections, and are as good
// as steps that are solved to rounding. A run continues from a checkpoint with the same bits, and settings tell quick steps apart.
func TestQuick(t *testing.T) {
	const (
		until = 0.1
		tol   = 1e-3
	)
	m, err := bench.Generate("cam-train", 4, 1)
	require.NoError(t, err)
	r := newImplicit(t, m)
	reference := sim.New(r.mech, r.rungeKutta(sim.DormandPrince(), 1e-10), r.mech.Initial(), sim.Options{Projector: r.proj})
	require.NoError(t, reference.Run(until))
	run := func(quick bool) (*sim.GeneralizedAlpha, *sim.Simulation) {
		k := r.alpha(sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Relative: tol}, Quick: quick})
		return k, sim.New(r.mech, k, r.mech.Initial(), sim.Options{Projector: r.proj})
	}
	slow, exact := run(false)
	require.NoError(t, exact.Run(until))
	fast, quick := run(true)
	require.NoError(t, quick.Run(until))
	t.Logf("%d corrections and %d steps, quick %d and %d", slow.Evaluations(), exact.Stats().Steps, fast.Evaluations(), quick.Stats().Steps)
	require.Less(t, 2*fast.Evaluations(), slow.Evaluations())
	off := poseDistance(exact.State(), reference.State())
	require.Less(t, poseDistance(quick.State(), reference.State()), 1.5*off)
	require.NotEqual(t, slow.Settings(), fast.Settings())

	_, half := run(true)
	require.NoError(t, half.Run(until/2))
	mark, err := half.Checkpoint()
	require.NoError(t, err)
	require.NoError(t, half.Run(until))
	_, again := run(true)
	require.NoError(t, again.Restore(mark))
	require.NoError(t, again.Run(until))
	require.Equal(t, half.State(), again.State())
}

// TestEven: up to the end of each Run steps under error control are equally long, no longer than else, and the last one is no rest.
func TestEven(t *testing.T) {
	r := golden(t, "four-bar")
	var lengths []float64
	last := 0.0
	o := sim.Options{Projector: r.proj, MaxStep: 1e-3, Even: true, OnStep: func(s *sim.Simulation) error {
		lengths = append(lengths, s.State().Time-last)
		last = s.State().Time
		return nil
	}}
	s := r.simulate(sim.DormandPrince(), 1e-6, o)
	last = s.State().Time
	begin := last
	for k := range 20 {
		lengths = lengths[:0]
		until := begin + float64(k+1)*2.3e-3
		require.NoError(t, s.Run(until))
		require.Equal(t, until, s.State().Time)
		if k < 5 { // the first steps are short
			continue
		}
		require.Len(t, lengths, 3)
		for _, h := range lengths {
			require.InDelta(t, 2.3e-3/3, h, 1e-12)
		}
	}
	even := func(o sim.Options) string {
		mark, err := r.simulate(sim.DormandPrince(), 1e-6, o).Checkpoint()
		require.NoError(t, err)
		return mark.Options
	}
	require.NotEqual(t, even(sim.Options{Projector: r.proj}), even(sim.Options{Projector: r.proj, Even: true}))
}
