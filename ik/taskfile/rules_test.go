package taskfile

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/model"
)

// severalOfFIK breaks rules of limits, paths, solver and feedback
// inverse kinematics, a few of each, and the sizes of numbers.
const severalOfFIK = `{
 "format": "rung-ik/1",
 "driven": ["j0", "j1"],
 "limits": {"j0": [0.5, 0.5], "j1": [-1e60, 1], "j2": [0, 1], "ball": [0, 1], "nobody": [0, 1]}, "rates": {"j0": 1e80, "j1": -1},
 "targets": [
  {"name": "tip", "type": "point", "body": "l2", "position": [1e308, 0, 0], "weight": [1, 1, 0]},
  {"name": "tip", "type": "plane", "body": "l1", "position": [0, 0, 0], "direction": [0, 0, 0], "rate": [1, 2]},
  {"name": "hinge", "type": "coordinate", "freedom": "j2", "value": 1e51, "tolerance": [0, 1]},
  {"name": "far", "type": "distance", "body": "l1", "to": {"body": "l2"}, "length": 1e70, "weight": [1e-60]},
  {"name": "mass", "type": "com", "bodies": ["l0", "l0", "world"], "position": [0, 0, 0], "weight": [1, 1]}
 ],
 "posture": {"gain": 0, "values": {"j2": 0, "j0": 1e90}},
 "path": {"times": [0, 1, 1, 1e99], "step": -1, "interpolation": "cubic", "tip": {"orientation": [[1, 0, 0, 0]], "position": [[0, 0, 0], [1, 1, 1], [2, 2, 2], [1e60, 0, 0]]},
  "hinge": {"value": [1, 2]}, "far": {"value": [1, 1, 0, 1]}, "nobody": {}},
 "solver": {"method": "newton", "steps": 0, "restarts": -1, "damping": 1e99, "length": 1e-99, "threads": 0, "max_time": 0},
 "fik": {"form": "open", "h": 0, "inner": 0, "w": -1, "m": [1, 2, 3], "v": 1e99, "q0": {"j2": 1, "j9": 0}, "gains": {"j0": -1, "j1": 0}, "feedback": -2, "A": [-1, 2], "P": [[1, 2], [3, 4]]}
}`

// TestEverythingOfFIKAtOnce: rules of limits, paths, solver and feedback inverse kinematics are told together, in the
// order of the document, each once.
func TestEverythingOfFIKAtOnce(t *testing.T) {
	m := modeltest.Arm(3)
	m.Joints = append(m.Joints, model.Joint{Name: "ball", Type: model.Spherical, Predecessor: model.World, Successor: "l0"})
	task, err := Read(strings.NewReader(severalOfFIK), "task.json")
	require.Error(t, err)
	_, err = ik.NewProblem(plantest.New(t, m, order.Auto), task)
	var p *model.Problems
	require.ErrorAs(t, err, &p)
	seen := map[string]bool{}
	var paths []string
	for _, q := range p.List {
		require.False(t, seen[q.Path], "%s twice: %v", q.Path, err)
		seen[q.Path] = true
		paths = append(paths, q.Path)
	}
	require.Equal(t, []string{
		"$.limits.j0", "$.limits.j1[0]", "$.limits.j2", "$.limits.ball", "$.limits.nobody", "$.rates.j1", "$.rates.j0",
		"$.targets[0].position", "$.targets[1].name", "$.targets[1].direction", "$.targets[1].rate", "$.targets[2].tolerance", "$.targets[2].value",
		"$.targets[3].length", "$.targets[3].weight", "$.targets[4].bodies[1]", "$.targets[4].bodies[2]", "$.targets[4].weight",
		"$.posture.gain", "$.posture.values.j2", "$.posture.values.j0",
		"$.path.step", "$.path.interpolation", "$.path.times[2]", "$.path.times[3]", "$.path.tip.orientation", "$.path.tip.position[3]", "$.path.hinge.value", "$.path.far.value[2]", "$.path.nobody",
		"$.solver.method", "$.solver.steps", "$.solver.restarts", "$.solver.threads", "$.solver.max_time", "$.solver.damping", "$.solver.length",
		"$.fik.form", "$.fik.h", "$.fik.inner", "$.fik.w", "$.fik.q0.j2", "$.fik.q0.j9", "$.fik.gains.j0", "$.fik.v", "$.fik.feedback",
	}, paths, "%v", err)
}

// TestPathFileAtFault: a file that cannot be used is told as such, without what follows from it.
func TestPathFileAtFault(t *testing.T) {
	plan := plantest.New(t, modeltest.Arm(3), order.Auto)
	for text, want := range map[string]string{
		"": "has no line of names", "time,tip.px,tip.py,tip.pz\n0,1,1,0\n": "fewer than two lines", "time;tip.px\n": "parted by commas", "time,tip.px\n": "lacks its column",
	} {
		task, err := ReadIn(strings.NewReader(`{"format": "rung-ik/1", "targets": [{"name": "tip", "type": "point", "body": "l2"}], "path": {"file": "p.csv"}}`), "task.json",
			fstest.MapFS{"p.csv": {Data: []byte(text)}})
		require.Error(t, err)
		_, err = ik.NewProblem(plan, task)
		var p *model.Problems
		require.ErrorAs(t, err, &p)
		for _, q := range p.List {
			require.Equal(t, "$.path.file", q.Path, "%v", err)
			require.Contains(t, q.Rule, want)
		}
	}
}
