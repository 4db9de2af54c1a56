package rung_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// orderings are all values of Options.Ordering.
var orderings = []order.Ordering{
	order.Auto, order.Natural, order.LeafFirst, order.Banded, order.MinDegree, order.NestedDissection,
}

// golden reads a reference model.
func golden(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := rung.Open(check.ModelPath(t, name))
	require.NoError(t, err)
	return m
}

// generate builds a problem of package bench.
func generate(t testing.TB, family string, n int, seed uint64) *model.Model {
	t.Helper()
	m, err := bench.Generate(family, n, seed)
	require.NoError(t, err)
	return m
}

func newPlan(t testing.TB, m *model.Model, o order.Ordering) *rung.Plan {
	t.Helper()
	p, err := rung.NewPlan(m, rung.Options{Ordering: o})
	require.NoError(t, err)
	return p
}

// solve solves the state written in m.
func solve(t testing.TB, m *model.Model, o order.Ordering) *rung.Solver {
	t.Helper()
	p := newPlan(t, m, o)
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	return s
}

// report explains a solution.
func report(t testing.TB, s *rung.Solver) *rung.Report {
	t.Helper()
	r, err := s.Report()
	require.NoError(t, err)
	return r
}

func closeVec3(t testing.TB, got, want spatial.Vec3, tol, scale float64, msg string, args ...any) {
	t.Helper()
	check.CloseVec(t, got[:], want[:], tol, scale, msg, args...)
}
