package batch_test

import (
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// agreeTol is the largest difference between a batch and the solver in the solver's own measure (factor.Refinement):
	// the norm of a body's part in mass-weighted coordinates, relative to the largest of the state, or to what it would
	// be but for cancellation.
	agreeTol = 1e-12
	// perturbed times the condition κ = max|λ|·√(d/p)/size is allowed beside agreeTol in states in which the rounding of
	// the rows makes more, with d the scales and p the least pivot relative to its scale. Its 16 units in the last place
	// were chosen after the differences had been measured.
	perturbed = 16 * 2.3e-16
)

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
	return 200
}

// agree solves states both ways. It returns the largest difference of states whose condition allows agreeTol, the
// number of states solved one by one, and that of the others.
func agree(t *testing.T, p *kkt.Plan, list []*mechanism.State, o batch.Options) (worst float64, single, ill int) {
	b, err := batch.New(p, o)
	require.NoError(t, err)
	s, r := b.NewStates(len(list)), b.NewResults(len(list))
	for i, st := range list {
		s.Set(i, st)
	}
	b.Solve(s, r)
	solver, y := p.NewSolver(), p.Layout().NewWeighted()
	n := 6 * p.Mechanism().NumBodies()
	got, want := make([]float64, n), make([]float64, n)
	for i, st := range list {
		err := solver.Solve(st)
		require.Equal(t, err == nil, r.Error(i) == nil, "state %d: %v, %v", i, err, r.Error(i))
		if err != nil {
			require.Equal(t, err.Error(), r.Error(i).Error())
			continue
		}
		near, redundant := solver.Nearness()
		require.Equal(t, redundant, r.Redundant(i), "state %d", i)
		r.To(got, i)
		solver.AccelerationsTo(want)
		require.NoError(t, y.FillTo(st))
		y.WeighTo(got, got)
		y.WeighTo(want, want)
		size, most := solver.Refinement().Size, 0.0
		for b := 0; b < n; b += 6 {
			d := 0.0
			for k := b; k < b+6; k++ {
				d += (got[k] - want[k]) * (got[k] - want[k])
			}
			most = math.Max(most, math.Sqrt(d)/size)
		}
		if most > agreeTol {
			bound := agreeTol + perturbed*conditionOf(p, solver, y)/near/size
			t.Logf("state %d: %.1e, allowed by its condition %.1e", i, most, bound)
			require.LessOrEqual(t, most, bound, "state %d", i)
			ill++
			continue
		}
		worst = math.Max(worst, most)
	}
	return worst, len(r.OneByOne()), ill
}

// conditionOf returns the largest multiplier times the root of its scale.
func conditionOf(p *kkt.Plan, s *kkt.Solver, y *assemble.Weighted) (most float64) {
	var lambda [6]float64
	for j := range p.Mechanism().NumJoints() {
		for k := range s.JointMultipliersTo(&lambda, j) {
			o := int(y.Layout.Pattern.Off[y.Layout.JointNode(j)])
			most = math.Max(most, math.Abs(lambda[k])*math.Sqrt(y.Scale[o+k]))
		}
	}
	return most
}

// TestAgreesWithSolver: a batch gives the solver's accelerations at random closed states of all reference models, and
// at states that violate the joints.
func TestAgreesWithSolver(t *testing.T) {
	plans := references(t)
	for i, name := range check.Some(slices.Sorted(maps.Keys(plans)), 2) {
		t.Run(name, func(t *testing.T) {
			p := plans[name]
			n := max(8, number(t)/max(1, p.Mechanism().NumBodies()/10))
			worst, single, ill := agree(t, p, someStates(t, p, n, uint64(i), 0.8), batch.Options{})
			b, err := batch.New(p, batch.Options{})
			require.NoError(t, err)
			t.Logf("%s: %d states, largest difference %.1e, one by one %d, ill-conditioned %d, scalar %v %s", name, n, worst, single, ill, b.Scalar(), b.OneByOne())
		})
	}
}
