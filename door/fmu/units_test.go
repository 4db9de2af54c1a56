package fmu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/internal/check"
)

// noUnit are units of columns that are not one unit, and of pure numbers.
var noUnit = map[string]bool{"": true, "m or rad": true, "m/s or rad/s": true}

// TestUnits: all units of columns and knobs of the golden models are products of those of FMI.
func TestUnits(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range check.GoldenModels(t) {
		m, err := door.Open(context.Background(), check.Reference(t, "golden/"+path+".model.json"), nil)
		require.NoError(t, err)
		for _, k := range m.Knobs() {
			seen[k.Unit] = true
		}
		r, err := m.NewRun(nil, []byte(`{"columns": ["*"], "start": "as-it-is"}`))
		require.NoError(t, err, path)
		_, units := r.Columns()
		for _, u := range units {
			seen[u] = true
		}
	}
	require.Greater(t, len(seen), 10)
	for u := range seen {
		_, _, ok := parseUnit(u)
		require.Equal(t, !noUnit[u], ok, "%q", u)
	}
	name, exponents, ok := parseUnit("N m s/rad")
	require.True(t, ok)
	require.Equal(t, "N.m.s/rad", name)
	require.Equal(t, ` kg="1" m="2" s="-1" rad="-1"`, exponents.attributes())
}
