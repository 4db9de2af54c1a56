package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alphaLimit is the error that the implicit method may have at tolerance 1e-8 over a second of
// the pendulum, in the measure of reference/standard.
const alphaLimit = 1e-3

// TestSimulateImplicit follows the pendulum with error control and with fixed steps.
func TestSimulateImplicit(t *testing.T) {
	_, want := readTrajectory(t, readText(t, filepath.Join(reference, "standard", "a01-pendulum.csv")))
	for _, how := range [][]string{{"--tol", "1e-8"}, {"--step", "5e-4", "--rho", "0.5"}} {
		args := append([]string{"simulate", standard("a01-pendulum"), "--until", "1", "--every", "0.01", "--integrator", "generalized-alpha"}, how...)
		r := rungRun(args...)
		require.Equal(t, shell.ExitDone, r.Status, r.Err)
		_, rows := readTrajectory(t, r.Out)
		require.Len(t, rows, 101)
		worst := 0.0
		for i, row := range rows {
			for k := range 3 {
				worst = max(worst, abs(row[1+k]-want[i][1+k]), abs(row[8+k]-want[i][4+k]))
			}
			assert.LessOrEqual(t, max(row[16], row[17]), rowDrift)
		}
		assert.Less(t, worst, alphaLimit, how)
		assert.Contains(t, strings.Join(strings.Fields(r.Err), " "), "with generalized-alpha")
	}
}

func abs(x float64) float64 { return max(x, -x) }

// TestSimulateImplicitResumes interrupts a run and goes on.
func TestSimulateImplicitResumes(t *testing.T) {
	check.Long(t)
	model, dir := filepath.Join(reference, "golden", "springs.model.json"), t.TempDir()
	whole, part, mark := filepath.Join(dir, "whole.csv"), filepath.Join(dir, "part.csv"), filepath.Join(dir, "mark")
	args := []string{"simulate", model, "--integrator", "generalized-alpha", "--tol", "1e-5", "--every", "0.01", "--quiet"}
	r := rungRun(append(args, "--until", "1", "--out", whole)...)
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	steps := 40
	cmd := simulate.Command(&simulate.Flags{Interrupted: func() bool { steps--; return steps < 0 }})
	cmd.SetArgs(append(args[1:], "--until", "1", "--out", part, "--checkpoint", mark))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	require.ErrorIs(t, cmd.ExecuteContext(t.Context()), simulate.ErrInterrupted)
	r = rungRun(append(args, "--until", "1", "--out", part, "--checkpoint", mark, "--resume", "--rho", "0.5")...)
	require.Equal(t, shell.ExitUse, r.Status)
	require.Contains(t, r.Err, "rho 0.5")
	r = rungRun(append(args, "--until", "1", "--out", part, "--checkpoint", mark, "--resume")...)
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	a, err := os.ReadFile(whole)
	require.NoError(t, err)
	b, err := os.ReadFile(part)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
}

// TestSimulateImplicitMisuse: what does not go with the implicit method, and what needs it.
func TestSimulateImplicitMisuse(t *testing.T) {
	model := standard("a01-pendulum")
	for _, c := range []struct{ args, message string }{
		{"--rho 0.5", "--rho is of generalized-alpha, not of dopri5"},
		{"--integrator generalized-alpha --rho 1", "--rho 1 is not in [0, 1)"},
		{"--integrator generalized-alpha --rho -0.1", "--rho -0.1 is not in [0, 1)"},
		{"--integrator generalized-alpha --rho NaN", "--rho NaN is not in [0, 1)"},
		{"--integrator generalized-alpha --method tree-lambda", "generalized-alpha needs --method sparse"},
		{"--integrator generalized-alpha --stabilize baumgarte", "generalized-alpha meets the joints by itself"},
		{"--integrator generalized-alpha --step 1 --tol 1", "--step and --tol exclude each other"},
	} {
		r := rungRun(append([]string{"simulate", model, "--until", "1"}, strings.Fields(c.args)...)...)
		assert.Equal(t, shell.ExitUse, r.Status, c.args)
		assert.Contains(t, r.Err, c.message, c.args)
	}
}

// TestSimulateLeastTolerance says by what a tolerance below rounding is replaced.
func TestSimulateLeastTolerance(t *testing.T) {
	for tol, says := range map[string]bool{"1e-16": true, "1e-9": false} {
		args := []string{"simulate", golden("four-bar"), "--until", "0.01", "--integrator", "generalized-alpha", "--tol", tol}
		r := rungRun(args...)
		require.Equal(t, shell.ExitDone, r.Status, r.Err)
		assert.Equal(t, says, strings.Contains(r.Err, "in effect 1.8e-13 by rounding"), r.Err)
		var s simulate.Simulation
		require.NoError(t, json.Unmarshal([]byte(ok(t, append(args, "--json", "--out", filepath.Join(t.TempDir(), "x.csv"))...)), &s))
		assert.Equal(t, says, s.Least > 0)
	}
}
