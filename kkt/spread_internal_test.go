package kkt

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// TestOrdinaryInertiasNeedNoDigits: reference models, slender links among them, and the families are solved with
// doubles alone. Twice the digits take fifty times as long.
func TestOrdinaryInertiasNeedNoDigits(t *testing.T) {
	check.Long(t)
	for _, folder := range []string{"golden", "standard"} {
		files, err := filepath.Glob(filepath.Join(check.Reference(t, folder), "*.model.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			m, err := model.ReadFile(f)
			require.NoError(t, err)
			p := planOf(t, m)
			require.False(t, p.spread.wide(), "%s: %+v", filepath.Base(f), p.spread)
		}
	}
	for _, family := range bench.Families() {
		m, err := bench.Generate(family, 20, 1)
		require.NoError(t, err)
		p := planOf(t, m)
		require.False(t, p.spread.wide(), "%s: %+v", family, p.spread)
	}
}
