package rung_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// TestNilContext: a context that is nil is a named panic wherever one is taken, and no fault of the runtime in the middle.
func TestNilContext(t *testing.T) {
	var none context.Context
	m, err := bench.Generate("ladder", 10, 1)
	require.NoError(t, err)
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	d := motion.NewDynamics(p)
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	run := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{}), p.Initial(), sim.Options{Projector: d})
	ode := sim.NewODE(1, func(dy, y []float64, _ float64) error { copy(dy, y); return nil }, sim.DormandPrince())
	for name, f := range map[string]func(){
		"rung.NewPlanContext":     func() { _, _ = rung.NewPlanContext(none, m, rung.Options{}) },
		"mechanism.NewContext":    func() { _, _ = mechanism.NewContext(none, m) },
		"model.LinkContext":       func() { _, _ = model.LinkContext(none, m) },
		"Solver.ReportContext":    func() { _, _ = s.ReportContext(none) },
		"Simulation.RunContext":   func() { _ = run.RunContext(none, 1) },
		"ODE.Fixed":               func() { _ = ode.Fixed(none, []float64{1}, 0, 1, 0.1) },
		"ODE.Within":              func() { _ = ode.Within(none, []float64{1}, 0, 1, 1e-3) },
		"Closer.Watch":            func() { closing.NewCloser(p, closing.Options{}).Watch(none) },
		"fik.RiccatiContext":      func() { _, _, _ = fik.RiccatiContext(none, fik.NewDense(1, 1, []float64{1}), fik.RiccatiOptions{}) },
		"mobility.CompareContext": func() { _, _ = mobility.CompareContext(none, p, p.Initial()) },
	} {
		require.PanicsWithValue(t, "rung: nil context", f, name)
	}
}
