package rung_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// composites are the models of reference/joints that have composite joints.
var composites = []string{"composite-prr-loop", "composite-rr-loop", "random-mix-8"}

// TestCompositeReference compares the sparse method with these models, under every ordering.
func TestCompositeReference(t *testing.T) {
	for _, name := range composites {
		m, err := rung.Open(check.Reference(t, "joints", name+".model.json"))
		require.NoError(t, err)
		e := check.ReadExpectedIn(t, "joints", name)
		for _, o := range orderings {
			t.Run(name+"/"+o.String(), func(t *testing.T) {
				p, err := rung.NewPlan(m, rung.Options{Ordering: o})
				require.NoError(t, err)
				s := p.NewSolver()
				require.NoError(t, s.Solve(p.Initial()))
				r, err := results.New(s)
				require.NoError(t, err)
				requireMachine(t, e, r)
				requireSecondRates(t, e, s)
			})
		}
	}
}

// sameTol is the difference of two solutions of one mechanism, relative to the largest acceleration; that of wrenches
// is a hundred times as large.
const sameTol = 1e-10

// requireSame compares two results: accelerations and wrenches, and ranks and uniqueness exactly.
func requireSame(t *testing.T, want, got *rung.Result, tol float64) {
	t.Helper()
	a, f := 1.0, 1.0
	for i := range want.Bodies {
		a = max(a, want.Bodies[i].ComAcceleration.Norm(), want.Bodies[i].AngularAcceleration.Norm())
	}
	for i := range want.Bodies {
		w, g := &want.Bodies[i], &got.Bodies[i]
		check.CloseVec(t, g.ComAcceleration[:], w.ComAcceleration[:], tol, a, "%s: acceleration", w.Name)
		check.CloseVec(t, g.AngularAcceleration[:], w.AngularAcceleration[:], tol, a, "%s: angular acceleration", w.Name)
	}
	for j := range want.Joints {
		f = max(f, spatial.Vec3(want.Joints[j].TotalWrench.Force).Norm(), spatial.Vec3(want.Joints[j].TotalWrench.Moment).Norm())
	}
	for j := range want.Joints {
		w, g := &want.Joints[j], &got.Joints[j]
		require.Equal(t, w.Undetermined, g.Undetermined, w.Name)
		require.Equal(t, w.WrenchUnique, g.WrenchUnique, w.Name)
		if w.WrenchUnique {
			check.CloseVec(t, g.TotalWrench.Force[:], w.TotalWrench.Force[:], 100*tol, f, "%s: force", w.Name)
			check.CloseVec(t, g.TotalWrench.Moment[:], w.TotalWrench.Moment[:], 100*tol, f, "%s: moment", w.Name)
		}
	}
	assert.Equal(t, [4]int{want.Constraints.Rows, want.Constraints.Rank, want.Constraints.Redundant, want.Constraints.Mobility},
		[4]int{got.Constraints.Rows, got.Constraints.Rank, got.Constraints.Redundant, got.Constraints.Mobility})
	check.Close(t, got.Energy.Kinetic, want.Energy.Kinetic, tol, 1+want.Energy.Kinetic, "kinetic energy")
	check.Close(t, got.Energy.Potential, want.Energy.Potential, tol, 1+max(want.Energy.Potential, -want.Energy.Potential), "potential energy")
}

// TestCompositesInPlaceOfTypes: the reference models with composite
// joints in place of all types that they can be have the same solutions.
func TestCompositesInPlaceOfTypes(t *testing.T) {
	for _, c := range goldenCases(t) {
		if len(c.m.Bodies) > 70 && testing.Short() {
			continue
		}
		m, of := modeltest.AsComposites(c.m)
		if !slices.ContainsFunc(of, func(list []int) bool { return list != nil }) {
			continue // no such joint
		}
		t.Run(c.name, func(t *testing.T) {
			want, err := rung.Accelerate(c.m, rung.Options{})
			require.NoError(t, err)
			got, err := rung.Accelerate(m, rung.Options{})
			require.NoError(t, err)
			requireSame(t, want, got, sameTol)
		})
	}
}

// TestRandomComposites compares orderings and the tree method in random mechanisms of composite joints with loops.
func TestRandomComposites(t *testing.T) {
	for seed := range check.Random[uint64](15, 2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := modeltest.Composites(seed, 2+int(seed%7), int(seed%4))
			want, err := rung.Accelerate(m, rung.Options{})
			require.NoError(t, err)
			for j := range want.Joints {
				require.LessOrEqual(t, want.Joints[j].PositionResidual, fitTol)
				require.LessOrEqual(t, want.Joints[j].VelocityResidual, fitTol)
			}
			for _, o := range orderings {
				got, err := rung.Accelerate(m, rung.Options{Ordering: o})
				require.NoError(t, err)
				requireSame(t, want, got, sameTol)
			}
			p, err := rung.NewPlan(m, rung.Options{})
			require.NoError(t, err)
			for _, method := range motion.Methods()[1:] {
				got, err := compare.Accelerate(p, method, p.Initial())
				require.NoError(t, err, "%v", method)
				requireSame(t, want, got, sameTol)
			}
		})
	}
}

// TestRandomCompositeMachines compares the sparse method, the tree methods and the dense solution in random mechanisms
// of composite joints with loops, armature, couplings, rods and point masses, and in mechanisms of all types with composite
// joints in place of what they can be.
func TestRandomCompositeMachines(t *testing.T) {
	seeds := check.Random[uint64](64, 4)
	determined := 0
	for seed := range seeds {
		rng := check.Rand(seed)
		m := modeltest.Composites(seed, 2+int(seed%8), int(seed%4))
		if seed%4 == 3 {
			m, _ = modeltest.AsComposites(generate(t, "random", 3+int(seed%9), seed))
		}
		m = modeltest.Gear(m, rng)
		if seed%5 == 0 {
			m = modeltest.Thin(m, rng, 2)
		}
		if seed%3 == 0 && hasScalar(m) {
			m = modeltest.Couple(t, m, rng, 1+rng.IntN(2))
			hold(m)
		}
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			if requireMachines(t, m, seed, nil) {
				determined++
			}
		})
	}
	require.Greater(t, determined, int(seeds)*3/4)
}

// TestLightChains: chains of elementary joints with bodies between them tend to composite
// joints as these lose their mass, linearly in it. On trees the tree methods, whose
// matrices have no mass of a body by itself, are there with masses far below rounding.
func TestLightChains(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		m := modeltest.Composites(seed, 2+int(seed%4), int(seed%3))
		if seed%2 == 0 {
			m = modeltest.Gear(m, check.Rand(seed))
		}
		want, err := rung.Accelerate(m, rung.Options{})
		require.NoError(t, err)
		size := 1.0
		for i := range want.Bodies {
			size = max(size, want.Bodies[i].ComAcceleration.Norm(), want.Bodies[i].AngularAcceleration.Norm())
		}
		off := func(mass float64, method motion.Method) (worst float64) {
			p, err := rung.NewPlan(modeltest.Expand(m, mass), rung.Options{})
			require.NoError(t, err)
			got, err := compare.Accelerate(p, method, p.Initial())
			require.NoError(t, err)
			for i := range want.Bodies {
				w, g := &want.Bodies[i], &got.Bodies[i]
				worst = max(worst, w.ComAcceleration.Sub(g.ComAcceleration).Norm(), w.AngularAcceleration.Sub(g.AngularAcceleration).Norm())
			}
			return worst / size
		}
		heavy, light := off(1e-4, motion.Sparse), off(1e-6, motion.Sparse)
		require.InDelta(t, 100, heavy/light, 10, "seed %d", seed)
		if len(m.Joints) == len(m.Bodies) { // a chain that closes a loop would hang with its light bodies alone
			require.Less(t, off(1e-13, motion.TreeDirect), 1e-11, "seed %d", seed)
		}
	}
}

// TestCompositeSolveDoesNotAllocate covers a solution and steps of a run.
func TestCompositeSolveDoesNotAllocate(t *testing.T) {
	p, err := rung.NewPlan(modeltest.Composites(5, 5, 2), rung.Options{})
	require.NoError(t, err)
	s, st := p.NewSolver(), p.Initial()
	require.Zero(t, testing.AllocsPerRun(5, func() { require.NoError(t, s.Solve(st)) }))
}
