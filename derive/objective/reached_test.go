package objective_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/follow"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/test/schematest"
)

// reachTol is the error of differences of solutions, which have an error of 1e-9 of a length, over steps of 1e-3.
const reachTol = 2e-6

// reachProblem returns the problem of an objective with a task.
func reachProblem(t *testing.T, model, o, task string) (*objective.Problem, error) {
	t.Helper()
	read, err := objective.Read(strings.NewReader(o), "o.json")
	require.NoError(t, err)
	assert.NoError(t, schematest.Validate(t, schematest.Compile(t, objective.Schema()), o))
	text, err := os.ReadFile(model)
	require.NoError(t, err)
	folder := fstest.MapFS{"task.json": {Data: []byte(task)}}
	return objective.NewProblem(read, "o.json", objective.Source{Text: text, Name: "m.json", Data: folder})
}

// TestReach compares gradients at solutions of tasks with differences of whole searches: by numbers of the model and of the task, with held
// freedoms, in closed chains, also of accelerations.
func TestReach(t *testing.T) {
	for name, c := range map[string]struct{ model, objective, task string }{
		"arm": {
			"../../examples/reach/arm.json",
			`{"format": "rung-objective/1", "model": "m", "at": "reach", "task": "task.json",
 "terms": [{"column": "joint.shoulder.q"}, {"column": "joint.elbow.qdd", "weight": 0.01}, {"column": "lower.px", "power": 2, "weight": 3}],
 "parameters": [
  {"path": "task.targets[tip].position[0]"}, {"path": "task.targets[tip].point[0]"}, {"path": "joints[elbow].predecessor_frame.position[0]"},
  {"name": "both", "paths": ["joints[wrist].predecessor_frame.position[0]", "task.targets[tip].position[2]"]},
  {"path": "bodies[hand].mass"}, {"path": "task.posture.values.turn"}]}`,
			`{"format": "rung-ik/1", "targets": [
  {"name": "tip", "type": "point", "body": "hand", "point": [0.1, 0, 0], "position": [0.4, 0.3, 0.2], "tolerance": [1e-13, 1e-13]}],
 "posture": {"gain": 1, "values": {"turn": 0.1, "elbow": 1.2, "wrist": 0.2}}}`,
		},
		"held": {
			"../../examples/reach/arm.json",
			`{"format": "rung-objective/1", "model": "m", "at": "reach", "task": "task.json",
 "terms": [{"column": "joint.shoulder.q"}, {"column": "hand.pz"}],
 "parameters": [{"path": "joints[elbow].predecessor_frame.position[0]"}, {"path": "task.targets[0].weight[2]"}]}`,
			`{"format": "rung-ik/1", "hold": ["turn", "wrist"], "limits": {"elbow": [0.01, 2.4]}, "targets": [
  {"name": "tip", "type": "point", "body": "hand", "point": [0.1, 0, 0], "position": [0.5, 0, 0.6], "weight": [1, 0, 2], "tolerance": [1e-13, 1e-13]}]}`,
		},
		"platform": {
			"../../examples/reach/stewart.json",
			`{"format": "rung-objective/1", "model": "m", "at": "reach", "task": "task.json",
 "terms": [{"column": "joint.slide0.q"}, {"column": "platform.qx"}],
 "parameters": [{"path": "task.targets[top].orientation[1]"}, {"path": "joints[base0].predecessor_frame.position[2]"}]}`,
			`{"format": "rung-ik/1", "driven": ["slide0", "slide1", "slide2", "slide3", "slide4", "slide5"], "targets": [
  {"name": "top", "type": "pose", "body": "platform", "position": [0.05, 0, 0.85], "tolerance": [1e-13, 1e-13],
   "orientation": [0.9950041652780258, 0, 0.09983341664682815, 0]}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := reachProblem(t, c.model, c.objective, c.task)
			require.NoError(t, err)
			r, err := g.Gradient(context.Background())
			require.NoError(t, err)
			require.Equal(t, "reach", r.At)
			require.NoError(t, g.Check(context.Background(), r))
			size := 0.0
			for _, p := range r.Parameters {
				require.Empty(t, p.Unchecked, p.Name)
				size = max(size, *p.Differences, -*p.Differences)
			}
			for _, p := range r.Parameters {
				require.InDelta(t, *p.Differences, p.Gradient, reachTol*size, p.Name)
			}
			again, err := g.Gradient(context.Background())
			require.NoError(t, err)
			for i, p := range r.Parameters {
				require.Equal(t, objective.Agrees, p.Verdict, p.Name)
				x := &again.Parameters[i]
				x.Differences, x.DifferencesError, x.Verdict = p.Differences, p.DifferencesError, p.Verdict
			}
			again.Differenced = r.Differenced
			require.Equal(t, r, again)
		})
	}
}

// TestReachRefused: problems of a task are named.
func TestReachRefused(t *testing.T) {
	const arm = "../../examples/reach/arm.json"
	o := `{"format": "rung-objective/1", "model": "m", "at": "reach", "task": "task.json", "terms": [{"column": "hand.px"}],
 "parameters": [{"path": "task.targets[tip].position[0]"}]}`
	task := `{"format": "rung-ik/1", "targets": [{"name": "tip", "type": "point", "body": "hand", "position": [0.4, 0.3, 0.2]}]}`
	for _, c := range []struct{ o, task, want string }{
		{o, strings.Replace(task, `"hand"`, `"head"`, 1), `task.json: $.targets[0].body`},
		{o, strings.Replace(task, `"targets"`, `"path": {"times": [0, 1], "tip": {"position": [[0.4, 0, 0.2], [0.4, 0.3, 0.2]]}}, "targets"`, 1),
			`task.json: $.path: is of no use: an objective is of one solution`},
		{strings.Replace(o, "[tip]", "[top]", 1), task, `$.parameters[0]: the task has no entry "top" in $.targets`},
		{strings.Replace(o, "position[0]", "direction[0]", 1), task, `the task has no "direction" in $.targets[0]`},
		{strings.Replace(o, "task.json", "none.json", 1), task, "none.json"},
		{strings.Replace(o, `"reach", "task": "task.json"`, `"closed"`, 1), task, `task.targets[tip].position[0]`},
	} {
		_, err := reachProblem(t, arm, c.o, c.task)
		require.ErrorContains(t, err, c.want)
	}
	g, err := reachProblem(t, arm, o, task)
	require.NoError(t, err)
	_, err = g.Gradient(context.Background())
	require.ErrorIs(t, err, follow.ErrFree)
	g, err = reachProblem(t, arm, o, strings.Replace(task, "0.4, 0.3", "1.4, 0.3", 1))
	require.NoError(t, err)
	_, err = g.Gradient(context.Background())
	require.ErrorIs(t, err, ik.ErrUnreached)
	for old, want := range map[string]string{
		`"task": "task.json", `: "$.task: missing field: at is reach",
		`"reach"`:               "$.task: is of no use: at is state",
	} {
		with := ""
		if old == `"reach"` {
			with = `"state"`
		}
		_, err := objective.Read(strings.NewReader(strings.Replace(o, old, with, 1)), "o.json")
		require.ErrorContains(t, err, want)
	}
}
