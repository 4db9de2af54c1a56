package ik

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// fourBar is a planar four-bar: joints a and b on the world, c and d on the coupler.
func fourBar() *model.Model {
	m := model.New("four-bar")
	body := func(name string, from, to spatial.Vec3) {
		d := to.Sub(from)
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Com: [3]float64{d.Norm() / 2}, Inertia: model.Inertia{XX: 0.01, YY: 0.05, ZZ: 0.05},
			Pose: model.Pose{Position: from, Orientation: spatial.Exp(spatial.Vec3{2: math.Atan2(d[1], d[0])})}})
	}
	A, B, C, D := spatial.Vec3{}, spatial.Vec3{2}, spatial.Vec3{0.3, 1}, spatial.Vec3{2.2, 1.5}
	body("crank", A, C)
	body("coupler", C, D)
	body("rocker", B, D)
	length := func(i int) [3]float64 { return [3]float64{2 * m.Bodies[i].Com[0]} }
	m.Joints = []model.Joint{
		{Name: "a", Type: joints.Revolute, Predecessor: model.World, Successor: "crank"},
		{Name: "b", Type: joints.Revolute, Predecessor: model.World, Successor: "rocker", PredecessorFrame: model.Pose{Position: B}},
		{Name: "c", Type: joints.Revolute, Predecessor: "crank", Successor: "coupler", PredecessorFrame: model.Pose{Position: length(0)}},
		{Name: "d", Type: joints.Revolute, Predecessor: "coupler", Successor: "rocker", PredecessorFrame: model.Pose{Position: length(1)}, SuccessorFrame: model.Pose{Position: length(2)}},
	}
	return m
}

// TestOverdriven: of four driven hinges of a four-bar one is left, and the others follow it. The result is the same loop.
func TestOverdriven(t *testing.T) {
	task := &Task{Targets: []Target{{Name: "tip", Type: Coordinate, Freedom: "b", Value: 1.4}}}
	p, err := NewProblem(mustPlan(t, fourBar()), task)
	require.NoError(t, err)
	_, n := p.Dims()
	require.Equal(t, 1, n)
	require.Len(t, p.Following(), 3)
	require.Len(t, p.lower, 1)
	e, err := p.newEngine(task.Solver)
	require.NoError(t, err)
	require.NoError(t, e.set(p.plan.Initial()))
	solveFor(t, e, 1e-12)
	st := p.plan.Initial()
	e.stateTo(st)
	m := p.plan.Mechanism()
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	_, position, _ := m.WorstJoint(k, st)
	require.Less(t, position, 1e-13)
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	m.JointTo(&jk, 1, k, st)
	m.Joints[1].CoordinatesTo(&q, &qd, &jk)
	require.InDelta(t, 1.4, q[0], 1e-12)
}

// TestUnderdriven: the error names the motions that are not driven, unless Options.Passive allows them.
func TestUnderdriven(t *testing.T) {
	target := Target{Name: "tip", Type: Point, Body: "l2", Weight: []float64{1, 1, 0}}
	for name, c := range map[string]struct {
		m      *model.Model
		task   Task
		motion []string
	}{
		"chain":    {modeltest.Arm(3), Task{Driven: []string{"j0"}, Targets: []Target{target}}, []string{"j1.0", "j2.0"}},
		"system":   {modeltest.Arm(3), Task{Driven: []string{"j0"}, Targets: []Target{target}, Solver: Options{Engine: DrivenEngine}}, []string{"j1.0", "j2.0"}},
		"ball":     {balled(), Task{Driven: []string{"j0", "j1"}, Targets: []Target{target}}, []string{"j2.0", "j2.1", "j2.2"}},
		"hung":     {hung(), Task{Driven: []string{"a"}, Targets: []Target{{Type: Coordinate, Freedom: "a"}}}, []string{"body bob"}},
		"five-bar": {fiveBar(), Task{Driven: []string{"a"}, Targets: []Target{{Type: Coordinate, Freedom: "a"}}}, []string{"b.0", "c.0", "d.0", "e.0"}},
	} {
		_, err := NewProblem(mustPlan(t, c.m), &c.task)
		var u *UnderdrivenError
		require.ErrorAs(t, err, &u, name)
		require.ElementsMatch(t, c.motion, u.Motions, name)
		require.ErrorContains(t, err, u.Motions[0])
		c.task.Solver.Passive = true
		p, err := NewProblem(mustPlan(t, c.m), &c.task)
		require.NoError(t, err, name)
		e, err := p.newEngine(c.task.Solver)
		require.NoError(t, err)
		require.NoError(t, e.set(p.plan.Initial()))
		checkProducts(t, e, jacobian(e), check.Rand(1), 1e-11)
	}
}

// balled is an arm with a ball for its last hinge.
func balled() *model.Model {
	m := modeltest.Arm(3)
	m.Joints[2].Type = joints.Spherical
	return m
}

// hung is a four-bar with a bob on a ball at its coupler.
func hung() *model.Model {
	m := fourBar()
	m.Bodies = append(m.Bodies, model.Body{Name: "bob", Mass: 1, Com: [3]float64{1: -0.5}, Inertia: model.Inertia{XX: 0.1, YY: 0.1, ZZ: 0.1}, Pose: m.Bodies[1].Pose})
	m.Joints = append(m.Joints, model.Joint{Name: "ball", Type: joints.Spherical, Predecessor: "coupler", Successor: "bob"})
	return m
}

// fiveBar is a planar loop of five hinges.
func fiveBar() *model.Model {
	m := fourBar()
	m.Joints[1].Predecessor, m.Joints[1].PredecessorFrame = "slider", model.Pose{Position: [3]float64{0, 1}}
	m.Bodies = append(m.Bodies, model.Body{Name: "slider", Mass: 1, Inertia: model.Inertia{XX: 0.1, YY: 0.1, ZZ: 0.1}, Pose: model.Pose{Position: [3]float64{2, -1}, Orientation: [4]float64{1}}})
	m.Joints = append(m.Joints, model.Joint{Name: "e", Type: joints.Revolute, Predecessor: model.World, Successor: "slider", PredecessorFrame: model.Pose{Position: [3]float64{2, -1}}})
	return m
}

// TestLeastKinetic: motions that nothing drives follow as the masses
// have it: the momenta that they could take up are zero.
func TestLeastKinetic(t *testing.T) {
	task := &Task{Driven: []string{"j0"}, Targets: []Target{{Type: Point, Body: "l1", Weight: []float64{1, 1, 0}}}, Solver: Options{Passive: true}}
	p, err := NewProblem(mustPlan(t, modeltest.Arm(2)), task)
	require.NoError(t, err)
	e, err := p.newEngine(task.Solver)
	require.NoError(t, err)
	require.NoError(t, e.set(p.plan.Initial()))
	e.setRates([]float64{1})
	st := p.plan.Initial()
	e.stateTo(st)
	// Link 1 has the velocity of its joint, (0, 1), and turns by w about it: 1/2·(1 + w/2)² + 0.1/2·w² is least.
	w := -0.5 / (0.25 + 0.1)
	require.InDelta(t, w, st.Bodies[1].Omega[2], 1e-12)
	require.InDelta(t, 1, st.Bodies[0].Omega[2], 1e-12)
}

// TestFailedMove: where the loop cannot follow, the engine stays where it is, bit by bit.
func TestFailedMove(t *testing.T) {
	task := &Task{Driven: []string{"b"}, Targets: []Target{{Type: Coordinate, Freedom: "c"}}} // a rocker
	p, err := NewProblem(mustPlan(t, fourBar()), task)
	require.NoError(t, err)
	e, err := p.newEngine(task.Solver)
	require.NoError(t, err)
	require.NoError(t, e.set(p.plan.Initial()))
	q, after := make([]float64, 1), make([]float64, 1)
	failed := 0
	for _, by := range []float64{2.6, -2.6, math.NaN(), math.Inf(1)} {
		e.coordinatesTo(q)
		at, st, J := p.plan.Initial(), p.plan.Initial(), jacobian(e)
		e.stateTo(at)
		if e.moveTo([]float64{q[0] + by}) == nil {
			continue
		}
		failed++
		e.coordinatesTo(after)
		require.Equal(t, q, after)
		require.Equal(t, J, jacobian(e))
		e.stateTo(st)
		require.Equal(t, at, st)
	}
	require.Equal(t, 4, failed)
}

// TestDrivenTurns: driven coordinates wind, and so do passive ones that targets count.
func TestDrivenTurns(t *testing.T) {
	task := &Task{Driven: []string{"a"}, Targets: []Target{
		{Name: "c", Type: Coordinate, Freedom: "c", Turns: true}, {Name: "a", Type: Coordinate, Freedom: "a", Turns: true}, {Name: "b", Type: Coordinate, Freedom: "b", Turns: true}}, Solver: Options{Length: 1}}
	p, err := NewProblem(mustPlan(t, crankRocker()), task)
	require.NoError(t, err)
	e, err := p.newEngine(task.Solver)
	require.NoError(t, err)
	require.NoError(t, e.set(p.plan.Initial()))
	before, after, q := make([]float64, 3), make([]float64, 3), make([]float64, 1)
	e.errorsTo(before)
	e.coordinatesTo(q)
	q[0] += 6 * math.Pi
	require.NoError(t, e.moveTo(q))
	e.errorsTo(after)
	turned := []float64{6 * math.Pi, -6 * math.Pi, 0} // the coupler turns back against the crank, the rocker returns
	for i := range after {
		require.InDelta(t, turned[i], after[i]-before[i], 1e-11, strings.Fields("coupler crank rocker")[i])
	}
}

// crankRocker is a four-bar whose crank goes round.
func crankRocker() *model.Model {
	m := fourBar()
	A, B, C, D := spatial.Vec3{}, spatial.Vec3{2}, spatial.Vec3{0, 0.5}, spatial.Vec3{2.3, 1.4}
	place := func(i int, from, to spatial.Vec3) {
		d := to.Sub(from)
		m.Bodies[i].Com = [3]float64{d.Norm() / 2}
		m.Bodies[i].Pose = model.Pose{Position: from, Orientation: spatial.Exp(spatial.Vec3{2: math.Atan2(d[1], d[0])})}
	}
	place(0, A, C)
	place(1, C, D)
	place(2, B, D)
	m.Joints[2].PredecessorFrame.Position = [3]float64{2 * m.Bodies[0].Com[0]}
	m.Joints[3].PredecessorFrame.Position = [3]float64{2 * m.Bodies[1].Com[0]}
	m.Joints[3].SuccessorFrame.Position = [3]float64{2 * m.Bodies[2].Com[0]}
	return m
}

// TestEngines: a solver uses the engine that is asked for, or there is an error.
func TestEngines(t *testing.T) {
	plan := mustPlan(t, modeltest.Arm(3))
	p, err := NewProblem(plan, &Task{Targets: []Target{tip(3)}})
	require.NoError(t, err)
	e, err := p.newEngine(Options{})
	require.NoError(t, err)
	require.IsType(t, &treeEngine{}, e)
	e, err = p.newEngine(Options{Engine: DrivenEngine})
	require.NoError(t, err)
	require.IsType(t, &drivenEngine{}, e)
	_, err = NewProblem(mustPlan(t, fourBar()), &Task{Driven: []string{"a"}, Targets: []Target{{Type: Coordinate, Freedom: "b"}}, Solver: Options{Engine: TreeEngine}})
	require.ErrorIs(t, err, errNoTree)
	p, err = NewProblem(mustPlan(t, fourBar()), &Task{Targets: []Target{{Type: Coordinate, Freedom: "b"}}, Solver: Options{Method: Sparse}})
	require.NoError(t, err)
	_, n := p.Dims()
	require.Equal(t, 4, n)
	_, err = p.newEngine(Options{})
	require.ErrorContains(t, err, "3 of its driven freedoms")
}

// TestFollowing: freedoms with limits are driven rather than others; the result lists the freedoms that follow, and at which limits they are.
func TestFollowing(t *testing.T) {
	m := fourBar()
	m.Joints[0].Limits = []*model.Limit{{Lower: -3, Upper: 3}}
	m.Joints[3].Limits = []*model.Limit{{Lower: 5, Upper: 6}} // the smaller rate of the two
	task := &Task{Targets: []Target{{Name: "rocker", Type: Coordinate, Freedom: "b", Value: 1.4}}}
	p, err := NewProblem(mustPlan(t, m), task)
	require.NoError(t, err)
	s, err := p.NewSolver(task.Solver)
	require.NoError(t, err)
	r, err := s.Reach(p.plan.Initial())
	require.NoError(t, err)
	require.Len(t, r.Driven, 1)
	require.Equal(t, "a", r.Driven[0].Joint)
	require.Less(t, r.ClosingError, 1e-13)
	at := map[string]DrivenResult{}
	for _, d := range r.Following {
		at[d.Joint] = d
	}
	require.Len(t, at, 3)
	require.InDelta(t, 1.4, at["b"].Value, 1e-9)
	require.Equal(t, int8(-1), at["d"].Limit)
	require.Zero(t, at["b"].Limit)
	text, err := r.MarshalJSON()
	require.NoError(t, err)
	require.Contains(t, string(text), `"following":[{"joint":"b"`)
}

// TestOutside: the result names a freedom that starts beyond a limit, and the search keeps the limit.
func TestOutside(t *testing.T) {
	T := tip(3)
	T.Position = [3]float64{1.5, 1}
	limit := Limit{Freedom: "j1", Lower: 0.2, Upper: 2}
	p, err := NewProblem(mustPlan(t, modeltest.Arm(3)), &Task{Targets: []Target{T}, Limits: []Limit{limit}})
	require.NoError(t, err)
	s, err := p.NewSolver(Options{})
	require.NoError(t, err)
	st := p.plan.Initial()
	r, err := s.Reach(st)
	require.NoError(t, err)
	require.Equal(t, []string{"j1"}, r.Outside)
	require.GreaterOrEqual(t, r.Driven[1].Value, limit.Lower)
	r, err = s.Reach(st)
	require.NoError(t, err)
	require.Empty(t, r.Outside)
}

// TestOutsideOfPath: the result names a freedom whose path begins beyond a limit, by each method and engine.
func TestOutsideOfPath(t *testing.T) {
	for _, exact := range []bool{false, true} {
		for _, o := range []Options{{}, {Engine: DrivenEngine}, {Method: FIKMethod}, {Method: Adaptive}} {
			task := circleTask(Path{Step: 0.5, Exact: exact})
			task.Limits = []Limit{{Freedom: "j1", Lower: 0.2, Upper: 2}}
			if o.Method == FIKMethod {
				task.FIK = &FIKOptions{Options: fik.Options{Design: fik.DesignNorm, Adapt: true}}
			}
			plan := planar(t, 0.5, 0.4, 0.3)
			o.Nearest = true
			s, samples := testSolver(t, testProblem(t, plan, task), o), 0
			require.NoError(t, s.Track(context.Background(), plan.Mechanism().Initial(), func(_ float64, _ *mechanism.State, r *Result) error {
				samples++
				require.Equal(t, []string{"j1"}, r.Outside)
				require.True(t, r.Driven[1].Value >= 0.2 && r.Driven[1].Value <= 2, "%v", r.Driven[1].Value)
				return nil
			}))
			require.Greater(t, samples, 4)
		}
	}
}

// sliderCrank is a crank and a rod of length 1 on a slider along x, with the crank at an angle.
func sliderCrank(angle float64) *model.Model {
	m := model.New("slider-crank")
	s, c := math.Sincos(angle)
	turned := func(a float64) [4]float64 { return spatial.Exp(spatial.Vec3{2: a}) }
	I := model.Inertia{XX: 0.01, YY: 0.1, ZZ: 0.1}
	m.Bodies = []model.Body{
		{Name: "crank", Mass: 1, Com: [3]float64{0.5}, Inertia: I, Pose: model.Pose{Orientation: turned(angle)}},
		{Name: "rod", Mass: 1, Com: [3]float64{0.5}, Inertia: I, Pose: model.Pose{Position: [3]float64{c, s}, Orientation: turned(-angle)}},
		{Name: "slider", Mass: 1, Inertia: I, Pose: model.Pose{Position: [3]float64{2 * c}, Orientation: [4]float64{1}}},
	}
	alongX := spatial.FromMat(axesAlong(spatial.Vec3{1, 0, 0}))
	m.Joints = []model.Joint{
		{Name: "a", Type: joints.Revolute, Predecessor: model.World, Successor: "crank"},
		{Name: "b", Type: joints.Revolute, Predecessor: "crank", Successor: "rod", PredecessorFrame: model.Pose{Position: [3]float64{1}}},
		{Name: "c", Type: joints.Revolute, Predecessor: "rod", Successor: "slider", PredecessorFrame: model.Pose{Position: [3]float64{1}}},
		{Name: "d", Type: joints.Prismatic, Predecessor: model.World, Successor: "slider", PredecessorFrame: model.Pose{Orientation: alongX}, SuccessorFrame: model.Pose{Orientation: alongX}},
	}
	return m
}

// TestSliderCrank: driven by its slider the crank is where the triangle has it, up to the dead centre: there the slider
// drives nothing, and beyond the joints cannot be closed. The engine refuses both and stays.
func TestSliderCrank(t *testing.T) {
	task := &Task{Driven: []string{"d"}, Targets: []Target{{Type: Coordinate, Freedom: "a"}}, Solver: Options{Length: 1}}
	e := newDrivenOf(t, sliderCrank(0.7), task)
	out, q := make([]float64, 1), make([]float64, 1)
	for _, x := range []float64{1.4, 1.9, 1.999, 2 - 1e-6, 1} {
		require.NoError(t, e.moveTo([]float64{x}), "slider at %v", x)
		e.errorsTo(out)
		angle := math.Acos(x / 2)
		tol := 1e-13 / math.Sin(angle)
		check.Close(t, out[0], -angle, tol, 1, "crank for the slider at %v", x)
		check.Close(t, jacobian(e)[0], -1/(2*math.Sin(angle)), 1e-12/math.Pow(math.Sin(angle), 3), 1, "𝒥 for the slider at %v", x)
	}
	for _, x := range []float64{2, 2.01, 3} {
		err := e.moveTo([]float64{x})
		require.Error(t, err, "slider at %v", x)
		if !errors.Is(err, errDependent) {
			require.ErrorIs(t, err, closing.ErrCannotClose, "slider at %v", x)
		}
		e.coordinatesTo(q)
		require.Equal(t, []float64{1}, q)
		e.errorsTo(out)
		check.Close(t, out[0], -math.Acos(0.5), 1e-13, 1, "crank after %v", x)
		check.Close(t, jacobian(e)[0], -1/math.Sqrt(3), 1e-12, 1, "𝒥 after %v", x)
	}
	var u *UnderdrivenError
	_, err := NewProblem(mustPlan(t, sliderCrank(0)), task)
	require.ErrorAs(t, err, &u, "at the dead centre the slider drives nothing")
	require.Contains(t, u.Motions, "a.0")
}
