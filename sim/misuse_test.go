package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// TestMisuse: what the caller could know is a panic with a constant text.
func TestMisuse(t *testing.T) {
	model, err := bench.Generate("ladder", 6, 1)
	require.NoError(t, err)
	p, err := rung.NewPlan(model, rung.Options{})
	require.NoError(t, err)
	m, d := p.Mechanism(), motion.NewDynamics(p)
	runge := func(d sim.Dynamics) sim.Stepper { return sim.NewRungeKutta(m, d, sim.DormandPrince(), sim.Tolerance{}) }
	with := func(change func(o *sim.Options)) *sim.Simulation {
		o := sim.Options{Projector: d}
		change(&o)
		return sim.New(m, runge(d), p.Initial(), o)
	}
	stabilized := func(b *sim.Baumgarte) { _ = sim.New(m, runge(b), p.Initial(), sim.Options{Projector: d}).Run(1e-3) }
	s := with(func(*sim.Options) {})
	one := func(*mechanism.State) float64 { return 1 }
	const (
		event     = "sim: event without function, or direction out of range"
		tableau   = "sim: tableau without stages, or with lists of other lengths"
		baumgarte = "sim: stabilization without dynamics, or time out of range"
	)
	for _, x := range []struct {
		want string
		do   func()
	}{
		{"sim: no mechanism", func() { sim.NewRungeKutta(nil, d, sim.DormandPrince(), sim.Tolerance{}) }},
		{"sim: no dynamics", func() { sim.NewRungeKutta(m, nil, sim.DormandPrince(), sim.Tolerance{}) }},
		{tableau, func() { sim.NewRungeKutta(m, d, nil, sim.Tolerance{}) }},
		{tableau, func() { sim.NewRungeKutta(m, d, new(sim.Tableau), sim.Tolerance{}) }},
		{"sim: no mechanism", func() { sim.NewGeneralizedAlpha(nil, motion.NewNewton(p), sim.GeneralizedAlphaOptions{}) }},
		{"sim: no dynamics", func() { sim.NewGeneralizedAlpha(m, nil, sim.GeneralizedAlphaOptions{}) }},
		{"sim: event out of range", func() { s.Fired(0) }},
		{"sim: event out of range", func() { s.Fired(-1) }},
		{"sim: no checkpoint", func() { _ = s.Restore(nil) }},
		{event, func() { with(func(o *sim.Options) { o.Events = []sim.Event{{Name: "e"}} }) }},
		{event, func() { with(func(o *sim.Options) { o.Events = []sim.Event{{Function: one, Direction: 9}} }) }},
		{"sim: option out of range", func() { with(func(o *sim.Options) { o.EventSamples = -1 }) }},
		{"sim: option out of range", func() { with(func(o *sim.Options) { o.EventSamples = 1 << 30 }) }},
		{baumgarte, func() { stabilized(new(sim.Baumgarte)) }},
		{baumgarte, func() { stabilized(&sim.Baumgarte{Dynamics: d, Time: -1}) }},
		{baumgarte, func() { stabilized(&sim.Baumgarte{Dynamics: d, Time: math.NaN()}) }},
		{"sim: no mechanism", func() { sim.NewColumns(nil, nil) }},
		{"sim: no mechanism", func() { sim.NewContactColumns(nil) }},
		{"sim: no mechanism", func() { sim.NewCatalogue(nil, nil) }},
		{"sim: no mechanism", func() { sim.CableEvents(nil, nil) }},
		{"sim: no mechanism", func() { sim.ContactEvents(nil, nil) }},
		{"sim: no mechanism", func() { sim.NewStops(nil, nil, nil) }},
		{"sim: no source", func() { sim.NewColumns(m, nil).AddWrenches(nil, []int{0}) }},
		{"sim: no source", func() { sim.NewColumns(m, nil).AddMultipliers(nil, nil) }},
		{"sim: no rates", func() { sim.NewODE(1, nil, sim.DormandPrince()) }},
		{tableau, func() { sim.NewODE(1, func(_, _ []float64, _ float64) error { return nil }, nil) }},
		{"sim: no writer or no columns", func() { _, _ = sim.NewCSV(nil, nil) }},
	} {
		require.PanicsWithValue(t, x.want, x.do)
	}
}
