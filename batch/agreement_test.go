package batch_test

import (
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// agreeTol is the largest difference between a batch and the solver, relative to the largest acceleration of the state.
const agreeTol = 1e-12

// number of states of each model: RUNG_BATCH_STATES, or few.
func number(t testing.TB) int {
	if text := os.Getenv("RUNG_BATCH_STATES"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	if testing.Short() {
		return 40
	}
	return 400
}

// agree solves states both ways and returns the largest relative difference and the number of states solved one by one.
func agree(t *testing.T, p *kkt.Plan, list []*mechanism.State, o batch.Options) (worst float64, single int) {
	b, err := batch.New(p, o)
	require.NoError(t, err)
	s, r := b.NewStates(len(list)), b.NewResults(len(list))
	for i, st := range list {
		s.Set(i, st)
	}
	b.Solve(s, r)
	solver := p.NewSolver()
	n := 6 * p.Mechanism().NumBodies()
	got, want := make([]float64, n), make([]float64, n)
	for i, st := range list {
		err := solver.Solve(st)
		require.Equal(t, err == nil, r.Error(i) == nil, "state %d: %v, %v", i, err, r.Error(i))
		if err != nil {
			require.Equal(t, err.Error(), r.Error(i).Error())
			continue
		}
		_, redundant := solver.Nearness()
		require.Equal(t, redundant, r.Redundant(i), "state %d", i)
		r.To(got, i)
		solver.AccelerationsTo(want)
		size := math.Max(check.MaxAbs(want), 1e-3) // of a mechanism at rest all is rounding of gravity
		for k := range got {
			d := math.Abs(got[k]-want[k]) / size
			if !(d <= worst) {
				worst = d
			}
		}
	}
	return worst, len(r.OneByOne())
}

// TestAgreesWithSolver: a batch gives the solver's accelerations at random closed states of all reference models, and at states that violate the joints.
func TestAgreesWithSolver(t *testing.T) {
	plans := references(t)
	for i, name := range slices.Sorted(maps.Keys(plans)) {
		t.Run(name, func(t *testing.T) {
			p := plans[name]
			n := max(8, number(t)/max(1, p.Mechanism().NumBodies()/10))
			worst, single := agree(t, p, someStates(t, p, n, uint64(i), 0.8), batch.Options{})
			b, err := batch.New(p, batch.Options{})
			require.NoError(t, err)
			t.Logf("%s: %d states, largest difference %.1e, one by one %d, scalar %v %s", name, n, worst, single, b.Scalar(), b.OneByOne())
			require.LessOrEqual(t, worst, agreeTol)
		})
	}
}
