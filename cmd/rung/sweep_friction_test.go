package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweepFrictionTurns: rollouts vary dry friction, and count the turns of a wheel, as runs one by one do.
func TestSweepFrictionTurns(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) { require.NoError(t, os.WriteFile(at(name), []byte(text), 0o666)) }
	write("m.json", `{"format": "rung-model/1", "name": "wheel", "gravity": [0, 0, 0],
 "bodies": [{"name": "wheel", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "velocity": {"angular": [0, 0, 30]}}],
 "joints": [{"name": "axle", "type": "revolute", "predecessor": "world", "successor": "wheel", "friction": [{"force": 1, "speed": 0.5}]}]}`)
	const text = `{"format": "rung-study/1", "model": "m.json", "run": {"until": 2, "step": 0.01, "every": 0.5, "integrator": "rk4"},
 "parameters": [{"path": "joints[axle].friction[0].force", "values": [1, 2, 4]}],
 "outputs": [{"column": "joint.axle.q", "take": "final"}, {"column": "joint.axle.wrapped", "take": "max"}], "trajectories": ["joint.axle.q"]}`
	write("s.json", text)
	ok(t, sweepArgs(dir, "alone", "--quiet")...)
	write("s.json", strings.Replace(text, `"rk4"`, `"rollout-rk4"`, 1))
	ok(t, sweepArgs(dir, "one", "--quiet")...)
	for _, file := range []string{".parquet", "-paths.parquet"} {
		_, alone := tableOf(t, at("alone"+file))
		names, rows := tableOf(t, at("one"+file))
		require.Len(t, rows, len(alone))
		for i, row := range rows {
			for k := range row {
				if strings.HasPrefix(names[k], "joint.") {
					near(t, alone[i][k], row[k], "row %d, %s", i, names[k])
				}
			}
		}
	}
	names, rows := tableOf(t, at("one.parquet"))
	for i, force := range []float64{1, 2, 4} {
		for k, name := range names {
			x, err := strconv.ParseFloat(rows[i][k], 64)
			switch name {
			case "joint.axle.q.final":
				require.NoError(t, err)
				require.InDelta(t, 30*2-force*2*2/2, x, 0.1, "q = ωt − ½ft²")
			case "joint.axle.wrapped.max":
				require.NoError(t, err)
				require.LessOrEqual(t, x, 3.15)
			}
		}
	}
}
