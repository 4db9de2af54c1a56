package main

import (
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
)

// TestSimulateRattle: the method is of order 2 beside rk4, and refuses what it cannot do.
func TestSimulateRattle(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	last := func(args ...string) float64 {
		ok(t, append([]string{"simulate", "../../docs/four-bar.model.json", "--until", "1", "--every", "0.1", "--columns", "crank.qz", "--quiet", "--out", file("a.parquet")}, args...)...)
		_, rows := tableOf(t, file("a.parquet"))
		x, err := strconv.ParseFloat(rows[len(rows)-1][1], 64)
		require.NoError(t, err)
		return x
	}
	want := last("--integrator", "rk4", "--step", "0.001")
	coarse, fine := math.Abs(last("--integrator", "rattle", "--step", "0.005")-want), math.Abs(last("--integrator", "rattle", "--step", "0.0025")-want) // without passes
	assert.InDelta(t, 2, math.Log2(coarse/fine), 0.1, "%g, %g", coarse, fine)
	for want, args := range map[string][]string{
		"rattle has no error control: give --step":                                                            {"--integrator", "rattle"},
		"rattle closes the joints by itself, with the sparse method: --method and --stabilize are not for it": {"--integrator", "rattle", "--step", "0.01", "--method", "tree-direct"},
		"no integrator \"euler\"; there are dopri5, rk4, generalized-alpha, force-balance, rattle":            {"--integrator", "euler"},
	} {
		r := rungRun(append([]string{"simulate", golden("four-bar"), "--until", "1"}, args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, want)
		assert.Contains(t, r.Err, want)
	}
	r := rungRun("simulate", filepath.Join(reference, "truth", "ga-bearing-pendulum", "model.json"), "--until", "1", "--integrator", "rattle", "--step", "0.01")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, `joint "j": the method RATTLE knows no friction that grows with a reaction`)
}
