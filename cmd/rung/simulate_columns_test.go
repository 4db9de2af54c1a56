package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
)

// markedJansen returns a model with legs and a marker on a foot.
func markedJansen(t *testing.T) string {
	t.Helper()
	path := generated(t, "jansen", "1")
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(readText(t, path)), &doc))
	doc["frames"] = []any{map[string]any{"name": "foot", "body": "tl0", "pose": map[string]any{"position": []float64{0.3, 0.2, 0}}}}
	b, err := json.Marshal(doc)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return path
}

// TestSimulateColumns writes the columns that are asked for, in their
// order, in both formats; a run that goes on keeps them.
func TestSimulateColumns(t *testing.T) {
	check.Long(t)
	path := markedJansen(t)
	const patterns = "marker.foot.p?,joint.shaft.q*,joint.ankle?0.q,pin jl0.force.x,energy.*"
	at := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	until, steps := "1", 100
	ok(t, "simulate", path, "--until", until, "--columns", patterns, "--out", at("whole.csv"), "--quiet")
	columns, rows := readTrajectory(t, readText(t, at("whole.csv")))
	assert.Equal(t, "time,marker.foot.px,marker.foot.py,marker.foot.pz,joint.shaft.q,joint.shaft.qd,joint.shaft.qdd,joint.anklel0.q,joint.ankler0.q,pin jl0.force.x,energy.kinetic,energy.potential", strings.Join(columns, ","))
	assert.Len(t, rows, 101)

	args := []string{"simulate", path, "--columns", patterns, "--out", at("parts.csv"), "--checkpoint", at("c.ckpt"), "--until", until, "--quiet"}
	cmd := simulate.Command(&simulate.Flags{Interrupted: func() bool { steps--; return steps < 0 }})
	cmd.SetArgs(args[1:])
	cmd.SetErr(io.Discard)
	require.ErrorIs(t, cmd.ExecuteContext(t.Context()), simulate.ErrInterrupted)
	require.Less(t, len(readText(t, at("parts.csv"))), len(readText(t, at("whole.csv"))))
	ok(t, append(args, "--resume")...)
	assert.Equal(t, readText(t, at("whole.csv")), readText(t, at("parts.csv")), "the rows of a run in two parts")
	args[3] = "marker.foot.p?"
	r := rungRun(append(args, "--resume")...)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, strings.Join(strings.Fields(r.Err), " "), "is not a trajectory of these bodies and joints: its columns have \"joint.shaft.q\"")

	ok(t, "simulate", path, "--until", "0.1", "--columns", patterns, "--out", at("run.parquet"), "--quiet", "--plot", at("run.svg"))
	picture := readText(t, at("run.svg"))
	for _, word := range []string{"rad", "rad/s²", "N", "joint.shaft.qdd"} {
		assert.Contains(t, picture, ">"+word+"<")
	}

	for want, more := range map[string][]string{
		`--columns: no column "joint.shaf.q"; there is "joint.shaft.q", "joint.shaft.qd", "joint.shaft.qdd"`: {"--columns", "joint.shaf.q"},
		"--columns chooses all columns":      {"--columns", "time", "--bodies", "tl0"},
		"--columns has an empty name":        {"--columns", "time,,"},
		`no column "nose" in the trajectory`: {"--columns", "joint.shaft.q", "--plot", at("x.svg"), "--plot-columns", "nose"},
	} {
		r := rungRun(append([]string{"simulate", path, "--until", "1"}, more...)...)
		assert.Equal(t, shell.ExitUse, r.Status, want)
		assert.Contains(t, r.Err, want)
	}

	list := ok(t, "simulate", path, "--list-columns")
	assert.True(t, strings.HasPrefix(list, "time\ts\nenergy.kinetic\tJ\n"), list[:60])
	assert.Contains(t, list, "\njoint.shaft.qd\trad/s\n")
	assert.Contains(t, list, "\nmarker.foot.vz\tm/s\n")
	offered := ok(t, "__complete", "simulate", path, "--columns", "time,joint.sha")
	assert.Contains(t, offered, "time,joint.shaft.qdd\n")
}
