package rung_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestZeroValues: methods of zero values and nil pointers say what to use instead.
func TestZeroValues(t *testing.T) {
	p := newPlan(t, golden(t, "four-bar"), order.Auto)
	st := p.Initial()
	for text, calls := range map[string][]func(){
		"rung: zero Solver; use Plan.NewSolver": {
			func() { _ = new(rung.Solver).Solve(st) }, func() { _ = (*rung.Solver)(nil).Solve(st) },
			func() { _ = new(rung.Solver).Assemble(st) }, func() { _ = new(rung.Solver).Factorize() },
			func() { _ = new(rung.Solver).Refine() }, func() { _, _ = new(rung.Solver).Report() },
		},
		"rung: no solution": {
			func() { new(rung.Solver).AngularAcceleration(0) }, func() { (*rung.Solver)(nil).AccelerationsTo(nil) },
			func() { new(rung.Inverse).Forces() },
		},
		"rung: zero Plan; use NewPlan": {
			func() { new(rung.Plan).NewSolver() }, func() { (*rung.Plan)(nil).NewCloser(rung.CloserOptions{}) },
			func() { rung.NewDynamics(nil) }, func() { rung.NewNewton(new(rung.Plan)) }, func() { new(rung.Plan).Initial() },
			func() { new(rung.Plan).Order() }, func() { _, _ = new(rung.Plan).Nearby(st) },
		},
		"rung: zero Closer; use Plan.NewCloser": {
			func() { _ = new(rung.Closer).ClosePositions(st) }, func() { _ = new(rung.Closer).ProjectVelocities(st) },
			func() { (*rung.Closer)(nil).Closing() },
		},
		"rung: zero Dynamics; use NewDynamics": {
			func() { _ = new(rung.Dynamics).Accelerations(nil, st) }, func() { (*rung.Dynamics)(nil).Solver() },
		},
		"rung: zero Newton; use NewNewton":        {func() { _ = new(rung.Newton).Soften(nil, st) }},
		"rung: zero Inverse; use Plan.NewInverse": {func() { _ = new(rung.Inverse).Solve(st, nil) }},
		"rung: zero Builder; use NewBuilder": {
			func() { new(rung.Builder).Gravity(0, 0, 0) }, func() { _, _ = (*rung.Builder)(nil).Model() },
			func() { new(rung.Builder).Rod("rod", 1, 1, spatial.Vec3{}, spatial.Vec3{1}) },
		},
		"rung: no state": {
			func() { _ = p.NewSolver().Solve(nil) }, func() { _ = p.NewCloser(rung.CloserOptions{}).ClosePositions(nil) },
			func() { _ = rung.NewDynamics(p).Accelerations(nil, nil) }, func() { _ = rung.NewNewton(p).Soften(nil, nil) },
			func() { rung.SetState(model.New(""), nil) }, func() { _, _ = p.RedundantRows(nil) },
		},
		"rung: no model":     {func() { rung.SetState(nil, st) }, func() { p.Renumbered(nil) }},
		"rung: no mechanism": {func() { rung.PlanMechanism(nil, rung.Options{}) }, func() { p.Replan(nil) }},
		"rung: number of threads out of range": {
			func() { rung.PlanMechanism(p.Mechanism(), rung.Options{Threads: rung.MaxThreads + 1}) },
		},
	} {
		for _, call := range calls {
			require.PanicsWithValue(t, text, call)
		}
	}
}

// TestTwoGoroutines: objects that belong to one goroutine panic where two use them at the same time,
// with several workers too, where one used to wait for ever; and serve again afterwards.
func TestTwoGoroutines(t *testing.T) {
	for _, threads := range []int{1, 2} {
		p, err := rung.NewPlan(golden(t, "ball-ladder-50"), rung.Options{Threads: threads})
		require.NoError(t, err)
		s, c := p.NewSolver(), p.NewCloser(rung.CloserOptions{})
		for text, use := range map[string]func(*mechanism.State) error{
			"rung: Solver used by two goroutines": s.Solve,
			"rung: Closer used by two goroutines": c.ProjectVelocities,
		} {
			require.Equal(t, text, misuse(use, p.Initial))
			require.NoError(t, use(p.Initial()))
		}
	}
}

// misuse has goroutines call use until one panics, and returns with what.
func misuse(use func(*mechanism.State) error, state func() *mechanism.State) any {
	var said atomic.Value
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					said.CompareAndSwap(nil, r)
				}
			}()
			for st := state(); said.Load() == nil; {
				_ = use(st)
			}
		})
	}
	all.Wait()
	return said.Load()
}
