package kkt_test

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// stepCases are the models whose steps are watched.
var stepCases = []struct {
	family string
	n      int
}{{"ladder", 60}, {"nfourbar", 30}, {"random", 45}, {"grid", 6}}

// TestStepsDoNotAllocate covers Solve, its three parts, and the reading of
// results.
func TestStepsDoNotAllocate(t *testing.T) {
	models := map[string]*model.Model{"coupled": coupled(t, 24, 1)}
	for _, c := range stepCases {
		models[c.family] = generate(t, c.family, c.n, 1)
	}
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			p := newPlan(t, m, order.Auto)
			s, st := p.NewSolver(), p.Initial()
			require.NoError(t, s.Solve(st))
			a := make([]float64, 6*p.Mechanism().NumBodies())
			var lambda [6]float64
			for _, step := range []struct {
				name string
				run  func() error
			}{
				{"Solve", func() error { return s.Solve(st) }},
				{"Assemble", func() error { return s.Stages().Assemble(st) }},
				{"Factorize", func() error { return s.Stages().Factorize() }},
				{"Refine", func() error { return s.Stages().Refine() }},
				{"AccelerationsTo", func() error { s.AccelerationsTo(a); return nil }},
				{"MultipliersTo", func() error { s.Reactions().MultipliersTo(&lambda, 0); return nil }},
				{"wrenches", func() error { s.TotalWrench(0); s.ComAcceleration(0); return nil }},
			} {
				var err error
				n := testing.AllocsPerRun(10, func() {
					if e := step.run(); e != nil {
						err = e
					}
				})
				require.NoError(t, err, step.name)
				require.Zero(t, n, step.name)
			}
		})
	}
}

// TestPartsMakeSolve: the three parts one by one give the bits of Solve, also
// after a Report, which uses the same memory.
func TestPartsMakeSolve(t *testing.T) {
	for _, c := range stepCases {
		p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
		s, st := p.NewSolver(), p.Initial()
		require.NoError(t, s.Solve(st))
		want := bits(s, p)
		report(t, s)
		require.Equal(t, want, bits(s, p), "%s: accelerations after Report", c.family)
		require.NoError(t, s.Stages().Assemble(st))
		requireNoSolution(t, s)
		require.NoError(t, s.Stages().Factorize())
		requireNoSolution(t, s)
		require.NoError(t, s.Stages().Refine())
		require.Equal(t, want, bits(s, p), "%s: in parts", c.family)
		require.NoError(t, s.Solve(elsewhere(st)))
		require.NoError(t, s.Solve(st))
		require.Equal(t, want, bits(s, p), "%s: after another state", c.family)
	}
}

// elsewhere is a state with all velocities halved, which satisfies the joints
// without prescribed motions.
func elsewhere(st *mechanism.State) *mechanism.State {
	out := st.Clone()
	for i := range out.Bodies {
		b := &out.Bodies[i]
		b.Velocity, b.Omega = b.Velocity.Scale(0.5), b.Omega.Scale(0.5)
	}
	return out
}

// bits returns the accelerations bit by bit.
func bits(s *kkt.Solver, p *kkt.Plan) []uint64 {
	a := make([]float64, 6*p.Mechanism().NumBodies())
	s.AccelerationsTo(a)
	out := make([]uint64, len(a))
	for i, x := range a {
		out[i] = math.Float64bits(x)
	}
	return out
}

// TestSameBits: any GOMAXPROCS gives the same bits, results, Report and
// elimination order.
//
//rung:race
func TestSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range stepCases {
		var first []uint64
		var sequence []int32
		var result *rung.Result
		for _, procs := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(procs)
			p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
			s := p.NewSolver()
			require.NoError(t, s.Solve(p.Initial()))
			r, err := results.New(s)
			require.NoError(t, err)
			if first == nil {
				first, sequence, result = bits(s, p), p.Order(), r
				continue
			}
			require.Equal(t, first, bits(s, p), "%s: %d processors", c.family, procs)
			require.Equal(t, sequence, p.Order(), "%s: %d processors", c.family, procs)
			require.Equal(t, result, r, "%s: %d processors", c.family, procs)
		}
	}
}

// TestSharedPlan runs solvers of one plan at the same time, each on states of
// its own; every one gives the bits it gives alone.
//
//rung:race
func TestSharedPlan(t *testing.T) {
	for _, c := range check.Some(stepCases, 4) {
		p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
		states := []*mechanism.State{p.Initial(), elsewhere(p.Initial()), turnedState(p.Initial())}
		want := make([][]uint64, len(states))
		alone := p.NewSolver()
		for i, st := range states {
			if alone.Solve(st) == nil {
				want[i] = bits(alone, p)
			}
		}
		require.NotNil(t, want[0])
		var group sync.WaitGroup
		got := make([][][]uint64, 4)
		for g := range got {
			group.Go(func() {
				s := p.NewSolver()
				got[g] = make([][]uint64, len(states))
				for i := range states {
					i = (i + g) % len(states)
					if s.Solve(states[i]) != nil {
						continue
					}
					got[g][i] = bits(s, p)
					if _, err := s.Report(); err != nil {
						got[g][i] = nil
					}
				}
			})
		}
		group.Wait()
		for g := range got {
			require.Equal(t, want, got[g], "%s: goroutine %d", c.family, g)
		}
	}
}

// turnedState is st with all velocities reversed.
func turnedState(st *mechanism.State) *mechanism.State {
	out := st.Clone()
	for i := range out.Bodies {
		b := &out.Bodies[i]
		b.Velocity, b.Omega = b.Velocity.Neg(), b.Omega.Neg()
	}
	return out
}

// TestReversedTime: without dampers, accelerations are even in the velocities.
func TestReversedTime(t *testing.T) {
	for _, c := range stepCases {
		if c.family == "random" {
			continue // has dampers and motions
		}
		p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		want := bits(s, p)
		require.NoError(t, s.Solve(turnedState(p.Initial())))
		require.Equal(t, want, bits(s, p), "%s: products of two velocities keep every bit", c.family)
	}
}

// TestPlanIsACopy: what a Plan hands out may be changed.
func TestPlanIsACopy(t *testing.T) {
	p := newPlan(t, golden(t, "four-bar"), order.Auto)
	sequence, candidates := p.Order(), p.Candidates()
	require.NotEqual(t, order.Auto, p.Ordering())
	require.Len(t, sequence, 7)
	require.NotEmpty(t, candidates)
	chosen := false
	for _, c := range candidates {
		require.GreaterOrEqual(t, c.Counts.Flops, p.Counts().Flops, "auto takes the least work")
		chosen = chosen || c.Ordering == p.Ordering()
	}
	require.True(t, chosen)
	sequence[0], candidates[0].Ordering = -1, 99
	require.NotEqual(t, sequence, p.Order())
	require.NotEqual(t, candidates, p.Candidates())
	p.Initial().Bodies[0].Position = spatial.Vec3{9, 9, 9}
	require.NotEqual(t, spatial.Vec3{9, 9, 9}, p.Initial().Bodies[0].Position)
}
