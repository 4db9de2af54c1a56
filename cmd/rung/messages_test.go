package main

import (
	"encoding/json"
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

// TestMessages: first lines of messages, whole, that once leaked texts
// of libraries, said a thing twice, or told of the wrong mistake.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	ok(t, "generate", "jansen", "1", "-o", "m.json")
	for name, text := range map[string]string{"plain": "{}", "twice.csv": "time,time\n1,2\n", "word.csv": "time,shaft.px\n1,x\n", "no.parquet": "PAR"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"plain: has no ending, which says what a file is; models end in .json (rung-model/1), in tables in .tables, files to import in .urdf, .sdf, .world, .xml, .mjcf, .asmt, .usda, .usd, .usdc, .usdz", []string{"accel", "plain"}},
		{`.: is a folder; models end in .json (rung-model/1), in tables in .tables, files to import in .urdf, .sdf, .world, .xml, .mjcf, .asmt, .usda, .usd, .usdc, .usdz`, []string{"accel", "."}},
		{`a.txt: cannot read files ending in ".txt"; models end in .json (rung-model/1), in tables in .tables, files to import in .urdf, .sdf, .world, .xml, .mjcf, .asmt, .usda, .usd, .usdc, .usdz`, []string{"accel", "a.txt"}},
		{`--port: "1.5" is not a whole number`, []string{"view", "--port", "1.5", "m.json"}},
		{`--port: "99999999999999999999" is too large`, []string{"play", "--port", "99999999999999999999", "m.json"}},
		{`--until: "soon" is not a number`, []string{"simulate", "m.json", "--until", "soon"}},
		{`--seed: "-1" is not a whole number, not below 0`, []string{"generate", "ladder", "3", "--seed", "-1"}},
		{`--json: "maybe" is not true or false`, []string{"accel", "m.json", "--json=maybe"}},
		{`--threads: "x" is not a number of threads from 1 to 1024`, []string{"accel", "m.json", "--threads", "x"}},
		{"a.pdf: what is drawn ends in .svg, .png, .gif, .glb, .mcap, .html", []string{"draw", "m.json", "-o", "a.pdf"}},
		{`twice.csv: line 1: column 2 repeats the name "time"`, []string{"draw", "m.json", "--run", "twice.csv", "-o", "a.svg"}},
		{`no.parquet is no trajectory in the format rung-trajectory/1`, []string{"draw", "m.json", "--run", "no.parquet", "-o", "a.svg"}},
		{"word.csv: the trajectory has columns of body", []string{"draw", "m.json", "--run", "word.csv", "-o", "a.svg"}},
		{"--plot-columns needs --plot FILE", []string{"kinematics", "m.json", "--until", "1", "--plot-columns", "time"}},
		{"p.pdf: pictures end in .svg or .png", []string{"kinematics", "m.json", "--until", "1", "--plot", "p.pdf"}},
	} {
		r := rungRun(c.args...)
		assert.Equal(t, shell.ExitUse, r.Status, c.args)
		assert.True(t, strings.HasPrefix(r.Err, "rung: "+c.want), "%s\nin place of\n%s", r.Err, c.want)
	}
	assert.Contains(t, rungRun("generate", "foo", "3").Err, `no family "foo"`)
	r := rungRun("kinematics", "m.json", "--drive", "shaft=1", "--until", "1e300", "--out", "k.csv")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, `the next time is too far ahead to follow the motion there: in 1e+298 s body "shaft" would travel 1e+298 rad`)
	assert.NotContains(t, r.Err, "dead position")
	help := strings.Join(strings.Fields(ok(t, "simulate", "--help")), " ")
	assert.Contains(t, help, "--tol float relative error that a step may make (default 1e-08, of generalized-alpha 1e-06) --")
}

// TestUnitsAreAsked: what looks like another unit is asked beside the output, which stays as it is.
func TestUnitsAreAsked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.json")
	text := `{"format": "rung-model/1", "bodies": [{"name": "a", "mass": 1, "com": [0.5, 0, 0], "inertia": {"xx": 0.001, "yy": 0.08, "zz": 0.08}}],
		"joints": [{"name": "p", "type": "revolute", "predecessor": "world", "successor": "a", "limits": [{"lower": %s, "upper": 90}]}]}`
	run := func(lower string) result {
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(text, "%s", lower, 1)), 0o600))
		return rungRun("accel", file, "--json")
	}
	asked, silent := run("-90"), run("-1.5")
	require.Equal(t, "rung: warning: "+file+": $.joints[0].limits[0]: 90 rad are 14.3 turns; degrees? (value -90, 90)\n", asked.Err)
	require.Empty(t, silent.Err)
	require.Equal(t, 0, asked.Status)
	require.Equal(t, silent.Out, asked.Out)
}

// TestUnwritable: a folder in which no file can be made is bad use, whatever the command.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	ok(t, "generate", "jansen", "1", "-o", in("m.json"))
	require.NoError(t, os.WriteFile(in("file"), nil, 0o600)) // no folder at all, as the tests may run as a user who may write everywhere
	model := in("m.json")
	for _, args := range [][]string{
		{"generate", "ladder", "3", "-o", in("file/x.json")}, {"assemble", model, "-o", in("file/x.json")}, {"equilibrium", model, "-o", in("file/x.json")},
		{"matrix", model, "-o", in("file/x.mtx")}, {"simulate", model, "--until", "0.01", "--out", in("file/x.csv")}, {"simulate", model, "--until", "0.01", "--out", in("file/x.parquet")},
		{"simulate", model, "--until", "0.01", "--out", in("x.csv"), "--plot", in("file/x.svg")}, {"draw", model, "-o", in("file/x.png")}, {"export", model, "-o", in("file/x.urdf")},
		{"kinematics", model, "--until", "0.01", "--drive", "shaft=1", "--out", in("file/x.csv")}, {"kinematics", model, "--until", "0.01", "--drive", "shaft=1", "--out", in("x.csv"), "--plot", in("file/x.svg")},
		{"bench", "--sizes", "5", "--csv", in("file/x.csv")}, {"terrain", "function", "x", "--size", "3x3", "-o", in("file/x.csv")},
	} {
		r := rungRun(args...)
		assert.Equal(t, shell.ExitUse, r.Status, "%q: %s", args, r.Err)
		assert.Contains(t, r.Err, in("file"), args)
	}
}

// TestKinematicsPlot: the picture has energies, drift and what moves, or
// what is named; with a document the rows are those without a picture.
func TestKinematicsPlot(t *testing.T) {
	check.Long(t)
	path := generated(t, "jansen", "1")
	at := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	args := []string{"kinematics", path, "--drive", "shaft=3", "--until", "0.5", "--every", "0.05"}
	with := func(more ...string) []string { return append(args[:len(args):len(args)], more...) }
	ok(t, with("--out", at("a.csv"), "--quiet")...)
	ok(t, with("--out", at("b.csv"), "--plot", at("b.svg"), "--quiet")...)
	assert.Equal(t, readText(t, at("a.csv")), readText(t, at("b.csv")))
	picture := readText(t, at("b.svg"))
	for _, word := range []string{"change of energy, J", "drift", "jansen-1"} {
		assert.Contains(t, picture, ">"+word+"<")
	}
	var plain, drawn simulate.Kinematics
	require.NoError(t, json.Unmarshal([]byte(ok(t, with("--json", "--columns", "joint.*.q")...)), &plain))
	require.NoError(t, json.Unmarshal([]byte(ok(t, with("--json", "--columns", "joint.*.q", "--plot", at("c.svg"), "--plot-columns", "joint.shaft.q")...)), &drawn))
	assert.Equal(t, plain.Rows, drawn.Rows)
	assert.Contains(t, readText(t, at("c.svg")), ">joint.shaft.q<")
	r := rungRun(with("--plot", at("d.svg"), "--plot-columns", "nose")...)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, `--plot-columns: no column "nose" in the trajectory`)
	assert.NoFileExists(t, at("d.svg"))
}
