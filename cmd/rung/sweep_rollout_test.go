package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
)

// rolloutStudy has a parameter of each kind that rollouts can vary but those of springs; some cranks are too long to
// close and some masses too small.
const rolloutStudy = `{"format": "rung-study/1", "model": "m.json", "run": {"until": 0.05, "step": 0.005, "every": 0.01, "integrator": "rollout-rk4"},
 "sampling": {"type": "sobol", "draws": %d, "seed": 3},
 "parameters": [
  {"name": "crank", "path": "joints[A].predecessor_frame.position[0]", "uniform": [0.9, 6]},
  {"name": "mass", "path": "bodies[coupler].mass", "uniform": [-0.3, 4]},
  {"path": "bodies[crank].com[0]", "uniform": [0.4, 0.6]},
  {"path": "bodies[crank].velocity.angular[2]", "uniform": [0.9, 1.1]},
  {"name": "gravity", "path": "gravity[1]", "values": [-9.81, -1.62]}],
 "outputs": [{"column": "joint.O.qd", "take": "max"}, {"column": "energy.kinetic", "take": "final"}, {"column": "crank.accx", "take": "final"}],
 "trajectories": ["joint.*.q"]}`

// TestSweepRollout: rollouts have the rows of the same study with rk4, but for rounding and what projection leaves,
// with the same failures of models; the same bytes for any number of threads, and shares that are the whole.
func TestSweepRollout(t *testing.T) {
	check.Long(t)
	dir := sweepFolder(t, 1)
	at := func(name string) string { return filepath.Join(dir, name) }
	text := fmt.Sprintf(rolloutStudy, 40)
	write := func(text string) { require.NoError(t, os.WriteFile(at("s.json"), []byte(text), 0o666)) }
	write(strings.Replace(text, "rollout-rk4", "rk4", 1))
	ok(t, sweepArgs(dir, "alone", "--quiet")...)
	write(text)
	ok(t, sweepArgs(dir, "one", "--quiet")...)
	ok(t, sweepArgs(dir, "two", "--quiet", "--threads", "2")...)
	sameBytes(t, at("one.parquet"), at("two.parquet"))
	sameBytes(t, at("one-paths.parquet"), at("two-paths.parquet"))
	_, alone := tableOf(t, at("alone.parquet"))
	_, rows := tableOf(t, at("one.parquet"))
	require.Len(t, rows, 80)
	done, failed := 0, 0
	for i, row := range rows {
		require.Equal(t, alone[i][:7], row[:7])
		if row[6] != "done" {
			failed++
			if strings.Contains(alone[i][7], "mass") {
				require.Equal(t, alone[i][7], row[7])
			}
			continue
		}
		done++
		for k := 8; k < len(row); k++ {
			near(t, alone[i][k], row[k], "run %d, %d", i, k)
		}
	}
	require.Greater(t, done, 20)
	require.Greater(t, failed, 10)
	_, alonePaths := tableOf(t, at("alone-paths.parquet"))
	_, paths := tableOf(t, at("one-paths.parquet"))
	require.Len(t, paths, len(alonePaths))
	for i, row := range paths {
		require.Equal(t, alonePaths[i][0], row[0])
		for k := 1; k < len(row); k++ {
			near(t, alonePaths[i][k], row[k], "row %d, %d", i, k)
		}
	}
	var all [][]string
	for i := range 3 {
		name := fmt.Sprint("share", i)
		ok(t, sweepArgs(dir, name, "--index", fmt.Sprint(i), "--of", "3", "--quiet")...)
		_, rows := tableOf(t, at(name+".parquet"))
		all = append(all, rows...)
	}
	require.Equal(t, rows, all)

	for _, c := range []struct{ old, new, want string }{
		{`"until": 0.05`, `"until": 0.052`, `s.json: $.run.until: s is no multiple of the step, 0.005 s; rollout-rk4 has no shorter steps (value 0.052)`},
		{`"every": 0.01`, `"every": 0.012`, `s.json: $.run.every: s is no multiple of the step`},
		{`"every": 0.01`, `"tolerance": 0.01`, `s.json: $.run.tolerance: excludes step`},
		{`"every": 0.01`, `"method": "sparse"`, `s.json: $.run.method: is not for rollout-rk4, which has a method of its own (value "sparse")`},
		{`"every": 0.01`, `"stabilize": "none"`, `s.json: $.run.stabilize: is not for rollout-rk4, which closes the joints by itself (value "none")`},
		{`bodies[crank].com[0]`, `bodies[crank].pose.position[0]`, ``},
		{`"step": 0.005, `, ``, `s.json: $.run.step: missing field: rollout-rk4 has no error control`},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		require.NotEqual(t, text, changed)
		write(changed)
		r := rungRun(sweepArgs(dir, "out", "--quiet")...)
		if c.want == "" {
			assert.Equal(t, shell.ExitDone, r.Status, r.Err)
			require.NoError(t, os.Remove(at("out.parquet")))
			continue
		}
		assert.Equal(t, shell.ExitUse, r.Status, c.want)
		assert.Contains(t, r.Err, c.want)
		assert.NoFileExists(t, at("out.parquet"))
	}
}

// near compares numbers of rows: failures have none.
func near(t *testing.T, want, got string, what ...any) {
	t.Helper()
	const rollouts = 1e-6 // the error of steps of 5 ms, whose stages are closed in other ways; largest near the flat pose
	x, err := strconv.ParseFloat(want, 64)
	require.NoError(t, err, what...)
	y, err := strconv.ParseFloat(got, 64)
	require.NoError(t, err, what...)
	require.LessOrEqual(t, math.Abs(x-y), rollouts*max(1, math.Abs(x)), what...)
}

// manyStudy is a second of a four-bar that no pose locks, with tolerances.
const manyStudy = `{"format": "rung-study/1", "model": "m.json", "run": {"until": 1, "step": 0.005, "integrator": "%s"},
 "sampling": {"type": "latin-hypercube", "draws": %d, "seed": 1},
 "parameters": [
  {"name": "ground", "path": "joints[C].predecessor_frame.position[0]", "values": [2.3]},
  {"name": "crank", "path": "joints[A].predecessor_frame.position[0]", "normal": {"mean": 1, "deviation": 0.002}},
  {"name": "mass", "path": "bodies[coupler].mass", "uniform": [3.8, 4.2]},
  {"name": "gravity", "path": "gravity[1]", "uniform": [-9.82, -9.8]}],
 "outputs": [{"column": "joint.O.qd", "take": "final"}, {"column": "joint.O.q", "take": "max"}, {"column": "energy.kinetic", "take": "max"}]}`

// TestSweepMany: a sweep of many runs, by rollouts or as RUNG_SWEEP_INTEGRATOR says, that is killed at least five times
// and gone on with, and its shares.
func TestSweepMany(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("RUNG_SWEEP_RUNS"))
	if err != nil {
		t.Skip("takes minutes; RUNG_SWEEP_RUNS=100000 does it")
	}
	dir := sweepFolder(t, 1)
	at := func(name string) string { return filepath.Join(dir, name) }
	integrator := cmp.Or(os.Getenv("RUNG_SWEEP_INTEGRATOR"), "rollout-rk4")
	require.NoError(t, os.WriteFile(at("s.json"), fmt.Appendf(nil, manyStudy, integrator, runs), 0o666))
	sweep := func(name string, more ...string) []string {
		return append([]string{"sweep", at("s.json"), "-o", at(name + ".parquet"), "--quiet", "--threads", "2"}, more...)
	}
	begun := time.Now()
	ok(t, sweep("whole")...)
	took := time.Since(begun)
	killSweep(t, func(more ...string) []string { return sweep("killed", more...) }, took, 5)
	sameBytes(t, at("whole.parquet"), at("killed.parquet"))
	_, rows := tableOf(t, at("whole.parquet"))
	require.Len(t, rows, runs)
	failed := 0
	for _, row := range rows {
		if row[5] != "done" {
			failed++
		}
	}
	t.Logf("%d of %d runs failed", failed, runs)
	var all [][]string
	for i := range 7 {
		ok(t, sweep("share", "--index", fmt.Sprint(i), "--of", "7")...)
		_, rows := tableOf(t, at("share.parquet"))
		all = append(all, rows...)
	}
	require.Equal(t, rows, all)
}

// TestSweepRolloutSingular: the parallelogram of docs/four-bar lies flat on its way, where fixed steps take no care.
// Such a run has failed, with the time. In the first hundredths of a second it is far from that, and done.
func TestSweepRolloutSingular(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	text, err := os.ReadFile("../../docs/four-bar.model.json")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("m.json"), text, 0o666))
	for until, status := range map[string]string{"1": "failed", "0.05": "done"} {
		study := `{"format": "rung-study/1", "model": "m.json", "run": {"until": ` + until + `, "step": 0.005, "every": 0.05, "integrator": "rollout-rk4"},
 "parameters": [{"name": "mass", "path": "bodies[0].mass", "values": [0.9, 1.1]}], "outputs": [{"name": "x", "column": "coupler.px", "take": "final"}]}`
		require.NoError(t, os.WriteFile(at("s.json"), []byte(study), 0o666))
		ok(t, "sweep", at("s.json"), "-o", at("runs.parquet"), "--quiet")
		names, rows := tableOf(t, at("runs.parquet"))
		require.Len(t, rows, 2)
		k := slices.Index(names, "status")
		for _, row := range rows {
			require.Equal(t, status, row[k])
			if status == "failed" {
				require.Contains(t, row[k+1], "may have gone over a singular pose")
			}
		}
	}
}
