package plantest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Orderings are all values of kkt.Options.Ordering.
var Orderings = []order.Ordering{
	order.Auto, order.Natural, order.LeafFirst, order.Banded, order.MinDegree, order.NestedDissection,
}

// StepCases are the problems of package bench for tests of single steps of a solve.
var StepCases = []struct {
	Family string
	N      int
}{{"ladder", 60}, {"nfourbar", 30}, {"random", 45}, {"grid", 6}}

// Golden returns a model of reference/golden.
func Golden(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := model.ReadFile(check.ModelPath(t, name))
	require.NoError(t, err)
	return m
}

// Generate returns a problem of package bench.
func Generate(t testing.TB, family string, n int, seed uint64) *model.Model {
	t.Helper()
	m, err := bench.Generate(family, n, seed)
	require.NoError(t, err)
	return m
}

// New returns a plan of a model with this ordering.
func New(t testing.TB, m *model.Model, o order.Ordering) *kkt.Plan {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	p, err := kkt.NewPlanContext(t.Context(), mech, kkt.Options{Ordering: o})
	require.NoError(t, err)
	return p
}

// Solve returns a solver that has solved the state in m.
func Solve(t testing.TB, m *model.Model, o order.Ordering) *kkt.Solver {
	t.Helper()
	p := New(t, m, o)
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	return s
}

// Report returns the report of a solution.
func Report(t testing.TB, s *kkt.Solver) *kkt.Report {
	t.Helper()
	r, err := s.Report()
	require.NoError(t, err)
	return r
}

// Errors returns the largest violation of a row of joints and couplings in the state st, of positions and of velocities.
func Errors(t testing.TB, mech *mechanism.Mechanism, st *mechanism.State) (position, velocity float64) {
	t.Helper()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	var worst mechanism.Violation
	for i := range mech.NumConstraints() {
		v := mech.ConstraintViolation(i, k, st)
		worst.Widen(&v)
	}
	return worst.In(1)
}
