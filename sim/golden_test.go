package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// TestGolden moves every reference model: all joint types, redundant, driven and far
// away. (At 0.522 s the motions of driven-mixed meet a lock.)
func TestGolden(t *testing.T) {
	for _, name := range check.Some(check.GoldenModels(t), 2) {
		r := golden(t, name)
		tol := driftTol
		if name == "random-10-far" {
			tol = 1e-8 // ten roundings of its positions
		}
		rec := &memory{}
		s := r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj, Recorder: rec, Every: 0.02})
		require.NoError(t, s.Run(0.5), name)
		assert.Len(t, rec.states, 26, name)
		assert.Less(t, max(rec.drift.Position, rec.drift.Velocity), tol, name)
	}
}

// byTree is the solver of package tree as a sim.Dynamics.
type byTree struct {
	*tree.ClosedSolver
	acc []spatial.ClassicalAccel
}

func (d byTree) Accelerations(a []float64, st *mechanism.State) error {
	if err := d.Solve(st); err != nil {
		return err
	}
	d.AccelerationsTo(d.acc)
	for i := range d.acc {
		copy(a[6*i:], d.acc[i][:])
	}
	return nil
}

// TestSolversAgree compares the motion by the sparse solver with that by the spanning
// tree.
func TestSolversAgree(t *testing.T) {
	const tol, agree = 1e-10, 1e-7
	for _, name := range []string{"stewart-6ups", "springs", "type-universal"} {
		r := golden(t, name)
		plan, err := tree.NewPlan(r.mech, tree.Options{})
		require.NoError(t, err)
		other := *r
		other.dyn = byTree{plan.NewSolver(tree.Direct, tree.SolverOptions{}), make([]spatial.ClassicalAccel, r.mech.NumBodies())}
		a := r.simulate(sim.DormandPrince(), tol, sim.Options{Projector: r.proj})
		b := other.simulate(sim.DormandPrince(), tol, sim.Options{Projector: r.proj})
		require.NoError(t, a.Run(0.3))
		require.NoError(t, b.Run(0.3))
		t.Logf("%s: %.3g", name, distance(a.State(), b.State()))
		assert.Less(t, distance(a.State(), b.State()), agree, name)
	}
}
