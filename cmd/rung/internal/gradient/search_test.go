package gradient_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/derive/search"
	"github.com/rung-mbd/rung/model"
)

// searched makes a folder with a crank on a spring, a record of its motion, which is a damped oscillation about the vertical, and an
// objective, and returns the path of that.
func searched(t *testing.T, document string) string {
	t.Helper()
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	crank := `{"format": "rung-model/1", "name": "crank", "bodies": [{"name": "crank", "mass": 2, "com": [0.3, 0, 0],
 "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1, "xy": 0, "xz": 0, "yz": 0}, "velocity": {"linear": [0, 0, 0], "angular": [0, 0, 2]}}],
 "joints": [{"name": "main", "type": "revolute", "predecessor": "world", "successor": "crank", "stiffness": [STIFF], "damping": [0.1]}]}`
	write("m.json", strings.Replace(crank, "STIFF", "5", 1))
	const (
		inertia = 0.1 + 2*0.3*0.3
		decay   = 0.1 / (2 * inertia)
		rate    = 2 // at the start
	)
	omega := math.Sqrt(6/inertia - decay*decay) // of the stiffness to be found
	run := "time,joint.main.q\n"
	for i := range 21 {
		time := 0.05 * float64(i)
		run += fmt.Sprintf("%v,%v\n", time, rate/omega*math.Exp(-decay*time)*math.Sin(omega*time))
	}
	write("run.csv", run)
	write("o.json", document)
	return filepath.Join(folder, "o.json")
}

const fitDocument = `{"format": "rung-objective/1", "model": "m.json", "at": "run", "run": {"until": 1, "tolerance": 1e-10},
 "terms": [{"name": "angle", "column": "joint.main.q", "take": "data", "data": "run.csv"}],
 "parameters": [{"name": "k", "path": "joints[main].stiffness[0]", "bounds": [1, 9]}, {"name": "m", "path": "bodies[crank].mass"},
  {"name": "I", "path": "bodies[crank].inertia.zz"}]}`

// TestFit finds what the data say, names what they do not, writes the model, draws, and goes on from a checkpoint to the same bytes.
func TestFit(t *testing.T) {
	document := strings.Replace(fitDocument, `, {"name": "m", "path": "bodies[crank].mass"},
  {"name": "I", "path": "bodies[crank].inertia.zz"}`, "", 1)
	path := searched(t, document)
	at := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	text := command.OK(t, "fit", path, "--json", "-o", at("fitted.json"), "--plot", at("fit.svg"))
	clitest.MustFit(t, "fit", text)
	var r search.FitResult
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	assert.InDelta(t, 6, r.Parameters[0].Value, 1e-6)
	fitted, err := os.ReadFile(at("fitted.json"))
	require.NoError(t, err)
	assert.Contains(t, string(fitted), "stiffness\": [6")
	svg, err := os.ReadFile(at("fit.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(svg), "angle")
	_, err = model.ReadFile(at("fitted.json"))
	require.NoError(t, err)

	_ = command.OK(t, "fit", path, "--json", "--iterations", "1", "--checkpoint", at("c.json"))
	assert.Equal(t, text, command.OK(t, "fit", path, "--json", "--checkpoint", at("c.json"), "--resume"))
	assert.Equal(t, text, command.OK(t, "fit", path, "--json", "--checkpoint", at("none.json"), "--resume"))

	require.NoError(t, os.WriteFile(path, []byte(fitDocument), 0o600))
	run := command.Run("fit", path, "--checkpoint", at("c.json"), "--resume")
	assert.Equal(t, shell.ExitUse, run.Status)
	assert.Contains(t, run.Err, "is of another search")
	table := command.OK(t, "fit", path)
	clitest.RequireColumns(t, table)
	assert.Contains(t, strings.Join(strings.Fields(table), " "), "undetermined m with I")
	t.Setenv("COLUMNS", "40")
	for line := range strings.Lines(command.OK(t, "fit", path)) {
		assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 40, line)
	}
}

const optimumDocument = `{"format": "rung-objective/1", "model": "m.json", "at": "run",
 "run": {"until": 0.5, "integrator": "rk4", "step": 0.01, "every": 0.01},
 "terms": [{"name": "angle", "column": "joint.main.q", "power": 2, "target": 0.5}],
 "parameters": [{"name": "k", "path": "joints[main].stiffness[0]", "bounds": [0.1, 90]}],
 "constraints": [{"name": "turned", "column": "joint.main.q", "take": "max", "at_least": 0.6}]}`

// TestOptimize brings a crank to an angle, as far as a constraint lets it.
func TestOptimize(t *testing.T) {
	path := searched(t, optimumDocument)
	at := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	args := []string{"optimize", path, "--json", "-o", at("best.json"), "--plot", at("search.svg"), "--checkpoint", at("c.json")}
	text := command.OK(t, args...)
	clitest.MustFit(t, "optimum", text)
	var r search.Optimum
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	assert.Equal(t, search.Converged, r.Status)
	assert.InDelta(t, 0.6, r.Constraints[0].Value, 1e-6)
	assert.Greater(t, r.Constraints[0].Multiplier, 0.0)
	assert.Less(t, r.Value, r.Start)
	assert.FileExists(t, at("search.svg"))
	assert.Equal(t, text, command.OK(t, append(args, "--resume")...))
	text = command.OK(t, "optimize", path)
	clitest.RequireColumns(t, text)
	assert.Contains(t, text, "turned")
	text = command.OK(t, "gradient", path, "--json", "--check", "--plot", at("bars.svg"))
	clitest.MustFit(t, "gradient", text)
	var g objective.Result
	require.NoError(t, json.Unmarshal([]byte(text), &g))
	require.NotNil(t, g.Parameters[0].Differences)
	assert.InEpsilon(t, *g.Parameters[0].Differences, g.Parameters[0].Gradient, 1e-5)
	clitest.RequireColumns(t, command.OK(t, "gradient", path, "--check"))
	assert.FileExists(t, at("bars.svg"))
}

// TestSearchOfOtherFiles: a search does not go on where a file that the model names has changed.
func TestSearchOfOtherFiles(t *testing.T) {
	path := searched(t, optimumDocument)
	at := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	text, err := os.ReadFile(at("m.json"))
	require.NoError(t, err)
	ground := `"terrains": [{"name": "hill", "type": "csv", "file": "hill.csv", "layout": "matrix", "spacing": [1, 1]}], "bodies"`
	require.NoError(t, os.WriteFile(at("m.json"), []byte(strings.Replace(string(text), `"bodies"`, ground, 1)), 0o600))
	heights := "0,0,0,0\n0,1,0,0\n0,0,0,0\n0,0,0,0\n"
	require.NoError(t, os.WriteFile(at("hill.csv"), []byte(heights), 0o600))
	args := []string{"optimize", path, "--iterations", "1", "--checkpoint", at("c.json"), "--resume"}
	command.OK(t, args...)
	command.OK(t, args...)
	require.NoError(t, os.WriteFile(at("hill.csv"), []byte(strings.Replace(heights, "1", "2", 1)), 0o600))
	r := command.Run(args...)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "is of another search")
}

// TestSearchHoldsFiles: what cannot be written is known before anything is computed.
func TestSearchHoldsFiles(t *testing.T) {
	path := searched(t, optimumDocument)
	at := func(name string) string { return filepath.Join(filepath.Dir(path), name) }
	for _, out := range [][]string{{"-o", at("none/m.json")}, {"--plot", at("none/p.svg")}} {
		r := command.Run(append([]string{"optimize", path, "--checkpoint", at("c.json")}, out...)...)
		assert.Equal(t, shell.ExitUse, r.Status)
		assert.Contains(t, r.Err, "no such file or directory")
		assert.NoFileExists(t, at("c.json"))
	}
}

// TestSearchRefused: bad use has status 2 and writes nothing.
func TestSearchRefused(t *testing.T) {
	path := searched(t, fitDocument)
	optimum := filepath.Join(filepath.Dir(path), "p.json")
	require.NoError(t, os.WriteFile(optimum, []byte(optimumDocument), 0o600))
	outside := filepath.Join(filepath.Dir(path), "q.json")
	require.NoError(t, os.WriteFile(outside, []byte(strings.Replace(fitDocument, "[1, 9]", "[6, 9]", 1)), 0o600))
	none := filepath.Join(filepath.Dir(path), "r.json")
	require.NoError(t, os.WriteFile(none, []byte(strings.Replace(fitDocument, "run.csv", "ran.csv", 1)), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fit", path, "--iterations", "0"}, "--iterations 0"},
		{[]string{"fit", path, "--resume"}, "--checkpoint"},
		{[]string{"fit", path, "--checkpoint", "c.txt"}, "c.txt"},
		{[]string{"fit", path, "--plot", "fit.pdf"}, "fit.pdf"},
		{[]string{"fit", path, "-o", path}, "would replace"},
		{[]string{"fit", path, "--checkpoint", path}, "would replace"},
		{[]string{"fit", path, "--resume", "--checkpoint", optimum}, "is no checkpoint"},
		{[]string{"fit", optimum}, `"angle" takes final`},
		{[]string{"fit", outside}, `"k" is 5 in the model`},
		{[]string{"optimize", outside}, `"k" is 5 in the model`},
		{[]string{"fit", none}, "ran.csv"},
		{[]string{"gradient", path, "--along", "x.json", "--check"}, "--check and --plot"},
	} {
		r := command.Run(c.args...)
		assert.Equal(t, shell.ExitUse, r.Status, "%v: %s", c.args, r.Err)
		assert.Contains(t, r.Err, c.want)
		assert.Empty(t, r.Out)
	}
}

// TestOptimizeTask writes the task with the numbers that were found, of which the model that is written has the solution.
func TestOptimizeTask(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"arm.json", "pick.json", "place.objective.json"} {
		text, err := os.ReadFile(filepath.Join("../../../../examples/reach", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(at(name), text, 0o600))
	}
	path := at("place.objective.json")
	command.OK(t, "optimize", path, "--task", at("placed.json"), "-o", at("posed.json"))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	found := strings.NewReplacer("arm.json", "posed.json", "pick.json", "placed.json").Replace(string(text))
	require.NoError(t, os.WriteFile(at("found.json"), []byte(found), 0o600))
	var g objective.Result
	require.NoError(t, json.Unmarshal([]byte(command.OK(t, "gradient", at("found.json"), "--json")), &g))
	assert.Less(t, g.Value, 1e-12)
	assert.InDelta(t, 0.497, g.Parameters[0].Value, 1e-3)
	command.OK(t, "optimize", path, "--iterations", "1", "--checkpoint", at("c.json"))
	for _, args := range [][]string{
		{"-o", at("pick.json")}, {"--checkpoint", at("pick.json")}, {"--checkpoint", at("arm.json")}, {"--task", at("arm.json")}, {"--task", path},
		{"-o", at("x.json"), "--task", at("x.json")},
	} {
		r := command.Run(append([]string{"optimize", path}, args...)...)
		assert.Equal(t, shell.ExitUse, r.Status)
		assert.Contains(t, r.Err, "would replace this file")
	}
	r := command.Run("optimize", path, "--task", at("x.csv"))
	assert.Contains(t, r.Err, "--task "+at("x.csv")+": the file ends in .json")
	text, err = os.ReadFile(at("pick.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at("pick.json"), []byte(strings.Replace(string(text), "0.3, 0.2", "0.31, 0.2", 1)), 0o600))
	r = command.Run("optimize", path, "--checkpoint", at("c.json"), "--resume")
	assert.Contains(t, r.Err, "is of another search")
	r = command.Run("optimize", searched(t, optimumDocument), "--task", at("x.json"))
	assert.Contains(t, r.Err, "the objective has no task: at is run")
}

// TestSearchKeepsItsInputs: a checkpoint does not replace the model of a search.
func TestSearchKeepsItsInputs(t *testing.T) {
	path := searched(t, optimumDocument)
	r := command.Run("optimize", path, "--checkpoint", filepath.Join(filepath.Dir(path), "m.json"))
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "m.json: the checkpoint would replace this file")
}
