package motion_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/tree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// motionTol is how far two runs of half a second may be apart, m
	// or rad: both follow the motion to methodTolerance a step.
	motionTol       = 1e-8
	methodTolerance = 1e-10
)

// run integrates a plan by a method for half a second.
func run(t *testing.T, p *kkt.Plan, m motion.Method) *mechanism.State {
	t.Helper()
	d, err := motion.New(p, m)
	require.NoError(t, err)
	mech := p.Mechanism()
	s := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: methodTolerance}), p.Initial(), sim.Options{Projector: d})
	require.NoError(t, s.Run(0.5), "%v", m)
	return s.State()
}

// TestMethodsMoveAlike: all methods give the same motion.
func TestMethodsMoveAlike(t *testing.T) {
	for _, name := range check.Some([]string{"four-bar", "ball-ladder-5", "stewart-6ups", "islands", "driven-mixed"}, 2) {
		p, err := rung.NewPlan(golden(t, name), rung.Options{})
		require.NoError(t, err)
		want := run(t, p, motion.Sparse)
		for _, m := range motion.Methods()[1:] {
			got := run(t, p, m)
			for i := range want.Bodies {
				a, b := &want.Bodies[i], &got.Bodies[i]
				assert.Less(t, a.Position.Sub(b.Position).Norm(), motionTol, "%s, %v", name, m)
				assert.Less(t, a.Rotation.Mul(b.Rotation.Conj()).Log().Norm(), motionTol, "%s, %v", name, m)
				assert.Less(t, a.Velocity.Sub(b.Velocity).Norm(), 10*motionTol, "%s, %v", name, m)
			}
		}
	}
}

// TestMethodNames: what String writes, ParseMethod reads, and nothing else.
func TestMethodNames(t *testing.T) {
	for _, m := range motion.Methods() {
		got, err := motion.ParseMethod(m.String())
		require.NoError(t, err)
		assert.Equal(t, m, got)
		_, isTree := m.Tree()
		assert.Equal(t, strings.HasPrefix(m.String(), "tree-"), isTree)
	}
	method, _ := motion.TreeProjection.Tree()
	assert.Equal(t, tree.Projection, method)
	for _, name := range []string{"", "tree", "tree-", "tree-aba", "direct"} {
		_, err := motion.ParseMethod(name)
		require.ErrorContains(t, err, "motion: no such method: ")
	}
	assert.Equal(t, "Method(9)", motion.Method(9).String())
}

// TestTreeRefuses: matrices that are too large are not allocated, and there is no tree method called sparse.
func TestTreeRefuses(t *testing.T) {
	check.Long(t)
	m, err := bench.Generate("chain", 30000, 1)
	require.NoError(t, err)
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	_, err = motion.New(p, motion.TreeDirect)
	require.ErrorIs(t, err, tree.ErrMemory)
	require.EqualError(t, err, "motion: tree-direct: too much memory for 30000 bodies: the matrix takes 7.2 GB, more than 4.29 GB: take the sparse method")
	require.PanicsWithValue(t, "motion: no tree method", func() { _, _ = motion.NewTreeSolver(p.Mechanism(), motion.Sparse) })
}

// TestTreeNearness: a tree method tells as much of singular poses as the sparse one.
func TestTreeNearness(t *testing.T) {
	p, err := rung.NewPlan(golden(t, "four-bar"), rung.Options{})
	require.NoError(t, err)
	a, st := make([]float64, 6*p.Mechanism().NumBodies()), p.Initial()
	sparse := motion.NewDynamics(p)
	require.NoError(t, sparse.Accelerations(a, st))
	d, err := motion.New(p, motion.TreeLambda)
	require.NoError(t, err)
	require.NoError(t, d.Accelerations(a, st))
	near, redundant := sparse.Nearness()
	gotNear, gotRedundant := d.Nearness()
	assert.Equal(t, near, gotNear)
	assert.Equal(t, redundant, gotRedundant)
	require.PanicsWithValue(t, "motion: length mismatch", func() { _ = d.Accelerations(a[1:], st) })
}

// TestAccelerateByMethods: all methods explain a state alike.
func TestAccelerateByMethods(t *testing.T) {
	p, err := rung.NewPlan(golden(t, "four-bar"), rung.Options{})
	require.NoError(t, err)
	want, err := compare.Accelerate(p, motion.Sparse, p.Initial())
	require.NoError(t, err)
	require.Nil(t, want.Contradiction)
	for _, m := range motion.Methods()[1:] {
		r, err := compare.Accelerate(p, m, p.Initial())
		require.NoError(t, err)
		assert.Equal(t, m.String(), r.Method)
		assert.Equal(t, want.Constraints.Rank, r.Constraints.Rank)
		assert.Nil(t, r.RankDiffers)
		assert.Nil(t, r.IllScaled)
		for i := range want.Bodies {
			assert.InDelta(t, 0, want.Bodies[i].ComAcceleration.Sub(r.Bodies[i].ComAcceleration).Norm(), 1e-9*math.Max(1, want.Bodies[i].ComAcceleration.Norm()))
		}
	}
}

// Every method can move a mechanism: here a pendulum of two links, by the sparse method and by one on a spanning tree.
func ExampleNew() {
	m, _ := bench.Generate("chain", 2, 1)
	p, _ := rung.NewPlan(m, rung.Options{})
	mech := p.Mechanism()
	for _, method := range []motion.Method{motion.Sparse, motion.TreeDirect} {
		d, err := motion.New(p, method)
		if err != nil {
			panic(err)
		}
		s := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-10}), p.Initial(), sim.Options{Projector: d})
		if err := s.Run(0.1); err != nil {
			panic(err)
		}
		fmt.Printf("%-12v %.4f\n", method, s.State().Bodies[1].Position)
	}
	// Output:
	// sparse       [0.0031 0.0009 -0.4596]
	// tree-direct  [0.0031 0.0009 -0.4596]
}
