package follow_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/follow"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// differenceTol is the error of differences of order 4 of solutions with the step differenceStep, relative to the largest number of a
// change: the fourth power of the step, plus the error of searches, 1e-13 rad or lengths (searchTol), divided by the step.
const (
	differenceTol  = 4e-9
	differenceStep = 1.4e-3
	searchTol      = 1e-13
)

const (
	armFile     = "../../examples/reach/arm.json"
	stewartFile = "../../examples/reach/stewart.json"
	fourBarFile = "../../docs/four-bar.model.json"
)

// number is a number of the model or of the task that is varied.
type number struct {
	name string
	path string // of the model
	of   func(m *model.Model) *float64
	task func(t *ik.Task) *float64
}

// ofModel returns a number of the model, and ofTask one of the task.
func ofModel(name, path string, of func(m *model.Model) *float64) number {
	return number{name: name, path: path, of: of}
}
func ofTask(name string, task func(t *ik.Task) *float64) number {
	return number{name: name, task: task}
}

func read(t testing.TB, file string) *model.Model {
	m, err := model.ReadFile(file)
	require.NoError(t, err)
	return m
}

func planOf(t testing.TB, m *model.Model) *kkt.Plan {
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return kkt.NewPlan(mech, kkt.Options{})
}

// copyTask returns a task whose numbers are its own.
func copyTask(task *ik.Task) *ik.Task {
	c := *task
	c.Targets, c.Limits = slices.Clone(task.Targets), slices.Clone(task.Limits)
	if task.Posture != nil {
		p := *task.Posture
		p.Values = slices.Clone(p.Values)
		c.Posture = &p
	}
	return &c
}

// changed returns the task with a number changed; orientations have length 1 again.
func changed(task *ik.Task, of func(t *ik.Task) *float64, by float64) *ik.Task {
	c := copyTask(task)
	*of(c) += by
	for i := range c.Targets {
		if q := &c.Targets[i].Orientation; *q != ([4]float64{}) {
			*q = spatial.Quat(*q).Normalize()
		}
	}
	return c
}

// find returns a solution of a task from a state.
func find(t testing.TB, m *model.Model, task *ik.Task, from *mechanism.State) (*ik.Problem, *mechanism.State, []float64) {
	t.Helper()
	plan := planOf(t, m)
	p, err := ik.NewProblem(plan, task)
	require.NoError(t, err)
	st := plan.Initial()
	if from != nil {
		copy(st.Bodies, from.Bodies)
	}
	require.NoError(t, p.CloseContext(context.Background(), st))
	o := task.Solver
	o.Nearest, o.Restarts = true, ik.NoRestarts
	s, err := p.NewSolver(o)
	require.NoError(t, err)
	r, err := s.Reach(st)
	require.NoError(t, err)
	var q []float64
	for _, d := range r.Driven {
		q = append(q, d.Value)
	}
	return p, st, q
}

// kept returns the state of m with the driven coordinates q and the held coordinates of from.
func kept(t testing.TB, m *model.Model, p *ik.Problem, q []float64, from *mechanism.State) *mechanism.State {
	task := &ik.Task{Limits: p.Task().Limits, Solver: ik.Options{Passive: true}}
	mech := p.Plan().Mechanism()
	add := func(f mechanism.Freedom, x float64) {
		name := fmt.Sprintf("%s.%d", mech.JointName(f.Joint), f.Freedom)
		task.Driven = append(task.Driven, name)
		task.Targets = append(task.Targets, ik.Target{
			Name: name, Type: ik.Coordinate, Freedom: name, Value: x, Tolerance: [2]float64{searchTol, searchTol},
		})
	}
	for i, f := range p.Driven() {
		add(f, q[i])
	}
	for _, f := range p.Held() {
		x, _ := mech.Coordinate(f, from)
		add(f, x)
	}
	_, st, _ := find(t, m, task, from)
	return st
}

// check compares the changes of a solution with differences of solutions.
func check(t *testing.T, file string, task *ik.Task, o follow.Options, numbers ...number) {
	t.Helper()
	task.Solver.Length = 0.3 // the default is the length of the bodies, which changes with numbers of the model
	for i := range task.Targets {
		task.Targets[i].Tolerance = [2]float64{searchTol, searchTol}
	}
	m := read(t, file)
	p, st, q := find(t, m, task, nil)
	s, err := follow.New(p, m, st, o)
	require.NoError(t, err)
	var list []follow.Direction
	for _, n := range numbers {
		d := follow.Direction{Name: n.name}
		if n.task != nil {
			d.Task = func(by float64) (*ik.Task, error) { return changed(task, n.task, by), nil }
		} else {
			d.Parameters = []derive.NamedParameter{{Path: n.path, Change: 1}}
		}
		list = append(list, d)
	}
	changes, err := s.Along(list)
	require.NoError(t, err)
	for k, n := range numbers {
		require.Len(t, changes[k].Driven, len(q))
		want, moved := difference(t, file, task, o, n, p, q, st)
		size := 1e-3
		for _, x := range append(slices.Clone(want), moved...) {
			size = max(size, math.Abs(x))
		}
		for i := range want {
			require.InDelta(t, want[i], changes[k].Driven[i], differenceTol*size, "%s: %s", n.name, p.DrivenName(i))
		}
		for i := range moved {
			require.InDelta(t, moved[i], changes[k].Moves[i], differenceTol*size, "%s: body %d, %d", n.name, i/6, i%6)
		}
	}
}

// difference returns the derivatives of driven coordinates and of the motions of bodies by differences.
func difference(
	t *testing.T, file string, task *ik.Task, o follow.Options, n number, p *ik.Problem, q []float64, st *mechanism.State,
) (driven, moves []float64) {
	var sides [4][]float64
	var states [4]*mechanism.State
	var mechs [4]*mechanism.Mechanism
	by := [4]float64{differenceStep, -differenceStep, differenceStep / 2, -differenceStep / 2}
	for k, h := range by {
		m, own := read(t, file), task
		if n.task != nil {
			own = changed(task, n.task, h)
		} else {
			*n.of(m) += h
			for j := range m.Joints {
				q := &m.Joints[j].SuccessorFrame.Orientation
				*q = spatial.Quat(*q).Normalize()
			}
		}
		from := st
		if o.Least || len(p.Held()) > 0 {
			from = kept(t, m, p, q, st)
		}
		var found *ik.Problem
		found, states[k], sides[k] = find(t, m, own, from)
		mechs[k] = found.Plan().Mechanism()
	}
	weights := [4]float64{-1. / 6, 1. / 6, 4. / 3, -4. / 3}
	driven, moves = make([]float64, len(q)), make([]float64, 6*len(st.Bodies))
	mech := p.Plan().Mechanism()
	for k, w := range weights {
		w /= differenceStep
		for i := range q {
			driven[i] += w * math.Remainder(sides[k][i]-q[i], 2*math.Pi)
		}
		for b := range st.Bodies {
			x, y := &states[k].Bodies[b], &st.Bodies[b]
			turn := x.Rotation.Mul(y.Rotation.Conj()).Log()
			com := mech.Bodies[b].Com // its change comes beyond
			travel := x.Position.Add(x.Rotation.Rotate(com)).Sub(y.Position.Add(y.Rotation.Rotate(com)))
			for c := range 3 {
				moves[6*b+c] += w * turn[c]
				moves[6*b+3+c] += w * travel[c]
			}
		}
	}
	return driven, moves
}

func tip(position [3]float64) ik.Target {
	return ik.Target{Name: "tip", Type: ik.Point, Body: "hand", Frame: model.Pose{Position: [3]float64{0.1, 0, 0}}, Position: position}
}

var (
	tipX  = ofTask("tip x", func(t *ik.Task) *float64 { return &t.Targets[0].Position[0] })
	tipZ  = ofTask("tip z", func(t *ik.Task) *float64 { return &t.Targets[0].Position[2] })
	upper = ofModel("upper arm", "joints[elbow].predecessor_frame.position[0]",
		func(m *model.Model) *float64 { return &m.Joints[2].PredecessorFrame.Position[0] })
	tilted = ofModel("tilted shoulder", "joints[shoulder].predecessor_frame.position[1]",
		func(m *model.Model) *float64 { return &m.Joints[1].PredecessorFrame.Position[1] })
	frameTurn = ofModel("turned hinge", "joints[elbow].successor_frame.orientation[2]",
		func(m *model.Model) *float64 { return &m.Joints[2].SuccessorFrame.Orientation[2] })
)

// TestTree compares derivatives of an arm with differences: one solution, remaining motions, a posture, levels.
func TestTree(t *testing.T) {
	place := [3]float64{0.4, 0.3, 0.2}
	point := ofTask("point of the hand", func(t *ik.Task) *float64 { return &t.Targets[0].Frame.Position[1] })
	t.Run("one solution", func(t *testing.T) {
		down := ik.Target{
			Name: "down", Type: ik.Axis, Body: "hand", Axis: [3]float64{1, 0, 0}, Direction: [3]float64{0, 0, -1}, Weight: []float64{1, 0},
		}
		task := &ik.Task{Targets: []ik.Target{tip(place), down}}
		check(t, armFile, task, follow.Options{}, tipX, tipZ, upper, point)
	})
	t.Run("least change", func(t *testing.T) {
		check(t, armFile, &ik.Task{Targets: []ik.Target{tip(place)}}, follow.Options{Least: true}, tipX, tipZ, upper, tilted, frameTurn)
	})
	t.Run("posture", func(t *testing.T) {
		rests := []ik.Coordinated{{Freedom: "elbow", Value: 1.2}, {Freedom: "wrist", Value: 0.2}, {Freedom: "turn", Value: 0.1}}
		task := &ik.Task{Targets: []ik.Target{tip(place)}, Posture: &ik.Posture{Gain: 1, Values: rests}}
		rest := ofTask("rest", func(t *ik.Task) *float64 { return &t.Posture.Values[0].Value })
		check(t, armFile, task, follow.Options{}, tipX, tipZ, upper, tilted, rest)
	})
	t.Run("second level out of reach", func(t *testing.T) {
		second := ik.Target{Name: "out", Type: ik.Point, Body: "hand", Position: [3]float64{0.9, 0.2, 0.9}, Priority: 1}
		far := ofTask("far", func(t *ik.Task) *float64 { return &t.Targets[1].Position[2] })
		check(t, armFile, &ik.Task{Targets: []ik.Target{tip(place), second}}, follow.Options{}, tipX, upper, tilted, far)
	})
	t.Run("out of reach", func(t *testing.T) {
		task := &ik.Task{
			Targets: []ik.Target{tip([3]float64{0.7, 0.4, 0.9})},
			Limits:  []ik.Limit{ik.NoLimit("elbow"), ik.NoLimit("wrist"), ik.NoLimit("shoulder")},
		}
		check(t, armFile, task, follow.Options{}, tipX, tipZ, upper, tilted)
	})
	t.Run("weights", func(t *testing.T) {
		other := ik.Target{Name: "knee", Type: ik.Point, Body: "lower", Position: [3]float64{0.3, -0.1, 0.5}, Weight: []float64{0.5, 2, 1}}
		pose := ik.Target{Name: "look", Type: ik.Orientation, Body: "hand", Orientation: [4]float64{0.8, 0.1, 0.55, 0.2}}
		pose.Orientation = spatial.Quat(pose.Orientation).Normalize()
		turn := ofTask("look", func(t *ik.Task) *float64 { return &t.Targets[2].Orientation[1] })
		check(t, armFile, &ik.Task{Targets: []ik.Target{tip(place), other, pose}}, follow.Options{}, tipX, tipZ, upper, tilted, turn)
	})
}

// TestLoops compares derivatives of closed chains with differences: a platform on six legs, and a four-bar whose rocker has a target angle.
func TestLoops(t *testing.T) {
	t.Run("platform", func(t *testing.T) {
		task := &ik.Task{
			Driven: []string{"slide0", "slide1", "slide2", "slide3", "slide4", "slide5"},
			Targets: []ik.Target{{Name: "top", Type: ik.PoseTarget, Body: "platform", Position: [3]float64{0.05, 0, 0.85},
				Orientation: [4]float64{0.9950041652780258, 0, 0.09983341664682815, 0}}},
		}
		across := ofTask("across", func(t *ik.Task) *float64 { return &t.Targets[0].Position[0] })
		turned := ofTask("turned", func(t *ik.Task) *float64 { return &t.Targets[0].Orientation[3] })
		base := ofModel("base", "joints[base0].predecessor_frame.position[0]",
			func(m *model.Model) *float64 { return &m.Joints[0].PredecessorFrame.Position[0] })
		top := ofModel("ball", "joints[top2].successor_frame.position[2]",
			func(m *model.Model) *float64 { return &m.Joints[8].SuccessorFrame.Position[2] })
		check(t, stewartFile, task, follow.Options{}, across, turned, base, top)
	})
	corner := model.Pose{Position: [3]float64{1, 0.5, 0}}
	fourBar := func(targets ...ik.Target) *ik.Task { return &ik.Task{Driven: []string{"O"}, Targets: targets} }
	length := ofModel("crank", "joints[A].predecessor_frame.position[0]",
		func(m *model.Model) *float64 { return &m.Joints[1].PredecessorFrame.Position[0] })
	pin := ofModel("pin", "joints[A].successor_frame.orientation[3]",
		func(m *model.Model) *float64 { return &m.Joints[1].SuccessorFrame.Orientation[3] })
	rod := ofModel("coupler", "joints[B].successor_frame.position[0]",
		func(m *model.Model) *float64 { return &m.Joints[2].SuccessorFrame.Position[0] })
	t.Run("coordinate", func(t *testing.T) {
		task := fourBar(ik.Target{Name: "angle", Type: ik.Coordinate, Freedom: "A", Value: -0.7})
		value := ofTask("value", func(t *ik.Task) *float64 { return &t.Targets[0].Value })
		check(t, fourBarFile, task, follow.Options{}, value, length, pin, rod)
	})
	t.Run("distance", func(t *testing.T) {
		task := fourBar(ik.Target{Name: "away", Type: ik.Distance, Body: "coupler", Frame: corner,
			Position: [3]float64{0.3, 0.2, 0}, Length: 1.5})
		far := ofTask("far", func(t *ik.Task) *float64 { return &t.Targets[0].Length })
		from := ofTask("from", func(t *ik.Task) *float64 { return &t.Targets[0].Position[1] })
		check(t, fourBarFile, task, follow.Options{}, far, from, length, rod)
	})
	t.Run("plane seen from a body", func(t *testing.T) {
		task := fourBar(ik.Target{Name: "plane", Type: ik.Plane, Body: "coupler", Frame: corner, RelativeTo: "rocker",
			Position: [3]float64{0.7, 1.1, 0}, Direction: [3]float64{1, 0.3, 0}})
		direction := ofTask("direction", func(t *ik.Task) *float64 { return &t.Targets[0].Direction[0] })
		check(t, fourBarFile, task, follow.Options{}, direction, length, rod)
	})
	t.Run("out of reach", func(t *testing.T) {
		task := fourBar(ik.Target{Name: "point", Type: ik.Point, Body: "coupler", Frame: corner, Position: [3]float64{1.5, 2.5, 0}})
		x := ofTask("x", func(t *ik.Task) *float64 { return &t.Targets[0].Position[0] })
		check(t, fourBarFile, task, follow.Options{}, x, length, rod)
	})
}

// TestCentreOfMass compares derivatives of the angle at which an arm balances with differences, also by masses and centres of mass.
func TestCentreOfMass(t *testing.T) {
	task := &ik.Task{Hold: []string{"turn", "wrist"}, Targets: []ik.Target{
		{Name: "balance", Type: ik.Com, Position: [3]float64{0.05, 0, 0.35}, Weight: []float64{1, 0, 1}},
	}}
	mass := ofModel("mass", "bodies[hand].mass",
		func(m *model.Model) *float64 { return &m.Bodies[3].Mass })
	com := ofModel("com", "bodies[lower].com[0]",
		func(m *model.Model) *float64 { return &m.Bodies[2].Com[0] })
	check(t, armFile, task, follow.Options{}, tipX, mass, com, upper) // out of reach, at a limit
	task.Targets[0].Position = [3]float64{0.07, 0, 0.3}
	check(t, armFile, task, follow.Options{}, tipX, mass, com, upper)
	relative := &ik.Task{Hold: []string{"turn", "wrist"}, Targets: []ik.Target{
		{Name: "some", Type: ik.Com, Bodies: []string{"lower", "hand"}, RelativeTo: "column", Position: [3]float64{0.3, 0, 0.35},
			Weight: []float64{1, 0, 1}},
	}}
	check(t, armFile, relative, follow.Options{}, mass, com, upper)
}

// TestLimits compares derivatives of solutions at limits, of the task and of the model, with differences.
func TestLimits(t *testing.T) {
	task := &ik.Task{
		Targets: []ik.Target{tip([3]float64{0.4, 0.3, 0.2})}, Limits: []ik.Limit{{Freedom: "elbow", Lower: 0, Upper: 1.1}},
		Posture: &ik.Posture{Gain: 1, Values: []ik.Coordinated{{Freedom: "elbow", Value: 2}, {Freedom: "wrist", Value: 0.2}}},
	}
	limit := ofTask("limit", func(t *ik.Task) *float64 { return &t.Limits[0].Upper })
	unused := ofModel("limit that the task replaces", "joints[elbow].limits[0].upper",
		func(m *model.Model) *float64 { return &m.Joints[2].Limits[0].Upper })
	check(t, armFile, task, follow.Options{}, tipX, upper, limit, unused)

	bent := &ik.Task{
		Targets: []ik.Target{{Name: "angle", Type: ik.Coordinate, Freedom: "wrist", Value: 0.3}},
		Posture: &ik.Posture{Gain: 1, Values: []ik.Coordinated{
			{Freedom: "elbow", Value: -1}, {Freedom: "shoulder", Value: 0.2}, {Freedom: "turn", Value: 0.4}}},
	}
	lower := ofModel("limit of the model", "joints[elbow].limits[0].lower",
		func(m *model.Model) *float64 { return &m.Joints[2].Limits[0].Lower })
	angle := ofTask("angle", func(t *ik.Task) *float64 { return &t.Targets[0].Value })
	check(t, armFile, bent, follow.Options{}, angle, upper, lower)
}

// TestRefused: solutions without derivative have errors with names.
func TestRefused(t *testing.T) {
	place := [3]float64{0.4, 0.3, 0.2}
	along := func(name, path string) follow.Direction {
		return follow.Direction{Name: name, Parameters: []derive.NamedParameter{{Path: path, Change: 1}}}
	}
	longer := along("longer", "joints[elbow].predecessor_frame.position[0]")
	sideways := along("sideways", "joints[wrist].predecessor_frame.position[1]")
	solution := func(file string, task *ik.Task) (*follow.Solution, error) {
		m := read(t, file)
		p, st, _ := find(t, m, task, nil)
		return follow.New(p, m, st, follow.Options{})
	}
	for _, c := range []struct {
		name, file string
		task       *ik.Task
		direction  follow.Direction
		is         error
		text       string
	}{
		{"free", armFile, &ik.Task{Targets: []ik.Target{tip(place)}}, longer, follow.ErrFree, "shoulder, elbow, wrist"},
		{"touches", armFile, &ik.Task{Hold: []string{"turn", "shoulder", "wrist"}, Targets: []ik.Target{
			{Name: "elbow", Type: ik.Coordinate, Freedom: "elbow", Value: 2.4}}},
			longer, follow.ErrLimit, `"elbow"`},
		{"leaves", armFile, &ik.Task{Hold: []string{"turn", "wrist"}, Limits: []ik.Limit{ik.NoLimit("elbow")}, Targets: []ik.Target{
			{Name: "wrist", Type: ik.Point, Body: "hand", Position: [3]float64{0.5, 0, 0.5}}}}, sideways, follow.ErrLeaves, `"sideways"`},
		{"stretched", armFile, &ik.Task{Hold: []string{"turn", "wrist"}, Limits: []ik.Limit{ik.NoLimit("elbow")}, Targets: []ik.Target{
			{Name: "wrist", Type: ik.Point, Body: "hand", Position: [3]float64{0.7, 0, 0.3}}}}, longer, follow.ErrSingular, `"wrist"`},
		{"below", armFile, &ik.Task{Limits: []ik.Limit{ik.NoLimit("elbow"), ik.NoLimit("wrist")}, Targets: []ik.Target{
			{Name: "far", Type: ik.Point, Body: "hand", Position: [3]float64{0.9, 0, 0.3}}},
			Posture: &ik.Posture{Gain: 1, Values: []ik.Coordinated{{Freedom: "wrist", Value: 0.3}}}},
			longer, derive.ErrNoDerivatives, "the posture comes after target"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := solution(c.file, c.task)
			require.NoError(t, err)
			_, err = s.Along([]follow.Direction{c.direction})
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.text)
		})
	}
	t.Run("passive", func(t *testing.T) {
		task := &ik.Task{Driven: []string{"turn"}, Targets: []ik.Target{{Name: "x", Type: ik.Coordinate, Freedom: "turn", Value: 0.3}},
			Solver: ik.Options{Passive: true}}
		_, err := solution(armFile, task)
		require.ErrorIs(t, err, follow.ErrFree)
	})
	// The wrist at the largest possible distance from its target, the arm stretched to a millionth of a radian, and the arm folded onto a target
	// that it may turn about.
	for _, c := range []struct {
		name     string
		elbow    float64
		position [3]float64
		wrist    number
		is       error
	}{
		{"farthest", 0, [3]float64{-0.9, 0, 0.3}, tipX, follow.ErrNotLeast},
		{"nearly stretched", 1e-6, [3]float64{0.4 + 0.3*math.Cos(1e-6), 0, 0.3 - 0.3*math.Sin(1e-6)}, tipX, follow.ErrSingular},
		{"turned about", math.Pi, [3]float64{0, 0, 0.3}, tipZ, follow.ErrSingular},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := &ik.Task{Hold: []string{"turn", "wrist"}, Limits: []ik.Limit{ik.NoLimit("elbow")}, Targets: []ik.Target{
				{Name: "wrist", Type: ik.Point, Body: "hand", Position: c.position, Weight: []float64{1, 0, 1}}}}
			m := read(t, armFile)
			p, err := ik.NewProblem(planOf(t, m), task)
			require.NoError(t, err)
			s, err := follow.New(p, m, kept(t, m, p, []float64{0, c.elbow}, p.Plan().Initial()), follow.Options{})
			require.NoError(t, err)
			_, err = s.Along([]follow.Direction{{Name: c.wrist.name, Task: func(by float64) (*ik.Task, error) {
				return changed(task, c.wrist.task, by), nil
			}}})
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, `"wrist"`)
		})
	}
	t.Run("dependent", func(t *testing.T) {
		task := &ik.Task{Driven: []string{"O", "A"}, Targets: []ik.Target{{Name: "x", Type: ik.Coordinate, Freedom: "O", Value: 1}},
			Solver: ik.Options{Method: ik.Sparse}}
		_, err := solution(fourBarFile, task)
		require.ErrorIs(t, err, follow.ErrDependent)
		require.ErrorContains(t, err, "2 of them move the mechanism in 1 ways")
	})
	t.Run("other rows", func(t *testing.T) {
		task := &ik.Task{Targets: []ik.Target{tip(place)}}
		s, err := solution(armFile, task)
		require.NoError(t, err)
		_, err = s.Along([]follow.Direction{{Name: "none", Task: func(float64) (*ik.Task, error) {
			return &ik.Task{Targets: []ik.Target{tip(place), tip(place)}}, nil
		}}})
		require.ErrorContains(t, err, `direction "none"`)
		_, err = s.Along([]follow.Direction{{Name: "fewer", Task: func(float64) (*ik.Task, error) {
			return &ik.Task{Targets: []ik.Target{tip(place)}, Hold: []string{"turn"}}, nil
		}}})
		require.ErrorContains(t, err, `direction "fewer": the changed task has other rows or driven freedoms`)
	})
	t.Run("other order", func(t *testing.T) { // as of a task whose targets come out of a map
		list := []ik.Target{}
		for i, name := range []string{"turn", "shoulder", "elbow", "wrist"} {
			list = append(list, ik.Target{Name: name, Type: ik.Coordinate, Freedom: name, Value: 0.1 * float64(1+i)})
		}
		s, err := solution(armFile, &ik.Task{Targets: list})
		require.NoError(t, err)
		_, err = s.Along([]follow.Direction{{Name: "back", Task: func(by float64) (*ik.Task, error) {
			if by < 0 {
				return &ik.Task{Targets: []ik.Target{list[1], list[0], list[2], list[3]}}, nil
			}
			return &ik.Task{Targets: list}, nil
		}}})
		require.ErrorContains(t, err, `direction "back": the changed task has other targets, or in another order`)
	})
	for name, c := range map[string]struct {
		task *ik.Task
		q    []float64
	}{
		"not yet least": {&ik.Task{Hold: []string{"turn", "wrist"}, Limits: []ik.Limit{ik.NoLimit("elbow")}, Targets: []ik.Target{
			{Name: "far", Type: ik.Point, Body: "hand", Position: [3]float64{0.9, 0, 0.3}}}}, []float64{0.05, 0.02}},
		"pulled off its limit": {&ik.Task{
			Hold: []string{"turn", "shoulder", "wrist"}, Limits: []ik.Limit{{Freedom: "elbow", Lower: 0.5, Upper: 2}},
			Targets: []ik.Target{{Name: "near", Type: ik.Point, Body: "hand", Position: [3]float64{0.5, 0, 0.1}}}}, []float64{0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			m := read(t, armFile)
			p, err := ik.NewProblem(planOf(t, m), c.task)
			require.NoError(t, err)
			s, err := follow.New(p, m, kept(t, m, p, c.q, p.Plan().Initial()), follow.Options{})
			require.NoError(t, err)
			_, err = s.Along([]follow.Direction{longer})
			require.ErrorIs(t, err, follow.ErrNotLeast)
			require.ErrorContains(t, err, "pulls at")
		})
	}
	t.Run("no solution", func(t *testing.T) {
		m := read(t, armFile)
		p, err := ik.NewProblem(planOf(t, m), &ik.Task{Targets: []ik.Target{tip(place)}})
		require.NoError(t, err)
		s, err := follow.New(p, m, p.Plan().Initial(), follow.Options{})
		require.NoError(t, err)
		_, err = s.Along([]follow.Direction{longer})
		require.ErrorIs(t, err, follow.ErrNotLeast)
	})
}
