package ik

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// tip is a target for the end of the last of links.
func tip(links int) Target {
	return Target{Name: "tip", Type: Point, Body: "l" + string(rune('0'+links-1)), Frame: model.Pose{Position: [3]float64{1}}, Weight: []float64{1, 1, 0}}
}

func problemsOf(t testing.TB, plan *kkt.Plan, task *Task) map[string]string {
	t.Helper()
	_, err := NewProblem(plan, task)
	var p *model.Problems
	require.ErrorAs(t, err, &p)
	at := map[string]string{}
	for _, q := range p.List {
		_, twice := at[q.Path]
		require.False(t, twice, "%s is reported twice: %v", q.Path, err)
		at[q.Path] = q.Rule
	}
	return at
}

// TestRulesOneByOne breaks one rule at a time.
func TestRulesOneByOne(t *testing.T) {
	m := modeltest.Arm(3)
	m.Joints = append(m.Joints,
		model.Joint{Name: "ball", Type: joints.Spherical, Predecessor: model.World, Successor: "l0"},
		model.Joint{Name: "flat", Type: joints.Planar, Predecessor: model.World, Successor: "l2", Motion: []*joints.Motion{nil, joints.NewPolynomial([]float64{2}), nil}},
	)
	plan := mustPlan(t, m)
	nan := math.NaN()
	on := func(change func(*Target)) Task {
		T := tip(3)
		change(&T)
		return Task{Targets: []Target{T}}
	}
	with := func(change func(*Task)) Task {
		task := Task{Targets: []Target{tip(3), {Name: "pose", Type: PoseTarget, Body: "l1"}}}
		change(&task)
		return task
	}
	path := func(change func(*Path)) Task {
		return with(func(k *Task) {
			k.Path = &Path{Times: []float64{0, 1}, Targets: []Waypoints{{Target: "tip", Position: make([][3]float64, 2)}}}
			change(k.Path)
		})
	}
	for _, c := range []struct {
		name, path, rule string
		task             Task
	}{
		{"unknown joint", "$.driven[0]", "no joint", with(func(k *Task) { k.Driven = []string{"nope"} })},
		{"unknown freedom", "$.driven[1]", "no scalar freedom", with(func(k *Task) { k.Driven = []string{"j0", "j1.1"} })},
		{"no number", "$.driven[0]", "no scalar freedom", with(func(k *Task) { k.Driven = []string{"j1.x"} })},
		{"no coordinate", "$.driven[0]", "scalar coordinate", with(func(k *Task) { k.Driven = []string{"ball"} })},
		{"prescribed", "$.driven[0]", "prescribed", with(func(k *Task) { k.Driven = []string{"flat.1"} })},
		{"twice", "$.driven[1]", "already", with(func(k *Task) { k.Driven = []string{"j0", "j0.0"} })},
		{"nothing driven", "$.driven", "no freedom", with(func(k *Task) { k.Driven = []string{} })},
		{"driven and held", "$.hold[0]", "already", with(func(k *Task) { k.Driven, k.Hold = []string{"j0"}, []string{"j0"} })},
		{"held unknown", "$.hold[0]", "no joint", with(func(k *Task) { k.Hold = []string{""} })},
		{"limits", "$.limits.j0", "below", with(func(k *Task) { k.Limits = []Limit{{Freedom: "j0", Lower: 1, Upper: 1}} })},
		{"limits that are no number", "$.limits.j0", "below", with(func(k *Task) { k.Limits = []Limit{{Freedom: "j0", Lower: nan, Upper: 1}} })},
		{"neither bounds nor a rate", "$.limits.j0", "below", with(func(k *Task) { k.Limits = []Limit{{Freedom: "j0"}} })},
		{"limit of what is not driven", "$.limits.j0", "not driven", with(func(k *Task) { k.Driven, k.Limits = []string{"j1"}, []Limit{NoLimit("j0")} })},
		{"limit of several", "$.limits.flat", "several", with(func(k *Task) { k.Limits = []Limit{NoLimit("flat")} })},
		{"limit twice", "$.limits.j0", "twice", with(func(k *Task) { k.Limits = []Limit{NoLimit("j0"), NoLimit("j0")} })},
		{"rate", "$.rates.j0", "positive", with(func(k *Task) { l := NoLimit("j0"); l.Rate = -1; k.Limits = []Limit{l} })},
		{"no target", "$.targets", "no target", Task{}},
		{"type", "$.targets[0].type", "no type", on(func(T *Target) { T.Type = NumTargetTypes })},
		{"name twice", "$.targets[1].name", "target 0", with(func(k *Task) { k.Targets[1].Name = "tip" })},
		{"unknown body", "$.targets[0].body", "no such body", on(func(T *Target) { T.Body = "l9" })},
		{"body in capitals", "$.targets[0].body", "no such body, did you mean l0?", on(func(T *Target) { T.Body = "L0" })},
		{"world", "$.targets[0].body", "cannot be moved", on(func(T *Target) { T.Body = "world" })},
		{"relative to nothing", "$.targets[0].relative_to", "no such body", on(func(T *Target) { T.RelativeTo = "l9" })},
		{"relative to the world, misspelled", "$.targets[0].relative_to", "did you mean world?", on(func(T *Target) { T.RelativeTo = "wrld" })},
		{"relative to itself", "$.targets[0].relative_to", "itself", on(func(T *Target) { T.RelativeTo = "l2" })},
		{"to itself", "$.targets[0].to.body", "itself", on(func(T *Target) { T.Type, T.RelativeTo, T.Length, T.Weight = Distance, "l2", 1, nil })},
		{"zero axis", "$.targets[0].axis", "zero", on(func(T *Target) { T.Type, T.Direction, T.Weight = Axis, [3]float64{1}, nil })},
		{"zero direction", "$.targets[0].direction", "zero", on(func(T *Target) { T.Type, T.Axis, T.Weight = Axis, [3]float64{1}, nil })},
		{"no normal", "$.targets[0].direction", "zero", on(func(T *Target) { T.Type, T.Weight = Plane, nil })},
		{"length", "$.targets[0].length", "positive", on(func(T *Target) { T.Type, T.Weight = Distance, nil })},
		{"quaternion", "$.targets[1].orientation", "unit", with(func(k *Task) { k.Targets[1].Orientation = [4]float64{1, 0, 0, 0.1} })},
		{"frame", "$.targets[0].frame.orientation", "unit", on(func(T *Target) { T.Frame.Orientation = [4]float64{2} })},
		{"position", "$.targets[0].position", "finite", on(func(T *Target) { T.Position[1] = nan })},
		{"frame position", "$.targets[0].frame.position", "finite", on(func(T *Target) { T.Frame.Position[1] = math.Inf(1) })},
		{"freedom", "$.targets[0].freedom", "several", on(func(T *Target) { T.Type, T.Freedom, T.Weight = Coordinate, "flat", nil })},
		{"value", "$.targets[0].value", "finite", on(func(T *Target) { T.Type, T.Freedom, T.Value, T.Weight = Coordinate, "j0", nan, nil })},
		{"com of nothing", "$.targets[0].bodies[1]", "no such body", on(func(T *Target) { T.Type, T.Bodies = Com, []string{"l0", "x"} })},
		{"com of the world", "$.targets[0].bodies[0]", "world", on(func(T *Target) { T.Type, T.Bodies = Com, []string{"world"} })},
		{"com twice", "$.targets[0].bodies[1]", "twice", on(func(T *Target) { T.Type, T.Bodies = Com, []string{"l0", "l0"} })},
		{"weights", "$.targets[0].weight", "3 rows", on(func(T *Target) { T.Weight = []float64{1} })},
		{"negative weight", "$.targets[0].weight", "negative", on(func(T *Target) { T.Weight = []float64{1, -1, 0} })},
		{"no weight", "$.targets[0].weight", "no row", on(func(T *Target) { T.Weight = []float64{0, 0, 0} })},
		{"priority", "$.targets[0].priority", "negative", on(func(T *Target) { T.Priority = -1 })},
		{"tolerance", "$.targets[0].tolerance", "negative", on(func(T *Target) { T.Tolerance[1] = -1 })},
		{"rate of a target", "$.targets[0].rate", "3 rows", on(func(T *Target) { T.Rate = []float64{1} })},
		{"feedback", "$.fik.feedback", "no gain", with(func(k *Task) { k.FIK = &FIKOptions{Feedback: math.Inf(1)} })},
		{"gain", "$.posture.gain", "positive", with(func(k *Task) { k.Posture = &Posture{} })},
		{"rest", "$.posture.values.j7", "no joint", with(func(k *Task) { k.Posture = &Posture{Gain: 1, Values: []Coordinated{{"j7", 0}}} })},
		{"rest of what is not driven", `$.posture.values["flat.1"]`, "not driven", with(func(k *Task) { k.Posture = &Posture{Gain: 1, Values: []Coordinated{{"flat.1", 0}}} })},
		{"rest value", "$.posture.values.j0", "finite", with(func(k *Task) { k.Posture = &Posture{Gain: 1, Values: []Coordinated{{"j0", nan}}} })},
		{"times", "$.path.times[1]", "after", path(func(o *Path) { o.Times[1] = 0 })},
		{"one time", "$.path.times", "two", path(func(o *Path) { o.Times, o.Targets = []float64{1}, nil })},
		{"lengths", "$.path.tip.position", "2 times", path(func(o *Path) { o.Targets[0].Position = make([][3]float64, 3) })},
		{"path of nothing", "$.path.nope", "no such target", path(func(o *Path) { o.Targets[0].Target = "nope" })},
		{"path twice", "$.path.tip", "twice", path(func(o *Path) { o.Targets = append(o.Targets, o.Targets[0]) })},
		{"wrong list", "$.path.tip.orientation", "means nothing", path(func(o *Path) { o.Targets[0].Orientation = make([][4]float64, 2) })},
		{"no list", "$.path.tip", "no waypoints", path(func(o *Path) { o.Targets[0] = Waypoints{Target: "tip"} })},
		{"waypoint", "$.path.pose.orientation[1]", "unit", path(func(o *Path) {
			o.Targets = []Waypoints{{Target: "pose", Orientation: [][4]float64{{1}, {1, 1}}}}
		})},
		{"step", "$.path.step", "negative", path(func(o *Path) { o.Step = -1 })},
		{"method", "$.solver.method", "no method", with(func(k *Task) { k.Solver.Method = NumMethods })},
		{"engine", "$.solver.engine", "no engine", with(func(k *Task) { k.Solver.Engine = NumEngines })},
		{"steps", "$.solver.steps", "negative", with(func(k *Task) { k.Solver.Steps = -1 })},
		{"restarts", "$.solver.restarts", "below", with(func(k *Task) { k.Solver.Restarts = -2 })},
		{"damping", "$.solver.damping", "negative", with(func(k *Task) { k.Solver.Damping = -1 })},
		{"length of angles", "$.solver.length", "negative", with(func(k *Task) { k.Solver.Length = nan })},
		{"time", "$.solver.max_time", "negative", with(func(k *Task) { k.Solver.MaxTime = -1 })},
		{"threads", "$.solver.threads", "range", with(func(k *Task) { k.Solver.Threads = -1 })},
	} {
		at := problemsOf(t, plan, &c.task)
		require.Len(t, at, 1, "%s: %v", c.name, at)
		require.Contains(t, at[c.path], c.rule, "%s: %v", c.name, at)
	}
}

// TestAllRulesAtOnce: the error for a task that breaks several rules has all of them, in the order of the document's lists.
func TestAllRulesAtOnce(t *testing.T) {
	plan := mustPlan(t, modeltest.Arm(3))
	task := Task{
		Driven:  []string{"j0", "j0", "knee"},
		Limits:  []Limit{{Freedom: "j0", Lower: 2, Upper: 1}},
		Targets: []Target{{Body: "world", Weight: []float64{0, 0, 0}}, {Type: Axis, Body: "l1", RelativeTo: "l1"}},
		Path:    &Path{Times: []float64{1, 0}},
	}
	at := problemsOf(t, plan, &task)
	for _, path := range []string{"$.driven[1]", "$.driven[2]", "$.limits.j0", "$.targets[0].body", "$.targets[0].weight",
		"$.targets[1].relative_to", "$.targets[1].axis", "$.targets[1].direction", "$.path.times[1]"} {
		require.Contains(t, at, path)
	}
	require.Len(t, at, 9)
}

// TestDefaults: values that a task leaves out get their defaults.
func TestDefaults(t *testing.T) {
	m := modeltest.Arm(3)
	m.Joints[1].Limits = []*model.Limit{{Lower: -1, Upper: 2, Rate: 3}}
	m.Joints[2].Limits = []*model.Limit{{Lower: -0.5, Upper: 0.5}}
	plan := mustPlan(t, m)
	p, err := NewProblem(plan, &Task{Targets: []Target{tip(3)}, Hold: []string{"j0"}, Limits: []Limit{{Freedom: "j2", Lower: 0, Upper: 1}}})
	require.NoError(t, err)
	rows, n := p.Dims()
	require.Equal(t, []int{2, 2}, []int{rows, n})
	require.Equal(t, "j1", p.DrivenName(0))
	require.Equal(t, []float64{-1, 0}, p.lower)
	require.Equal(t, []float64{2, 1}, p.upper)
	require.Equal(t, []float64{3, math.Inf(1)}, p.rate)
	require.Equal(t, []bool{true, true}, p.angle)
	scale := plan.Mechanism().TypicalLength()
	require.Equal(t, scale, p.length)
	require.Equal(t, [2]float64{1e-9 * scale, 1e-9}, p.targets[0].tolerance)
	p, err = NewProblem(plan, &Task{Targets: []Target{tip(3)}, Limits: []Limit{{Freedom: "j1", Rate: 7}}})
	require.NoError(t, err)
	require.Equal(t, []float64{-1, 2, 7}, []float64{p.lower[1], p.upper[1], p.rate[1]}, "a rate alone leaves the interval")
	p, err = NewProblem(plan, &Task{Targets: []Target{tip(3)}, Limits: []Limit{{Freedom: "j1", Lower: math.Inf(-1), Upper: math.Inf(1), Rate: 7}}})
	require.NoError(t, err)
	require.Equal(t, []float64{math.Inf(-1), math.Inf(1), 7}, []float64{p.lower[1], p.upper[1], p.rate[1]}, "no bounds beside a rate")
}

// TestManyNames: names are found both by a linear search and by a map, and the list of problems is bounded.
func TestManyNames(t *testing.T) {
	plan := mustPlan(t, modeltest.Arm(9))
	var names []string
	for i := range 1200 {
		names = append(names, "x"+string(rune('a'+i%26)))
	}
	_, err := NewProblem(plan, &Task{Driven: append(names, "j8"), Targets: []Target{tip(9)}})
	var p *model.Problems
	require.True(t, errors.As(err, &p))
	require.Equal(t, 1200, len(p.List)+p.More)
}

// TestLevels: levels are in the order of their priorities.
func TestLevels(t *testing.T) {
	plan := mustPlan(t, modeltest.Arm(3))
	a, b, c := tip(3), tip(3), tip(3)
	a.Priority, b.Name, b.Priority, c.Name = 7, "b", 2, ""
	c.Priority = 7
	p, err := NewProblem(plan, &Task{Targets: []Target{a, b, c}})
	require.NoError(t, err)
	require.Equal(t, 2, p.levels)
	require.Equal(t, []int{1, 0, 1}, []int{p.targets[0].level, p.targets[1].level, p.targets[2].level})
	require.Equal(t, []int{0, 2, 4}, []int{p.targets[0].first, p.targets[1].first, p.targets[2].first})
}

// TestCloseContext: the first pose of a task is closed from a state that violates the joints, and that ends with its context.
func TestCloseContext(t *testing.T) {
	plan := mustPlan(t, modeltest.Arm(3))
	p, err := NewProblem(plan, &Task{Targets: []Target{tip(3)}})
	require.NoError(t, err)
	st := plan.Initial()
	st.Bodies[1].Position[0] += 0.01
	ended, end := context.WithCancel(context.Background())
	end()
	require.ErrorIs(t, p.CloseContext(ended, st.Clone()), context.Canceled)
	require.Error(t, plan.Mechanism().Holds(st))
	require.NoError(t, p.CloseContext(context.Background(), st))
	require.NoError(t, plan.Mechanism().Holds(st))
}
