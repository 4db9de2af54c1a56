package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fixedTol is the error of rk4 in 2 s of steps of 1e-3 s on links of 1 m; the reference has 1e-8 itself.
const fixedTol = 1e-7

// TestSimulateBricardFixed: fixed steps on a linkage that only its geometry makes movable. They were 1.35 m off.
func TestSimulateBricardFixed(t *testing.T) {
	check.Long(t)
	model := filepath.Join(reference, "hard", "sim-bricard.json")
	_, want := readTrajectory(t, ok(t, "simulate", model, "--until", "2", "--every", "2"))
	for _, args := range [][]string{nil, {"--method", "tree-direct"}} {
		_, rows := readTrajectory(t, ok(t, append([]string{"simulate", model, "--until", "2", "--every", "2", "--integrator", "rk4", "--step", "1e-3"}, args...)...))
		for i, x := range rows[1] {
			if i <= 7*5 {
				assert.InDelta(t, want[1][i], x, fixedTol, "%v, column %d", args, i)
			}
		}
	}
}

// TestSimulateUndecided: a parallelogram at rest in its flat pose may go either way, and the summary says so.
func TestSimulateUndecided(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(reference, "hard", "sim-parallelogram.json"))
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(data, &m))
	for i, at := range []struct {
		position    []float64
		orientation []float64
	}{{[]float64{0, 0, 0}, []float64{1, 0, 0, 0}}, {[]float64{1, 0, 0}, []float64{1, 0, 0, 0}}, {[]float64{3, 0, 0}, []float64{0, 0, 0, 1}}} {
		b := m["bodies"].([]any)[i].(map[string]any)
		b["pose"] = map[string]any{"position": at.position, "orientation": at.orientation}
		delete(b, "velocity")
	}
	data, err = json.Marshal(m)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "flat.json")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	out := filepath.Join(t.TempDir(), "out.csv")
	args := []string{"simulate", path, "--until", "0.2", "--out", out}
	var s simulate.Simulation
	require.NoError(t, json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &s))
	require.NotNil(t, s.Undecided)
	assert.Positive(t, s.Undecided.Steps)
	assert.Less(t, s.Undecided.First, 0.01)
	r := rungRun(args...)
	assert.Zero(t, r.Status)
	assert.Contains(t, strings.Join(strings.Fields(r.Err), " "), "undecided which branch the motion goes on along at a singular pose")

	require.NoError(t, json.Unmarshal([]byte(ok(t, "simulate", filepath.Join(reference, "hard", "sim-parallelogram.json"), "--until", "0.5", "--out", out, "--json")), &s))
	assert.Positive(t, s.Singular)
}
