package rung_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/spatial"
)

// TestZeroValues: methods of zero values and nil pointers say what to use instead.
func TestZeroValues(t *testing.T) {
	p := newPlan(t, golden(t, "four-bar"), order.Auto)
	st := p.Initial()
	for text, calls := range map[string][]func(){
		"kkt: zero Solver; use Plan.NewSolver": {
			func() { _ = new(kkt.Solver).Solve(st) }, func() { _ = (*kkt.Solver)(nil).Solve(st) },
			func() { _ = new(kkt.Solver).Stages().Assemble(st) }, func() { _ = new(kkt.Solver).Stages().Factorize() },
			func() { _ = new(kkt.Solver).Stages().Refine() }, func() { _, _ = new(kkt.Solver).Report() },
		},
		"kkt: no solution": {
			func() { new(kkt.Solver).AngularAcceleration(0) }, func() { (*kkt.Solver)(nil).AccelerationsTo(nil) },
			func() { new(kkt.Inverse).Forces() },
		},
		"kkt: zero Plan; use NewPlan": {
			func() { new(kkt.Plan).NewSolver() }, func() { closing.NewCloser(nil, closing.Options{}) },
			func() { motion.NewDynamics(nil) }, func() { motion.NewNewton(new(kkt.Plan)) }, func() { new(kkt.Plan).Initial() },
			func() { new(kkt.Plan).Order() }, func() { _, _ = mobility.Compare(new(kkt.Plan), st) },
		},
		"closing: zero Closer; use NewCloser": {
			func() { _ = new(closing.Closer).ClosePositions(st) }, func() { _ = new(closing.Closer).ProjectVelocities(st) },
			func() { (*closing.Closer)(nil).Closing() },
		},
		"motion: zero Dynamics; use NewDynamics": {
			func() { _ = new(motion.Dynamics).Accelerations(nil, st) }, func() { (*motion.Dynamics)(nil).Solver() },
		},
		"motion: zero Newton; use NewNewton":     {func() { _ = new(motion.Newton).Soften(nil, st) }},
		"kkt: zero Inverse; use Plan.NewInverse": {func() { _ = new(kkt.Inverse).Solve(st, nil) }},
		"build: zero Builder; use New": {
			func() { new(rung.Builder).Gravity(0, 0, 0) }, func() { _, _ = (*rung.Builder)(nil).Model() },
			func() { new(rung.Builder).Rod("rod", 1, 1, spatial.Vec3{}, spatial.Vec3{1}) },
		},
		"kkt: no state":     {func() { _ = p.NewSolver().Solve(nil) }, func() { _, _ = p.RedundantRows(nil) }},
		"closing: no state": {func() { _ = closing.NewCloser(p, closing.Options{}).ClosePositions(nil) }},
		"motion: no state": {
			func() { _ = motion.NewDynamics(p).Accelerations(nil, nil) }, func() { _ = motion.NewNewton(p).Soften(nil, nil) },
		},
		"mobility: no state": {func() { _, _ = mobility.Compare(p, nil) }},
		"rung: no state":     {func() { rung.SetState(model.New(""), p.Mechanism(), nil) }},
		"rung: no model":     {func() { rung.SetState(nil, p.Mechanism(), st) }},
		"rung: no mechanism": {func() { rung.SetState(model.New(""), nil, st) }},
		"kkt: no model":      {func() { p.Renumbered(nil) }},
		"kkt: no mechanism":  {func() { kkt.NewPlan(nil, kkt.Options{}) }, func() { p.Replan(nil) }},
		"kkt: number of threads out of range": {
			func() { kkt.NewPlan(p.Mechanism(), kkt.Options{Threads: kkt.MaxThreads + 1}) },
		},
	} {
		for _, call := range calls {
			require.PanicsWithValue(t, text, call)
		}
	}
}

// TestTwoGoroutines: objects that belong to one goroutine panic where two use them at the same time,
// with several workers too, where one used to wait for ever; and serve again afterwards.
//
//rung:race
func TestTwoGoroutines(t *testing.T) {
	for _, threads := range []int{1, 2} {
		p, err := rung.NewPlan(golden(t, "ball-ladder-50"), kkt.Options{Threads: threads})
		require.NoError(t, err)
		s, c := p.NewSolver(), closing.NewCloser(p, closing.Options{})
		for text, use := range map[string]func(*mechanism.State) error{
			"kkt: Solver used by two goroutines":     s.Solve,
			"closing: Closer used by two goroutines": c.ProjectVelocities,
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
