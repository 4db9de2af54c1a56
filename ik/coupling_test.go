package ik

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// geared is a plane arm of three links of 1 m, the third of which turns half as far against the second as the second
// against the first, with a rotor on the ground that turns 40 times as fast as the first link.
func geared(t testing.TB) *model.Model {
	t.Helper()
	b := rung.NewBuilder("geared").Gravity(0, 0, 0)
	axis := spatial.Vec3{0, 0, 1}
	d, err := bodies.New(1, spatial.Vec3{0.5}, spatial.Sym3{0.1, 0.1, 0.1})
	require.NoError(t, err)
	from := rung.World
	var j []*build.Joint
	for i, name := range []string{"upper", "fore", "hand"} {
		link := b.Body(name, d, rung.At(float64(i), 0, 0))
		j = append(j, b.Revolute(name, from, link, spatial.Vec3{float64(i)}, axis))
		from = link
	}
	e, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{1e-3, 1e-3, 1e-3})
	require.NoError(t, err)
	rotor := b.Revolute("rotor", rung.World, b.Body("rotor", e, rung.At(0, 0, 1)), spatial.Vec3{0, 0, 1}, axis)
	b.Couple("mimic", rung.Term{Joint: j[2], Factor: 1}).Follow(j[1], 0, 0, 0.5)
	b.Couple("gear", rung.Term{Joint: rotor, Factor: 1}, rung.Term{Joint: j[0], Factor: -40})
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

// TestLawTarget: the hand turns by a law of the angles of both links before it.
func TestLawTarget(t *testing.T) {
	const first, second = 1.1, 0.9
	third := 0.5*second + 0.2*math.Sin(first)*second
	x, y, turn := 0.0, 0.0, 0.0
	for _, a := range []float64{first, second, third} {
		turn += a
		x, y = x+math.Cos(turn), y+math.Sin(turn)
	}
	m := geared(t)
	m.Couplings[0].Polynomial = nil
	m.Couplings[0].Law = &model.CouplingLaw{Of: []model.Coupled{{Joint: "upper"}, {Joint: "fore"}}, Law: couplings.Law{Kind: couplings.Function,
		Spans: []couplings.Span{{From: -2, To: 2}, {From: -2, To: 2}}, Expression: "0.5*y + 0.2*sin(x)*y"}}
	for name, o := range map[string]Options{"driven": {Engine: DrivenEngine, Method: DLS, Length: 1}, "sparse": {Engine: SparseEngine, Method: Sparse, Length: 1}} {
		plan := mustPlan(t, m)
		task := &Task{Targets: []Target{{Name: "tip", Type: Point, Body: "hand", Frame: model.Pose{Position: [3]float64{1}},
			Position: [3]float64{x, y}, Weight: []float64{1, 1, 0}, Tolerance: [2]float64{1e-10, 1e-10}}}, Solver: o}
		p, err := NewProblem(plan, task)
		require.NoError(t, err, name)
		s, err := p.NewSolver(task.Solver)
		require.NoError(t, err, name)
		st := plan.Initial()
		r, err := s.Reach(st)
		require.NoError(t, err, name)
		require.Equal(t, Reached, r.Status, name)
		mech := plan.Mechanism()
		at := func(joint int) float64 { return st.Angles[mech.AnglePlace(mechanism.Freedom{Joint: joint})] }
		check.Close(t, at(2), 0.5*at(1)+0.2*math.Sin(at(0))*at(1), 1, 1e-12, "%s: law", name)
		check.Close(t, at(3), 40*at(0), 1, 1e-11, "%s: rotor", name)
	}
}

// TestCoupledTargets: both engines bring the tip of an arm with couplings
// to where it is with known angles, and count the turns of the rotor.
func TestCoupledTargets(t *testing.T) {
	const first, second = 1.1, 0.9
	x, y, turn := 0.0, 0.0, 0.0
	for _, a := range []float64{first, second, second / 2} {
		turn += a
		x, y = x+math.Cos(turn), y+math.Sin(turn)
	}
	m := geared(t)
	for name, c := range map[string]struct {
		engine Engine
		method Method
		driven []string
	}{"driven": {DrivenEngine, DLS, []string{"upper", "fore"}}, "all driven": {DrivenEngine, DLS, nil}, "sparse": {SparseEngine, Sparse, nil}} {
		plan := mustPlan(t, m)
		task := &Task{
			Targets: []Target{{Name: "tip", Type: Point, Body: "hand", Frame: model.Pose{Position: [3]float64{1}}, Position: [3]float64{x, y}, Weight: []float64{1, 1, 0}, Tolerance: [2]float64{1e-10, 1e-10}}},
			Driven:  c.driven,
			Solver:  Options{Engine: c.engine, Method: c.method, Length: 1},
		}
		p, err := NewProblem(plan, task)
		require.NoError(t, err, name)
		s, err := p.NewSolver(task.Solver)
		require.NoError(t, err, name)
		st := plan.Initial()
		r, err := s.Reach(st)
		require.NoError(t, err, name)
		require.Equal(t, Reached, r.Status, name)
		mech := plan.Mechanism()
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, st))
		for i := range mech.NumConstraints() {
			v := mech.ConstraintViolation(i, k, st)
			require.Less(t, max(v.Length, v.Angle), 1e-12, "%s: %s", name, mech.ConstraintName(i))
		}
		at := func(joint int) float64 { return st.Angles[mech.AnglePlace(mechanism.Freedom{Joint: joint})] }
		check.Close(t, at(3), 40*at(0), 1, 1e-11, "%s: rotor", name)
		check.Close(t, at(2), at(1)/2, 1, 1e-12, "%s: mimic", name)
	}
}
