package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain has the tests see terminals of the usual width, and collect garbage less often.
func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv(asCommand); ok {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
	}
	os.Unsetenv("COLUMNS")
	debug.SetGCPercent(800) // hundreds of commands in one process: collecting after each was a third of the time
	os.Exit(m.Run())
}

// asCommand is the variable with the arguments, a line each, of a test program that is to be the command.
const asCommand = "RUNG_TEST_AS_COMMAND"

const reference = "../../reference"

// command is the whole command.
var command = clitest.Command(newRoot)

// result is what one run of the command did.
type result = clitest.Result

// rungRun runs one command line with nothing on standard input.
func rungRun(args ...string) result { return command.Run(args...) }

func rungWith(stdin string, args ...string) result { return command.RunWith(stdin, args...) }

// ok runs one command line that has to succeed and returns its output.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	return command.OK(t, args...)
}

// failingWriter fails after some bytes.
type failingWriter struct{ room int }

var errFull = errors.New("no space left")

func (w *failingWriter) Write(b []byte) (int, error) {
	if len(b) > w.room {
		return 0, errFull
	}
	w.room -= len(b)
	return len(b), nil
}

// generated writes a model of a family and returns its path.
func generated(t *testing.T, family, n string, more ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), family+".json")
	ok(t, append([]string{"generate", family, n, "-o", path}, more...)...)
	return path
}

func ikFile(name string) string { return filepath.Join(reference, "ik", name) }

func golden(name string) string {
	return filepath.Join(reference, "golden", name+".model.json")
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help"}, {"accel", "-h"}, {"matrix", "-h"}, {"generate", "-h"}, {"bench", "-h"}, {"version", "-h"}} {
		out := ok(t, args...)
		assert.Contains(t, out, "Usage:")
		clitest.RequireColumns(t, out)
	}
}

func TestVersion(t *testing.T) {
	assert.Regexp(t, `^rung version \S+ \(go1\.\S+ \w+/\w+\)\n$`, ok(t, "version"))
	assert.Contains(t, ok(t, "--version"), "rung version")
}

func TestCompletion(t *testing.T) {
	assert.Contains(t, ok(t, "completion", "bash"), "rung")
	assert.Contains(t, ok(t, "__complete", "accel", "--ordering", ""), "nested-dissection")
	assert.Contains(t, ok(t, "__complete", "generate", ""), "revolute-net")
	assert.Contains(t, ok(t, "__complete", "accel", ""), "json")
	assert.Contains(t, ok(t, "__complete", "bench", "--family", ""), "all")
}

// TestCompletionOfNames offers names of the model on the line.
func TestCompletionOfNames(t *testing.T) {
	offered := func(args ...string) []string {
		return strings.Split(strings.TrimSpace(ok(t, append([]string{"__complete"}, args...)...)), "\n")
	}
	m := golden("four-bar")
	assert.Equal(t, []string{"p1", "p2", "p3", "p4", ":6"}, offered("simulate", m, "--wrenches", ""))
	assert.Equal(t, []string{"crank", "coupler", ":6"}, offered("simulate", m, "--bodies", "c"))
	assert.Equal(t, []string{"crank,coupler", ":6"}, offered("assemble", m, "--hold", "crank,c"))
	assert.Equal(t, []string{"p1", "p2", "p3", "p4", ":6"}, offered("inverse", m, "--actuated", "p"))
	assert.Contains(t, offered("inverse", golden("type-universal"), "--actuated", ""), "u1.1")
	assert.NotContains(t, offered("inverse", golden("ball-ladder-5"), "--actuated", ""), "lt1")
	for _, path := range []string{"missing.json", reference} {
		assert.Equal(t, []string{":6"}, offered("simulate", path, "--bodies", ""))
	}
	assert.Equal(t, []string{":6"}, offered("simulate", "--bodies", ""))
}

func TestBadUse(t *testing.T) {
	model := golden("four-bar")
	missing := filepath.Join(t.TempDir(), "missing", "x")
	for _, c := range []struct {
		says string
		args []string
	}{
		{`unknown command "acel", did you mean accel?`, []string{"acel"}},
		{`unknown command "zzz"`, []string{"zzz"}},
		{`unknown command "simul", did you mean simulate?`, []string{"simul"}},
		{"unknown command \"up\"\n", []string{"up"}},
		{`no joint "P1"; there are "p1", "p2", "p3", "p4"; did you mean p1?`, []string{"inverse", model, "--actuated", "P1"}},
		{"unknown flag: --orderng, did you mean --ordering?", []string{"accel", model, "--orderng", "auto"}},
		{"unknown flag: --frob", []string{"accel", model, "--frob"}},
		{"missing MODEL", []string{"accel"}},
		{`unexpected argument "y"`, []string{"accel", model, "y"}},
		{`no ordering "amd"; there are auto, natural`, []string{"accel", model, "--ordering", "amd"}},
		{`no method "tree"; there are sparse, tree-direct, tree-lambda, tree-projection`, []string{"accel", model, "--method", "tree"}},
		{`no method "tree-aba"`, []string{"accel", model, "--method", "tree-aba"}},
		{`no method "x"; there are sparse`, []string{"bench", "--method", "sparse,x"}},
		{"no such file", []string{"accel", "missing.json"}},
		{"no actuators", []string{"inverse", model}},
		{`no joint "x"`, []string{"inverse", model, "--actuated", "x"}},
		{`has no freedom "1"`, []string{"inverse", model, "--actuated", "p1.1"}},
		{"no scalar freedom", []string{"inverse", golden("ball-ladder-5"), "--actuated", "lt1"}},
		{`joint "p1": freedom cannot be prescribed: freedom 0 is given twice`, []string{"inverse", model, "--actuated", "p1,p1"}},
		{"both read from standard input", []string{"inverse", "-", "--actuated", "p1", "--accel", "-"}},
		{"no such file", []string{"inverse", model, "--actuated", "p1", "--accel", missing}},
		{"is a directory", []string{"accel", directory(t, "d.json")}},
		{`ending in ".step"; models end in .json`, []string{"accel", "robot.step"}},
		{`robot: has no ending`, []string{"accel", "robot"}},
		{"unknown flag: --thread", []string{"bench", "--thread", "2"}},
		{"not a number of threads", []string{"accel", golden("four-bar"), "--threads", "0"}},
		{"missing FAMILY and N", []string{"generate"}},
		{"missing N", []string{"generate", "ladder"}},
		{"missing -o MODEL", []string{"generate", "ladder", "3"}},
		{`; did you mean ladder?`, []string{"generate", "laddr", "3", "-o", "-"}},
		{`no family "stair"; there are ladder`, []string{"generate", "stair", "3", "-o", "-"}},
		{`size "0" is not`, []string{"generate", "ladder", "0", "-o", "-"}},
		{`size "-3" is not`, []string{"generate", "ladder", "-o", "-", "--", "-3"}},
		{`size "1.5" is not`, []string{"generate", "ladder", "1.5", "-o", "-"}},
		{`size "nan" is not`, []string{"generate", "ladder", "nan", "-o", "-"}},
		{"more than 10000000 bodies", []string{"generate", "grid", "1e6", "-o", "-"}},
		{"--theta is an angle of nfourbar", []string{"generate", "ladder", "3", "--theta", "1", "-o", "-"}},
		{"--theta is not finite", []string{"generate", "nfourbar", "3", "--theta", "inf", "-o", "-"}},
		{"has to end in .json", []string{"generate", "ladder", "3", "-o", "ladder.txt"}},
		{"no such file", []string{"generate", "ladder", "3", "-o", missing + ".json"}},
		{"nothing to write", []string{"matrix", model}},
		{"two outputs in one file", []string{"matrix", model, "-o", "K.svg", "--spy", "./K.svg"}},
		{"no such file", []string{"matrix", model, "-o", missing}},
		{"no such file", []string{"matrix", model, "--spy", missing + ".svg"}},
		{"K.png: pictures end in .svg here", []string{"matrix", model, "--spy", "K.png"}},
		{"pictures end in .svg here", []string{"matrix", model, "--spy", missing}},
		{`no family "stair"`, []string{"bench", "--family", "ladder,stair"}},
		{`size "ten" is not`, []string{"bench", "--sizes", "10,ten"}},
		{"no such file", []string{"bench", "--csv", missing}},
		{"no such file", []string{"bench", "--plot", missing + ".svg"}},
		{"b.pdf: pictures end in .svg or .png here", []string{"bench", "--plot", "b.pdf"}},
		{"both write to standard output", []string{"bench", "--json", "--csv", "-"}},
		{"both write to standard output", []string{"bench", "--json", "--plot", "-"}},
		{"both write to standard output", []string{"bench", "--csv", "-", "--plot", "-"}},
		{"pictures go to files that end in .svg or .png", []string{"ik", model, "--reach", "crank = 0,0,0", "--plot", "-"}},
		{"pictures go to files that end in .svg or .png", []string{"fit", missing, "--plot", "-"}},
		{"pictures go to files that end in .svg or .png", []string{"terrain", "random", "--relief", "-"}},
		{"--max-seconds is below 0", []string{"bench", "--max-seconds", "-1"}},
		{"--min-seconds is not", []string{"bench", "--min-seconds", "nan"}},
		{`a family is measured by --family ladder`, []string{"bench", "ladder"}},
		{`no such file`, []string{"bench", missing + ".json"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			r := rungRun(c.args...)
			assert.Equal(t, shell.ExitUse, r.Status)
			assert.Contains(t, r.Err, c.says)
			assert.Empty(t, r.Out)
		})
	}
}

// directory returns the path of a new directory of that name.
func directory(t *testing.T, name string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.Mkdir(path, 0o755))
	return path
}

// TestFullOutput has every command write to an output that runs out of space.
func TestFullOutput(t *testing.T) {
	check.Long(t)
	model := golden("four-bar")
	for _, args := range [][]string{
		{"accel", model},
		{"accel", model, "--json"},
		{"generate", "ladder", "10", "-o", "-"},
		{"matrix", model, "-o", "-"},
		{"bench", "--sizes", "10", "--min-seconds", "0"},
		{"bench", "--sizes", "10", "--json", "--min-seconds", "0"},
		{"bench", "--sizes", "10", "--csv", "-", "--min-seconds", "0"},
		{"version"},
	} {
		var stderr bytes.Buffer
		status := command.RunTo(&failingWriter{10}, &stderr, "", args...)
		assert.Equal(t, shell.ExitFailed, status, args)
		assert.Contains(t, stderr.String(), errFull.Error(), args)
	}
}

// TestFailedFileIsRemoved leaves no half of a file behind.
func TestFailedFileIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	err := shell.WriteFile(path, nil, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, errFull)
	})
	require.ErrorIs(t, err, errFull)
	assert.NoFileExists(t, path)
}

// TestOtherDocument: a document of Rung in the place of another one is one line, not a line for each of its fields.
func TestOtherDocument(t *testing.T) {
	model, study := golden("four-bar"), filepath.Join(t.TempDir(), "s.json")
	require.NoError(t, os.WriteFile(study, []byte(`{"format": "rung-study/1", "model": "m.json", "run": {"until": 1}, "parameters": []}`), 0o600))
	for says, args := range map[string][]string{
		`is not "rung-study/1" (value "rung-model/1")`: {"sweep", model, "-o", filepath.Join(t.TempDir(), "x.parquet")},
		`is not "rung-ik/1" (value "rung-model/1")`:    {"ik", model, model},
		`is not "rung-model/1" (value "rung-study/1")`: {"accel", study},
	} {
		r := rungRun(args...)
		assert.Equal(t, shell.ExitUse, r.Status)
		assert.Contains(t, r.Err, says)
		assert.Equal(t, 1, strings.Count(r.Err, "\n"), r.Err)
	}
}
