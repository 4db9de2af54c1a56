package gradient_test

import (
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
)

var command = clitest.Of(gradient.Commands)

func data(name string) string { return clitest.Reference("derivatives", name) }

// push is a direction of a drive.
const push = `{"name": "push", "forces": [{"joint": "p1", "change": 1}]}`

// along writes a document with one direction and returns its path.
func along(t *testing.T, direction string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "along.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"format": "rung-directions/1", "directions": [`+direction+`]}`), 0o600))
	return path
}

// TestAlong has a closed form: of a pendulum with the moment of inertia I about the pin the angular acceleration changes by 1/I for
// a unit torque, and the reactions of the plane that nothing determines are null in a redundant loop.
func TestAlong(t *testing.T) {
	const tol = 1e-13
	var r gradient.AlongResult
	torque := along(t, `{"name": "torque", "loads": [{"body": "link1", "torque": [0, 0, 1]}]}`)
	require.NoError(t, json.Unmarshal([]byte(command.OK(t, "gradient", data("pendulum.model.json"), "--along", torque, "--json")), &r))
	require.Len(t, r.Directions, 1)
	alpha := r.Directions[0].Bodies[0].AngularAcceleration
	var twice gradient.AlongResult
	torque = along(t, `{"name": "torque", "loads": [{"body": "link1", "torque": [0, 0, 0.5]}, {"body": "link1", "torque": [0, 0, 1.5]}]}`)
	require.NoError(t, json.Unmarshal([]byte(command.OK(t, "gradient", data("pendulum.model.json"), "--along", torque, "--json")), &twice))
	assert.InEpsilon(t, 2*alpha[2], twice.Directions[0].Bodies[0].AngularAcceleration[2], tol, "entries of one body add up")

	text := command.OK(t, "gradient", data("four-bar.model.json"), "--along", along(t, push), "--json")
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	w := r.Directions[0].Joints[0].Total
	assert.NotNil(t, w.Force[0])
	assert.Nil(t, w.Force[2])
	assert.Nil(t, w.Moment[0])
	clitest.MustFit(t, "gradient", text)
}

// TestAlongTable is for people: a line a body, and zeros for what is rounding.
func TestAlongTable(t *testing.T) {
	text := command.OK(t, "gradient", data("four-bar.model.json"), "--along", along(t, push))
	clitest.RequireColumns(t, text)
	assert.Contains(t, text, "four-bar: derivatives along 1 direction")
	assert.Contains(t, text, "m/s²")
	assert.NotContains(t, text, "e-1")
	t.Setenv("COLUMNS", "40")
	narrow := command.OK(t, "gradient", data("four-bar.model.json"), "--along", along(t, push))
	for line := range strings.Lines(narrow) {
		assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 40, line)
	}
}

// TestAlongRefused: what has no derivative ends with status 1 and names the direction and a joint; what there is not, with status 2.
func TestAlongRefused(t *testing.T) {
	for _, c := range []struct {
		direction string
		status    int
		want      []string
	}{
		{
			`{"name": "out of plane", "follow": true, "parameters": [{"path": "joints[p2].predecessor_frame.position[2]", "change": 1}]}`,
			shell.ExitFailed, []string{`"out of plane"`, "joint", "breaks a loop"},
		},
		{
			`{"name": "apart", "bodies": [{"body": "crank", "position": [0, 0, 1]}]}`,
			shell.ExitFailed, []string{`"apart"`, "joint", "do not allow"},
		},
		{`{"name": "a", "bodies": [{"body": "cranc"}]}`, shell.ExitUse, []string{"cranc", "crank"}},
		{`{"name": "a", "forces": [{"joint": "p1", "freedom": 1, "change": 1}]}`, shell.ExitUse, []string{"p1", "no freedom 1"}},
		{`{"name": "a", "parameters": [{"path": "bodies[crank].weight", "change": 1}]}`, shell.ExitUse, []string{"bodies[crank].weight"}},
		{`{"name": ""}`, shell.ExitUse, []string{"$.directions[0].name: is empty"}},
	} {
		r := command.Run("gradient", data("four-bar.model.json"), "--along", along(t, c.direction), "--json")
		assert.Equal(t, c.status, r.Status, c.direction)
		assert.Empty(t, r.Out)
		for _, want := range c.want {
			assert.Contains(t, r.Err, want)
		}
	}
	r := command.Run("gradient", data("four-bar.model.json"))
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, `is not "rung-objective/1" (value "rung-model/1")`)
	r = command.Run("gradient", data("four-bar.model.json"), "--along", "nowhere.json")
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "nowhere.json")
}
