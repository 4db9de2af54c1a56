package gradient_test

import (
	"encoding/csv"
	"encoding/json"
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
