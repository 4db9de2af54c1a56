package gradient_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/gradient"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive/objective"
)

// TestObjective prints the document of the library, and a table with the parameters that count most first.
func TestObjective(t *testing.T) {
	text := command.OK(t, "gradient", data("run-pendulum.objective.json"), "--json")
	clitest.MustFit(t, "gradient", text)
	var r objective.Result
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	assert.InDelta(t, 0.3317733582456312, r.Value, 1e-9)
	require.NotNil(t, r.Run)
	require.Len(t, r.Initial, 1)
	clitest.MustFit(t, "gradient", command.OK(t, "gradient", data("eq-four-bar-modes.objective.json"), "--json"))

	table := command.OK(t, "gradient", data("run-pendulum.objective.json"))
	clitest.RequireColumns(t, table)
	assert.Less(t, strings.Index(table, "gravity[1]"), strings.Index(table, "bodies[link1].mass"))
	t.Setenv("COLUMNS", "40")
	for line := range strings.Lines(command.OK(t, "gradient", data("run-four-bar.objective.json"))) {
		assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 40, line)
	}
}

// TestObjectiveRefused: bad documents and models have status 2, what has no derivative has status 1; nothing is printed.
func TestObjectiveRefused(t *testing.T) {
	model, err := filepath.Abs(data("four-bar.model.json"))
	require.NoError(t, err)
	for _, c := range []struct {
		document, want string
		status         int
	}{
		{`{"format": "rung-objective/1", "model": "MODEL", "at": "state", "terms": [{"column": "crank.x"}]}`, "$.terms[0].column", shell.ExitUse},
		{`{"format": "rung-objective/1", "model": "none.json", "at": "state", "terms": [{"column": "crank.px"}]}`, "none.json", shell.ExitUse},
		{`{"format": "rung-objective/1", "model": "MODEL", "at": "state"}`, "$.terms: missing field", shell.ExitUse},
		{
			`{"format": "rung-objective/1", "model": "MODEL", "at": "closed", "terms": [{"column": "crank.px"}],
			  "parameters": [{"path": "joints[p2].predecessor_frame.position[2]"}]}`, "breaks a loop", shell.ExitFailed,
		},
	} {
		path := filepath.Join(t.TempDir(), "o.json")
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(c.document, "MODEL", model, 1)), 0o600))
		r := command.Run("gradient", path, "--json")
		assert.Equal(t, c.status, r.Status, r.Err)
		assert.Contains(t, r.Err, c.want)
		assert.Empty(t, r.Out)
	}
	r := command.Run("gradient", data("run-top.objective.json"), "--untried")
	assert.Equal(t, shell.ExitUse, r.Status)
}

// TestFirstMatrix: a run of generalized-alpha whose first matrix has a stiff contact says how much of its gradient depends on it; one
// without springs says nothing.
func TestFirstMatrix(t *testing.T) {
	for _, c := range []struct {
		model        string
		counts, told bool
	}{
		{clitest.Reference("ground", "disc-roll.model.json"), true, true},
		{data("springs.model.json"), true, false}, // soft ones
		{data("run-top.model.json"), false, false},
	} {
		path, err := filepath.Abs(c.model)
		require.NoError(t, err)
		m, err := os.ReadFile(path)
		require.NoError(t, err)
		var doc struct{ Bodies []struct{ Name string } }
		require.NoError(t, json.Unmarshal(m, &doc))
		body := doc.Bodies[0].Name
		file := filepath.Join(t.TempDir(), "o.json")
		require.NoError(t, os.WriteFile(file, []byte(`{"format": "rung-objective/1", "model": "`+filepath.ToSlash(path)+`", "at": "run",
			"run": {"until": 0.1, "step": 0.004, "integrator": "generalized-alpha"}, "terms": [{"column": "`+body+`.px"}],
			"parameters": [{"path": "bodies[`+body+`].mass"}, {"path": "gravity[0]"}]}`), 0o600))
		text := command.OK(t, "gradient", file, "--json")
		clitest.MustFit(t, "gradient", text)
		var r objective.Result
		require.NoError(t, json.Unmarshal([]byte(text), &r))
		assert.Equal(t, c.counts, r.Run.Matrix > 1e-12, c.model)
		assert.Equal(t, c.told, strings.Contains(command.OK(t, "gradient", file), "stiffness and damping in the first step"), c.model)
	}
}

// TestEvents: a ball that bounces with restitution, and then the time until it has fallen to a height, by the command, against closed forms.
func TestEvents(t *testing.T) {
	const tol = 1e-9
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("ball.json", `{"format": "rung-model/1", "name": "ball", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "ball", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0, 0, 1.2]}}],
 "joints": [{"name": "rail", "type": "prismatic", "predecessor": "world", "successor": "ball",
  "limits": [{"lower": 0, "stop": {"stiffness": 1e5, "restitution": 0.8, "impact_speed": 0.01}}]}]}`)
	run := func(name, more, terms string) (r objective.Result) {
		path := write(name, `{"format": "rung-objective/1", "model": "ball.json", "at": "run", "run": {"until": 1.2, "tolerance": 1e-10`+more+`},
 "terms": [`+terms+`], "parameters": [{"path": "joints[rail].limits[0].stop.restitution"}, {"path": "gravity[2]"}]}`)
		text := command.OK(t, "gradient", path, "--json", "--check")
		clitest.MustFit(t, "gradient", text)
		require.NoError(t, json.Unmarshal([]byte(text), &r))
		for _, p := range r.Parameters {
			require.NotNil(t, p.Differences)
			assert.InDelta(t, *p.Differences, p.Gradient, 1e-6, p.Name)
		}
		return r
	}
	// It lands with v = √2gH after v/g, and is at e v T − g T²/2 a time T later.
	g, e, H := 9.81, 0.8, 1.2
	v := math.Sqrt(2 * g * H)
	T, vg := 1.2-v/g, v/(2*g) // and how v changes with g
	Tg := -(vg - v/g) / g
	r := run("bounce.json", "", `{"column": "ball.pz"}`)
	assert.InDelta(t, e*v*T-g*T*T/2, r.Value, tol)
	assert.InDelta(t, v*T, r.Parameters[0].Gradient, tol)
	assert.InDelta(t, -(e*vg*T + e*v*Tg - T*T/2 - g*T*Tg), r.Parameters[1].Gradient, tol)
	// It falls past the height z the time (e v + √(e²v² − 2 g z))/g later.
	z := 0.5
	root := math.Sqrt(e*e*v*v - 2*g*z)
	r = run("fall.json", `, "ends_at": {"column": "joint.rail.q", "value": 0.5, "direction": "falling"}`, `{"column": "time"}`)
	// The first fall, without a bounce: √(2(H − z)/g).
	assert.InDelta(t, math.Sqrt(2*(H-z)/g), r.Value, tol)
	assert.InDelta(t, 0, r.Parameters[0].Gradient, tol)
	assert.InDelta(t, math.Sqrt(2*(H-z)/g)/(2*g), r.Parameters[1].Gradient, tol)
	r = run("rise.json", `, "ends_at": {"column": "joint.rail.q", "value": 0.5, "direction": "rising"}`, `{"column": "time"}`)
	assert.InDelta(t, v/g+(e*v-root)/g, r.Value, tol)
	assert.InDelta(t, (v-e*v*v/root)/g, r.Parameters[0].Gradient, tol)

	path := write("bad.json", `{"format": "rung-objective/1", "model": "ball.json", "at": "run",
 "run": {"until": 1, "ends_at": {"column": "ball.accz", "value": 0}}, "terms": [{"column": "ball.pz"}]}`)
	bad := command.Run("gradient", path)
	assert.Equal(t, shell.ExitUse, bad.Status)
	assert.Contains(t, bad.Err, "$.run.ends_at.column")
	path = write("clock.json", `{"format": "rung-objective/1", "model": "ball.json", "at": "run", "run": {"until": 1}, "terms": [{"column": "time"}]}`)
	bad = command.Run("gradient", path)
	assert.Equal(t, shell.ExitUse, bad.Status)
	assert.Contains(t, bad.Err, "$.terms[0].column")
	path = write("never.json", `{"format": "rung-objective/1", "model": "ball.json", "at": "run",
 "run": {"until": 0.1, "ends_at": {"column": "ball.pz", "value": 0}}, "terms": [{"column": "ball.pz"}]}`)
	bad = command.Run("gradient", path)
	assert.Equal(t, shell.ExitFailed, bad.Status)
	assert.Contains(t, bad.Err, "ends_at")
}

// TestLinearize prints matrices in three forms.
func TestLinearize(t *testing.T) {
	args := []string{
		"linearize", data("lin-four-bar.model.json"), "--coordinates", "p1", "--inputs", "p1,p2", "--outputs", "coupler.px,joint.p3.qd",
	}
	text := command.OK(t, append(args, "--json")...)
	clitest.MustFit(t, "linearization", text)
	var r gradient.LinearizeResult
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	assert.Len(t, r.A, 2)
	assert.Len(t, r.B[1], 2)
	assert.Len(t, r.C, 2)
	require.Len(t, r.Eigenvalues, 2)
	assert.InDelta(t, r.A[0][0]+r.A[1][1], r.Eigenvalues[0][0]+r.Eigenvalues[1][0], 1e-12, "the trace")

	reader := csv.NewReader(strings.NewReader(command.OK(t, append(args, "--csv")...)))
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 4+8)
	assert.Equal(t, []string{"A"}, rows[0])

	table := command.OK(t, args...)
	clitest.RequireColumns(t, table)
	assert.Contains(t, table, "p1.0")
	assert.NotEmpty(t, command.OK(t, "linearize", data("lin-stewart.model.json")))
	for _, c := range [][]string{
		{"linearize", data("lin-four-bar.model.json"), "--coordinates", "p9"},
		{"linearize", data("lin-four-bar.model.json"), "--outputs", "coupler.pq"},
		{"linearize", data("lin-four-bar.model.json"), "--json", "--csv"},
	} {
		assert.Equal(t, shell.ExitUse, command.Run(c...).Status, c)
	}
	run := command.Run("linearize", data("lin-four-bar.model.json"), "--coordinates", "p1,p2")
	assert.Equal(t, shell.ExitFailed, run.Status)
	assert.Contains(t, run.Err, "p2")
}
