package mobility_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
)

func nearby(t *testing.T, m *model.Model) *mobility.Nearby {
	t.Helper()
	plan, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	n, err := mobility.Compare(plan, plan.Initial())
	require.NoError(t, err)
	return n
}

// TestNearbyGolden finds the rank of the reference at all its states, which are
// none of them singular, and states next to those that can move.
func TestNearbyGolden(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(check.Reference(t, "golden"), "*.model.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".model.json")
		e := check.ReadExpected(t, name)
		n := nearby(t, golden(t, name))
		require.Equal(t, e.Constraints.Rank, n.Rank, name)
		require.Equal(t, n.Rank, n.Around, name)
		require.Empty(t, n.Appearing, name)
	}
	require.Positive(t, nearby(t, golden(t, "bricard-6r")).States, "six revolutes that move all the same")
	require.Equal(t, nearby(t, golden(t, "random-10")).States, nearby(t, golden(t, "random-10-far")).States, "moved by 1e6 m")
	require.Zero(t, nearby(t, golden(t, "driven-crank")).States, "a driven crank cannot be displaced")
}

// TestNearbySingular lays windows flat, where each can also turn inside out. The
// motion of the state leads to where none has.
func TestNearbySingular(t *testing.T) {
	for _, n := range []int{1, 2, 5, 20} {
		m, err := bench.NFourBar(n, math.Pi/2, 1)
		require.NoError(t, err)
		got := nearby(t, m)
		require.Positive(t, got.States, n)
		require.Equal(t, 12*n+5, got.Around, "rank in the general position")
		require.Less(t, got.Rank, got.Around)
		require.NotEmpty(t, got.Appearing)
		// Turned by 0.1 it is an ordinary linkage.
		m, err = bench.NFourBar(n, math.Pi/2-0.1, 1)
		require.NoError(t, err)
		got = nearby(t, m)
		require.Equal(t, got.Around, got.Rank)
	}
}

// TestRedundantRows agrees with the report.
func TestRedundantRows(t *testing.T) {
	check.Long(t)
	for _, family := range bench.Families() {
		m, err := bench.Generate(family, 6, 1)
		require.NoError(t, err)
		r, err := rung.Accelerate(m, kkt.Options{})
		require.NoError(t, err, family)
		plan, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		rows, err := plan.RedundantRows(plan.Initial())
		require.NoError(t, err)
		var list []results.Redundant
		var couplings []string
		for i, n := range rows {
			switch name := plan.Mechanism().ConstraintName(i); {
			case n == 0:
			case i < len(m.Joints):
				list = append(list, results.Redundant{Name: name, Rows: n})
			default:
				couplings = append(couplings, name)
			}
		}
		require.ElementsMatch(t, r.Constraints.RedundantJoints, list, family)
		require.ElementsMatch(t, r.Constraints.RedundantCouplings, couplings, family)
	}
}
