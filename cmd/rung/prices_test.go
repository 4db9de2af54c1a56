package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
)

// TestPricesAreSaidFirst: what is beyond a limit is refused with its price before it begins, and leaves no file.
func TestPricesAreSaidFirst(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.json")
	ok(t, "generate", "chain", "10", "-o", model)
	large := filepath.Join(dir, "large.json")
	ok(t, "generate", "ladder", "1000", "-o", large)
	task := filepath.Join(dir, "task.json")
	require.NoError(t, os.WriteFile(task, []byte(`{"format": "rung-ik/1", "targets": [{"name": "hand", "type": "point", "body": "b9", "position": [1, 1, 1]}],
		"path": {"times": [0, 1], "step": 1e-7, "hand": {"position": [[1, 1, 1], [1, 1, 2]]}}}`), 0o600))
	out := filepath.Join(dir, "out.csv")
	for _, c := range []struct {
		says   string
		status int
		args   []string
	}{
		{"--every 1 over 1e+09 s takes 1e+09 rows, more than 1e+08 rows: give a longer --every", shell.ExitUse, []string{"simulate", model, "--until", "1e9", "--every", "1"}},
		{"--every 1e-09 over 1 s takes 1e+09 rows, more than 1e+08 rows: ", shell.ExitUse, []string{"simulate", model, "--until", "1", "--every", "1e-9"}},
		{"--step 1e-12 over 1 s takes 1e+12 steps, more than 1e+11 steps: give a longer --step", shell.ExitUse, []string{"simulate", model, "--until", "1", "--step", "1e-12"}},
		{"--every 1e-09 over 1 s takes 1e+09 rows, more than 1e+08 rows: ", shell.ExitUse, []string{"kinematics", model, "--until", "1", "--every", "1e-9"}},
		{"too dear: of 1000 bodies and 10 modes the dense method takes 6.48 Tflops, more than 2 Tflops: take the sparse method", shell.ExitFailed, []string{"modes", large, "--method", "dense"}},
		{"too dear: of 1000 bodies and 12000 modes the sparse method takes 6.05 Tflops, more than 2 Tflops: ask for fewer modes", shell.ExitFailed, []string{"modes", large, "--count", "1000000000"}},
		{"$.solver.restarts: takes 1e+09 starts, more than 1e+07 starts: take fewer, or bound their time (max_time)", shell.ExitUse, []string{"ik", model, "--reach", "b9=100,1,1", "--restarts", "1000000000"}},
		{`the path takes 1e+07 samples, more than 1e+06 samples: give a longer "step" of the path`, shell.ExitUse, []string{"ik", model, task, "--out", out}},
	} {
		args := c.args
		if args[0] == "simulate" || args[0] == "kinematics" {
			args = append(args, "--out", out)
		}
		r := rungRun(args...)
		assert.Equal(t, c.status, r.Status, "%q", c.args)
		assert.Contains(t, r.Err, c.says)
		assert.Empty(t, r.Out)
		assert.NoFileExists(t, out)
	}
}

// TestHonestRowsAreTaken: a million rows are no price.
func TestHonestRowsAreTaken(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	model, out := filepath.Join(dir, "m.json"), filepath.Join(dir, "o.csv")
	ok(t, "generate", "chain", "1", "-o", model)
	ok(t, "simulate", model, "--until", "0.01", "--every", "1e-7", "--columns", "b0.px", "--out", out, "--quiet")
	info, err := os.Stat(out)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(1e6))
}

// TestRowsInOneDocument: rows that would be kept in memory for a JSON document are priced in bytes.
func TestRowsInOneDocument(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.json")
	ok(t, "generate", "chain", "1", "-o", model)
	r := rungRun("kinematics", model, "--drive", "j0=1", "--until", "1", "--every", "1e-8", "--json")
	require.Equal(t, shell.ExitUse, r.Status)
	require.Contains(t, r.Err, "--every 1e-08 over 1 s in one JSON document takes ")
	require.Contains(t, r.Err, " GB, more than 1.07 GB: give --out a file, or a longer --every")
	require.Empty(t, r.Out)
}
