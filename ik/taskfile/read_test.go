package taskfile

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/model"
)

// everything is a document with every field.
const everything = `{
 "$schema": "./rung-ik.schema.json",
 "format": "rung-ik/1",
 "driven": ["j0", "j1", "j2"], "hold": [],
 "limits": {"j0": [-2.9, 2.9], "j1": [null, 1], "odd \"name\"": [0, null]}, "rates": {"j2": 2, "j0": 1.5},
 "targets": [
  {"name": "tool", "type": "pose", "body": "l2", "frame": {"position": [0, 0, 0.1], "orientation": [0, 1, 0, 0]}, "relative_to": "world",
   "position": [0.4, 0.2, 0.3], "orientation": [0, 0, 1, 0], "weight": [1, 1, 1, 1, 1, 0], "priority": 2, "tolerance": [1e-6, 1e-7],
   "rate": [0, 0, 0, 1, 0, 0]},
  {"name": "elbow", "type": "point", "body": "l1", "point": [1, 0, 0], "position": [0.1, 0.3, 0.5]},
  {"name": "upright", "type": "orientation", "body": "l0", "orientation": [1, 0, 0, 0]},
  {"name": "look", "type": "axis", "body": "l0", "axis": [1, 0, 0], "direction": [0, 2, 0]},
  {"name": "table", "type": "plane", "body": "l2", "position": [0, 0, 0.5], "direction": [0, 0, 1]},
  {"name": "grip", "type": "distance", "body": "l1", "point": [0, 0, 1], "to": {"body": "l2", "point": [0, 1, 0]}, "length": 0.08},
  {"name": "hinge", "type": "coordinate", "freedom": "j2", "value": 7, "turns": true},
  {"name": "balance", "type": "com", "bodies": ["l0", "l1"], "relative_to": "l2", "position": [0, 0, 0]},
  {"name": "moved", "type": "point", "body": "l2"}
 ],
 "posture": {"gain": 0.5, "values": {"j1": 0, "j2": 0.4}},
 "path": {"times": [0, 1, 2.5], "interpolation": "spline", "step": 0.01, "exact": true, "stretch": true,
  "moved": {"position": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]},
  "hinge": {"value": [0, 1, 2]},
  "tool": {"orientation": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]}},
 "solver": {"method": "selective", "engine": "driven", "metric": "inertia", "steps": 50, "restarts": 0, "seed": 9007199254740992, "damping": 0.1,
  "max_time": 0.25, "all": true, "nearest": true, "passive": "least", "length": 2, "threads": 2},
 "fik": {"form": "fixed", "design": "given", "A": 0.99, "P": [[2, 1], [1, 3]], "h": 0.01, "inner": 2, "adapt": true, "w": 4, "m": 5, "v": [1, 2],
  "q0": {"j1": 0.3}, "gains": {"j1": 1}, "feedback": 5}
}`

func read(t testing.TB, text string) *ik.Task {
	t.Helper()
	task, err := Read(strings.NewReader(text), "task.json")
	require.NoError(t, err)
	return task
}

func TestReadEverything(t *testing.T) {
	task := read(t, everything)
	inf := math.Inf(1)
	require.Equal(t, []string{"j0", "j1", "j2"}, task.Driven)
	require.Equal(t, []string{}, task.Hold)
	require.Equal(t, []ik.Limit{{Freedom: "j0", Lower: -2.9, Upper: 2.9, Rate: 1.5}, {Freedom: "j1", Lower: -inf, Upper: 1, Rate: 0}, {Freedom: `odd "name"`, Lower: 0, Upper: inf, Rate: 0}, {Freedom: "j2", Rate: 2}}, task.Limits)
	one := [4]float64{1}
	still := model.Pose{Orientation: one}
	want := []ik.Target{
		{Name: "tool", Type: ik.PoseTarget, Body: "l2", Frame: model.Pose{Position: [3]float64{0, 0, 0.1}, Orientation: [4]float64{0, 1}}, RelativeTo: "world",
			Position: [3]float64{0.4, 0.2, 0.3}, Orientation: [4]float64{0, 0, 1}, Weight: []float64{1, 1, 1, 1, 1, 0}, Priority: 2,
			Tolerance: [2]float64{1e-6, 1e-7}, Rate: []float64{0, 0, 0, 1, 0, 0}},
		{Name: "elbow", Type: ik.Point, Body: "l1", Frame: model.Pose{Position: [3]float64{1}, Orientation: one}, Position: [3]float64{0.1, 0.3, 0.5}},
		{Name: "upright", Type: ik.Orientation, Body: "l0", Frame: still},
		{Name: "look", Type: ik.Axis, Body: "l0", Frame: still, Axis: [3]float64{1}, Direction: [3]float64{0, 2}},
		{Name: "table", Type: ik.Plane, Body: "l2", Frame: still, Position: [3]float64{0, 0, 0.5}, Direction: [3]float64{0, 0, 1}},
		{Name: "grip", Type: ik.Distance, Body: "l1", Frame: model.Pose{Position: [3]float64{0, 0, 1}, Orientation: one}, RelativeTo: "l2", Position: [3]float64{0, 1}, Length: 0.08},
		{Name: "hinge", Type: ik.Coordinate, Frame: still, Freedom: "j2", Value: 7, Turns: true},
		{Name: "balance", Type: ik.Com, Frame: still, Bodies: []string{"l0", "l1"}, RelativeTo: "l2"},
		{Name: "moved", Type: ik.Point, Body: "l2", Frame: still, Position: [3]float64{1, 2, 3}},
	}
	for i := range want {
		if want[i].Orientation == [4]float64{} {
			want[i].Orientation = one
		}
	}
	require.Equal(t, want, task.Targets)
	require.Equal(t, &ik.Posture{Gain: 0.5, Values: []ik.Coordinated{{Freedom: "j1", Value: 0}, {Freedom: "j2", Value: 0.4}}}, task.Posture)
	require.Equal(t, &ik.Path{Times: []float64{0, 1, 2.5}, Spline: true, Step: 0.01, Exact: true, Stretch: true, Targets: []ik.Waypoints{
		{Target: "moved", Position: [][3]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, {Target: "hinge", Value: []float64{0, 1, 2}},
		{Target: "tool", Orientation: [][4]float64{{1}, {0, 1}, {0, 0, 1}}}}}, task.Path)
	require.Equal(t, ik.Options{Method: ik.Selective, Engine: ik.DrivenEngine, Metric: ik.Inertia, Steps: 50, Restarts: ik.NoRestarts, Seed: 1 << 53, Damping: 0.1,
		MaxTime: time.Second / 4, All: true, Nearest: true, Passive: true, Length: 2, Threads: 2}, task.Solver)
	require.Equal(t, &ik.FIKOptions{Options: fik.Options{Form: fik.FormF, Design: fik.DesignGiven, A: []float64{0.99}, P: []float64{2, 1, 1, 3}, H: 0.01, Inner: 2, Adapt: true,
		Riccati: fik.RiccatiOptions{W: 4, M: []float64{5}, V: []float64{1, 2}}}, Q0: []ik.Coordinated{{Freedom: "j1", Value: 0.3}}, GainOf: []ik.Coordinated{{Freedom: "j1", Value: 1}}, Feedback: 5}, task.FIK)
}

// TestReadDefaults: what a document does not say is what the zero values of Go say, but for the restarts.
func TestReadDefaults(t *testing.T) {
	task := read(t, `{"format": "rung-ik/1", "targets": [], "solver": {"damping": null}, "fik": {"A": null, "P": [1, 2], "h": null}}`)
	task.File = ""
	require.Equal(t, &ik.Task{Targets: []ik.Target{}, FIK: &ik.FIKOptions{Options: fik.Options{P: []float64{1, 2}}}}, task)
	short := read(t, `{"format": "rung-ik/1", "targets": [], "solver": {"max_time": 1e-12}}`)
	require.Positive(t, short.Solver.MaxTime, "zero would not bound the time")
	free := read(t, `{"format": "rung-ik/1", "targets": [], "rates": {"j": 2}, "limits": {"j": [null, null]}}`)
	require.Equal(t, []ik.Limit{{Freedom: "j", Lower: math.Inf(-1), Upper: math.Inf(1), Rate: 2}}, free.Limits)
}

// TestWrite: what is written reads back as it was, and is what Read gave.
func TestWrite(t *testing.T) {
	files, err := filepath.Glob("../../reference/ik/*.task.json")
	require.NoError(t, err)
	texts := []string{everything, `{"format": "rung-ik/1", "targets": []}`, `{"format": "rung-ik/1", "limits": {"j0": [null, null]}, "targets": []}`,
		`{"format": "rung-ik/1", "rates": {"j0": 2}, "limits": {"j0": [null, null]}, "targets": []}`}
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(b))
	}
	for _, text := range texts {
		task := read(t, text)
		var b bytes.Buffer
		require.NoError(t, Write(&b, task))
		again := read(t, b.String())
		require.Equal(t, task, again, b.String())
	}
	for _, c := range []struct {
		bad  *ik.Task
		want error
	}{
		{&ik.Task{Targets: []ik.Target{{Name: "a", Value: math.NaN(), Type: ik.Coordinate}}}, errNumber},
		{&ik.Task{Targets: []ik.Target{{Type: ik.NumTargetTypes}}}, errType},
		{&ik.Task{Limits: []ik.Limit{{Freedom: "j", Lower: math.Inf(1), Upper: 2, Rate: 0}}}, errNumber},
		{&ik.Task{Solver: ik.Options{Seed: 1 << 60}}, errSeed},
		{&ik.Task{Solver: ik.Options{Method: 77}}, errType},
		{&ik.Task{FIK: &ik.FIKOptions{Options: fik.Options{H: math.Inf(1)}}}, errNumber},
		{&ik.Task{Targets: []ik.Target{{Name: "a\xff"}}}, errText},
		{&ik.Task{Path: &ik.Path{Targets: []ik.Waypoints{{Target: "step"}}}}, errOwn},
	} {
		require.ErrorIs(t, Write(&bytes.Buffer{}, c.bad), c.want)
	}
}

// TestTimesAreRounded: a time that is written in seconds reads back to the nanosecond.
func TestTimesAreRounded(t *testing.T) {
	for _, limit := range []time.Duration{1, 1001 * time.Millisecond, 1003 * time.Millisecond} {
		var b bytes.Buffer
		require.NoError(t, Write(&b, &ik.Task{Solver: ik.Options{MaxTime: limit}}))
		require.Equal(t, limit, read(t, b.String()).Solver.MaxTime)
	}
}

// TestReadRules breaks one rule of the document at a time.
func TestReadRules(t *testing.T) {
	target := func(s string) string { return `{"format": "rung-ik/1", "targets": [{` + s + `}]}` }
	field := func(s string) string { return `{"format": "rung-ik/1", "targets": [], ` + s + `}` }
	const T = "$.targets[0]"
	for _, c := range []struct{ doc, path, rule string }{
		{`[]`, "$", "is not an object, so not a rung-ik/1 document"},
		{`{"format": "rung-ik/1", "targets": [`, "$.targets", "ends early"},
		{`{"targets": []}`, "$.format", "missing"},
		{`{"format": "rung-ik/2", "targets": []}`, "$.format", `is not "rung-ik/1"`},
		{`{"format": "rung-ik/1"}`, "$.targets", "missing"},
		{`{"format": "rung-ik/1", "targets": []} {}`, "$", "after the end"},
		{field(`"Driven": []`), "$.Driven", "unknown field, did you mean driven?"},
		{field(`"hold": [1]`), "$.hold[0]", "is not a string"},
		{field(`"limits": {"a b": [1]}`), `$.limits["a b"]`, "wrong length 1, must have 2"},
		{field(`"limits": {"a": [0, -0.0]}`), `$.limits.a`, "not below"},
		{field(`"rates": {"a": 1}, "limits": {"a": [0, 0]}`), `$.limits.a`, "not below"},
		{field(`"limits": {"a": [1, "2"]}`), `$.limits.a[1]`, "is not a number"},
		{field(`"limits": {"a": [1, 2], "a": [1, 2]}`), `$.limits.a`, "duplicate key"},
		{field(`"rates": {"a": 0}`), `$.rates.a`, "is not positive"},
		{field(`"posture": {"gain": 1}`), `$.posture.values`, "missing"},
		{field(`"posture": {"gain": -1, "values": {}}`), `$.posture.gain`, "is not positive"},
		{field(`"path": {}`), `$.path.times`, "missing"},
		{field(`"path": {"times": [0, 1], "interpolation": "cubic"}`), `$.path.interpolation`, "must be one of linear, spline"},
		{field(`"path": {"times": [0, 1], "a": {"pose": []}}`), `$.path.a.pose`, "unknown field"},
		{field(`"path": {"times": [0, 1], "a": {"position": [[1, 2]]}}`), `$.path.a.position[0]`, "wrong length 2"},
		{field(`"path": {"times": [0, 1], "step": 0}`), `$.path.step`, "is not positive"},
		{field(`"solver": {"method": "newton"}`), `$.solver.method`, "must be one of auto, fik, dls"},
		{field(`"solver": {"steps": 0}`), `$.solver.steps`, "is below 1"},
		{field(`"solver": {"steps": 1e12}`), `$.solver.steps`, "is above"},
		{field(`"solver": {"restarts": 1.5}`), `$.solver.restarts`, "is not an integer"},
		{field(`"solver": {"seed": -1}`), `$.solver.seed`, "is negative"},
		{field(`"solver": {"all": 1}`), `$.solver.all`, "is not true or false"},
		{field(`"solver": {"damping": 0}`), `$.solver.damping`, "is not positive"},
		{field(`"fik": {"h": 0}`), `$.fik.h`, "is not positive"},
		{field(`"fik": {"P": [[1, 2], [3]]}`), `$.fik.P`, "square matrix"},
		{field(`"fik": {"P": [[1, 2], 3]}`), `$.fik.P`, "square matrix"},
		{field(`"fik": {"P": [[1, 2, 3], [4, 5, 6]]}`), `$.fik.P`, "square matrix"},
		{field(`"fik": {"A": "no"}`), `$.fik.A`, "is not a number"},
		{target(`"type": "com", "position": [0, 0, 0]`), T + ".name", "missing"},
		{target(`"name": "", "type": "com", "position": [0, 0, 0]`), T + ".name", "is empty"},
		{target(`"name": "a", "body": "b"`), T + ".type", "missing"},
		{target(`"name": "a", "type": "Point"`), T + ".type", "unknown target type, did you mean point?"},
		{target(`"name": "a", "type": "point", "body": "b"`), T + ".position", "missing"},
		{target(`"name": "a", "type": "distance", "body": "b", "length": 1`), T + ".to", "missing"},
		{target(`"name": "a", "type": "distance", "body": "b", "length": 1, "to": {}`), T + ".to.body", "missing"},
		{target(`"name": "a", "type": "com", "position": [0, 0, 0], "axis": [0, 0, 1]`), T + ".axis", "has no meaning for target type com"},
		{target(`"name": "a", "type": "com", "position": [0, 0, 0], "axis": 7`), T + ".axis", "is not a list"},
		{target(`"name": "a", "type": "point", "body": "b", "position": [0, 0, 0], "point": [0, 0, 0], "frame": {}`), T + ".point", "is beside frame"},
		{target(`"name": "a", "type": "orientation", "body": "b", "orientation": [0, 0, 0, 0]`), T + ".orientation", "unit quaternion"},
		{target(`"name": "a", "type": "com", "position": [0, 0, 0], "priority": 0.5`), T + ".priority", "is not an integer"},
		{target(`"name": "a", "type": "com", "position": [0, 0, 0], "priority": -1`), T + ".priority", "is below 0"},
		{target(`"name": "a", "type": "com", "position": [0, 0, 0], "tolerance": [0, 1]`), T + ".tolerance", "is not positive"},
		{target(`"name": "a", "type": "com", "position": [0, 0, 1e999]`), T + ".position[2]", "is not finite"},
		{target(`"name": "a", "type": "com", "position": [0, 0, 0], "weight": [1, 1, 1, 1, 1, 1, 1]`), T + ".weight", "at most 6"},
	} {
		_, err := Read(strings.NewReader(c.doc), "f")
		var p *model.Problems
		require.ErrorAs(t, err, &p, c.doc)
		require.Len(t, p.List, 1, "%s\n%v", c.doc, err)
		require.Equal(t, c.path, p.List[0].Path, c.doc)
		require.Contains(t, p.List[0].Rule, c.rule, c.doc)
	}
}

// several breaks a rule of each row of the table of errors, and some of the document itself.
const several = `{
 "format": "rung-ik/1",
 "driven": ["j0", "nobody", "j0", "ball", 7, "flat.0"], "hold": ["j1"],
 "limits": {"j0": [1, -1], "j9": [0, 1]}, "rates": {"j0": -2},
 "targets": [
  {"name": "a", "type": "point", "body": "world", "position": [0, 0, 0], "colour": 1},
  {"name": "b", "type": "pose", "body": "l1", "relative_to": "l1", "position": [0, 0, 0], "orientation": [1, 1, 0, 0], "priority": 1.5},
  {"name": "c", "type": "axis", "body": "l1", "axis": [0, 0, 0], "direction": [0, "up", 1]},
  {"name": "d", "type": "distance", "body": "l7", "to": {"body": "world"}, "length": -1, "weight": [0]},
  {"name": "e", "type": "coordinate", "freedom": "ball.1", "value": 0, "weight": [-1]},
  {"name": "f", "type": "bend"}
 ],
 "path": {"times": [0, 2, 1], "g": {"position": []}, "a": {"position": [[0, 0, 0]]}},
 "solver": {"steps": "many"},
 "fik": {"A": 3, "h": -1, "P": -2, "q0": {"nobody": 1}}
}`

// TestEverythingAtOnce: faults of the document and of its rules come together, in the order of the document, each once.
func TestEverythingAtOnce(t *testing.T) {
	m := modeltest.Arm(3)
	m.Joints = append(m.Joints,
		model.Joint{Name: "ball", Type: model.Spherical, Predecessor: model.World, Successor: "l0"},
		model.Joint{Name: "flat", Type: model.Planar, Predecessor: model.World, Successor: "l2", Motion: []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0}}, nil, nil}})
	task, err := Read(strings.NewReader(several), "task.json")
	require.Error(t, err)
	_, err = ik.NewProblem(plantest.New(t, m, order.Auto), task)
	var p *model.Problems
	require.ErrorAs(t, err, &p)
	var paths []string
	for _, q := range p.List {
		require.Equal(t, "task.json", q.File)
		paths = append(paths, q.Path)
	}
	require.Equal(t, []string{
		"$.driven[1]", "$.driven[2]", "$.driven[3]", "$.driven[4]", "$.driven[5]",
		"$.limits.j0", "$.limits.j9", "$.rates.j0",
		"$.targets[0].colour", "$.targets[0].body",
		"$.targets[1].orientation", "$.targets[1].priority", "$.targets[1].relative_to",
		"$.targets[2].direction[1]", "$.targets[2].axis",
		"$.targets[3].body", "$.targets[3].length", "$.targets[3].weight",
		"$.targets[4].freedom", "$.targets[4].weight",
		"$.targets[5].type",
		"$.path.times[2]", "$.path.g", "$.path.a.position",
		"$.solver.steps",
		"$.fik.h", "$.fik.q0.nobody", "$.fik.A", "$.fik.P",
	}, paths, "%v", err)
}

// TestMatrices: what is wrong with a matrix of feedback inverse kinematics is told at its entry.
func TestMatrices(t *testing.T) {
	plan := plantest.New(t, modeltest.Arm(3), order.Auto)
	for options, want := range map[string]string{
		`"design": "given", "P": [[2, 1], [0.5, 3]]`: "$.fik.P[1][0]",
		`"design": "given", "P": [[1, 2], [2, 1]]`:   "$.fik.P[1][1]",
		`"design": "given", "P": [1, -1]`:            "$.fik.P[1]",
		`"design": "given", "P": [1, 1, 1]`:          "$.fik.P",
		`"design": "given"`:                          "$.fik.P",
		`"design": "given", "P": 1, "A": [-1, 1]`:    "$.fik.A[1]",
		`"m": [1, 2, 3]`:                             "$.fik.m",
		`"v": [1, 0, 1]`:                             "$.fik.v[1]",
		`"q0": {"j7": 1}`:                            "$.fik.q0.j7",
		`"gains": {"j1": -1}`:                        "$.fik.gains.j1",
		`"feedback": -1`:                             "$.fik.feedback",
		`"form": "fixed", "h": 0.01, "adapt": true`:  "$.fik.adapt",
		`"design": "norm", "P": 1`:                   "$.fik.P",
	} {
		task := read(t, `{"format": "rung-ik/1", "targets": [{"name": "tip", "type": "point", "body": "l2", "point": [1, 0, 0], "position": [1, 1, 0],
			"weight": [1, 1, 0]}], "fik": {`+options+`}}`)
		_, err := ik.NewProblem(plan, task)
		var p *model.Problems
		require.ErrorAs(t, err, &p, options)
		require.Equal(t, want, p.List[0].Path, "%s: %v", options, err)
	}
}

// TestUnreadTarget: a target of which a list has not been read is told as such, and has no rows.
func TestUnreadTarget(t *testing.T) {
	for _, field := range []string{`"weight": "m"`, `"weight": [1]`, `"weight": [null, 1, 1]`, `"rate": 3`, `"tolerance": "x"`, `"frame": 1`, `"position": [1]`, `"priority": "a"`} {
		task, err := Read(strings.NewReader(`{"format": "rung-ik/1", "targets": [{"name": "a", "type": "point", "body": "l2", "position": [0, 0, 0], `+field+`}]}`), "f")
		if err == nil {
			_, err = ik.NewProblem(plantest.New(t, modeltest.Arm(3), order.Auto), task)
		} else {
			_, again := ik.NewProblem(plantest.New(t, modeltest.Arm(3), order.Auto), task)
			require.Error(t, again)
		}
		require.ErrorContains(t, err, "$.targets[0].", field)
	}
}
