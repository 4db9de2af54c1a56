package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSimulateForeignCheckpoint resumes what does not belong together.
func TestSimulateForeignCheckpoint(t *testing.T) {
	dir := t.TempDir()
	out, ckpt := filepath.Join(dir, "out.csv"), filepath.Join(dir, "run.ckpt")
	args := []string{"--until", "0.2", "--every", "0.1", "--out", out, "--checkpoint", ckpt}
	ok(t, append([]string{"simulate", golden("four-bar")}, args...)...)
	before := readText(t, out)
	args = append(args, "--resume")
	for says, run := range map[string][]string{
		"its model is":              append([]string{standard("a01-pendulum")}, args...),
		"its method is":             append([]string{golden("four-bar"), "--tol", "1e-5"}, args...),
		"not a trajectory of these": append([]string{golden("four-bar"), "--bodies", "crank"}, args...),
		"its dynamics is":           append([]string{golden("four-bar"), "--ordering", "nested-dissection"}, args...),
		"not \"tree-direct":         append([]string{golden("four-bar"), "--method", "tree-direct"}, args...),
		"projected true":            append([]string{golden("four-bar"), "--stabilize", "none"}, args...),
		"after --until 0.1":         append(append([]string{golden("four-bar")}, args...), "--until", "0.1"),
	} {
		r := rungRun(append([]string{"simulate"}, run...)...)
		assert.Equal(t, shell.ExitUse, r.Status, says)
		assert.Contains(t, r.Err, says)
	}
	assert.Equal(t, before, readText(t, out))
	require.NoError(t, os.WriteFile(out, []byte(before[:len(before)-5]), 0o600))
	r := rungRun(append([]string{"simulate", golden("four-bar")}, args...)...)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "the checkpoint goes on at")
}

// TestSimulateChecksOutputsFirst: where one of the files cannot be written, the others stay as they are.
func TestSimulateChecksOutputsFirst(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	for _, c := range []struct {
		says string
		more []string
	}{
		{"no such file", []string{"--checkpoint", filepath.Join(missing, "x")}},
		{"no such file", []string{"--plot", filepath.Join(missing, "x.svg")}},
		{"is a folder", []string{"--checkpoint", dir}},
		{"is a folder", []string{"--checkpoint", filepath.Join(dir, "run.ckpt"), "--plot", directory(t, "x.svg")}},
	} {
		for _, ending := range []string{".csv", ".parquet"} {
			out := filepath.Join(dir, "old"+ending)
			require.NoError(t, os.WriteFile(out, []byte("precious"), 0o600))
			r := rungRun(append([]string{"simulate", golden("four-bar"), "--until", "0.1", "--out", out}, c.more...)...)
			assert.Equal(t, shell.ExitUse, r.Status, c.more)
			assert.Contains(t, r.Err, c.says)
			assert.Equal(t, "precious", readText(t, out), c.more)
			require.NoError(t, os.Remove(out))
			left, err := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, err)
			assert.Empty(t, left)
		}
	}
}

// TestSimulateSaysHalfTurn: the message names the body and the time.
func TestSimulateSaysHalfTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rotor.json")
	m := model.New("rotor")
	m.Bodies = []model.Body{{
		Name: "disc", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1},
		Velocity: model.Velocity{Angular: [3]float64{0, 0, 1e4}},
	}}
	require.NoError(t, model.WriteFile(path, m))
	r := rungRun("simulate", path, "--until", "0.01", "--step", "1e-3", "--quiet")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, `step from t = 0: body "disc" would turn by 8 rad in 0.0008 s`)
}

// TestSimulateDamagedPart: the part of a trajectory that is damaged is named when a run is to go on with it, and stays; so is
// the trajectory itself.
func TestSimulateDamagedPart(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "out.parquet")
	args := []string{"--until", "1", "--every", "0.01", "--out", out, "--checkpoint", filepath.Join(dir, "c")}
	stopped(t, 20, golden("four-bar"), args...)
	resume := append([]string{"simulate", golden("four-bar"), "--resume"}, args...)
	refused := func(file string, at int) {
		t.Helper()
		right := readText(t, file)
		wrong := right[:at] + string([]byte{right[at] ^ 1}) + right[at+1:]
		require.NoError(t, os.WriteFile(file, []byte(wrong), 0o600))
		r := rungRun(resume...)
		assert.Equal(t, shell.ExitUse, r.Status)
		assert.Contains(t, r.Err, file+": is damaged: its bytes are not those that were written\n")
		assert.Equal(t, 1, strings.Count(r.Err, "\n"), r.Err)
		assert.True(t, wrong == readText(t, file), "it is not changed")
		require.NoError(t, os.WriteFile(file, []byte(right), 0o600))
	}
	refused(out, 500)
	part := filepath.Join(out+".parts", "000000.parquet") // as a killed run leaves its only group
	require.NoError(t, os.Mkdir(filepath.Dir(part), 0o777))
	require.NoError(t, os.Rename(out, part))
	refused(part, 500)
	refused(part, len(readText(t, part))-1)
	ok(t, resume...)
	assert.NoDirExists(t, filepath.Dir(part))
}
