package closing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// golden reads a reference model.
func golden(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := model.ReadFile(check.ModelPath(t, name))
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

func newPlan(t testing.TB, m *model.Model, o order.Ordering) *kkt.Plan {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{Ordering: o})
	require.NoError(t, err)
	return p
}

// stepCases are the models whose steps are watched.
var stepCases = []struct {
	family string
	n      int
}{{"ladder", 60}, {"nfourbar", 30}, {"random", 45}, {"grid", 6}}
