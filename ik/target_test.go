package ik

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

func randomVec(rng *rand.Rand) spatial.Vec3 {
	return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
}

func randomQuat(rng *rand.Rand) spatial.Quat {
	return spatial.Quat{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Normalize()
}

func randomPose(rng *rand.Rand) model.Pose {
	return model.Pose{Position: randomVec(rng), Orientation: randomQuat(rng)}
}

// within returns the pose x in the frame at.
func within(at, x *model.Pose) model.Pose {
	back := spatial.Quat(at.Orientation).Conj()
	return model.Pose{Position: back.Rotate(spatial.Vec3(x.Position).Sub(at.Position)), Orientation: back.Mul(x.Orientation)}
}

// flock is a model of bodies a, b, c at random poses. Three joints between a and b are closed there.
func flock(rng *rand.Rand) *model.Model {
	m := &model.Model{Name: "flock"}
	for _, name := range []string{"a", "b", "c"} {
		m.Bodies = append(m.Bodies, model.Body{
			Name: name, Mass: 1 + rng.Float64(), Com: randomVec(rng), Inertia: model.Inertia{XX: 1, YY: 1.2, ZZ: 1.5}, Pose: randomPose(rng),
		})
	}
	a, b := &m.Bodies[0].Pose, &m.Bodies[1].Pose
	for _, j := range []struct {
		name string
		kind joints.Kind
		move model.Pose // that the joint allows
	}{
		{"slide", joints.Cylindrical, model.Pose{Position: spatial.Vec3{2: 0.8}, Orientation: spatial.Exp(spatial.Vec3{2: 0.6})}},
		{"screw", joints.Helical, model.Pose{Position: spatial.Vec3{2: 0.3 * 0.9}, Orientation: spatial.Exp(spatial.Vec3{2: 0.9})}},
		{"gimbal", joints.Universal, model.Pose{Orientation: spatial.Exp(spatial.Vec3{0.5}).Mul(spatial.Exp(spatial.Vec3{1: -1.1}))}},
	} {
		at := randomPose(rng)
		jt := model.Joint{Name: j.name, Type: j.kind, Predecessor: "a", Successor: "b", PredecessorFrame: within(a, &at)}
		to := model.Pose{
			Position:    spatial.Vec3(at.Position).Add(spatial.Quat(at.Orientation).Rotate(j.move.Position)),
			Orientation: spatial.Quat(at.Orientation).Mul(j.move.Orientation),
		}
		jt.SuccessorFrame = within(b, &to)
		if j.kind == joints.Helical {
			jt.Pitch = 0.3
		}
		m.Joints = append(m.Joints, jt)
	}
	return m
}

func mustPlan(t testing.TB, m *model.Model) *kkt.Plan {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return kkt.NewPlan(mech, kkt.Options{})
}

// allTypes is one target of each type on body a, relative to another body or the world.
func allTypes(rng *rand.Rand, relative string) []Target {
	T := Target{Body: "a", Frame: randomPose(rng), RelativeTo: relative, Position: randomVec(rng), Orientation: randomQuat(rng),
		Axis: randomVec(rng), Direction: randomVec(rng), Length: 0.7, Value: 0.4}
	var list []Target
	for k := range NumTargetTypes {
		T.Type = k
		list = append(list, T)
	}
	list[Coordinate].Freedom = "slide.1"
	list[Com].Bodies = []string{"a", "c"}
	for _, f := range []string{"slide.0", "screw", "gimbal.0"} {
		c := list[Coordinate]
		c.Freedom, c.Turns = f, f == "slide.0"
		list = append(list, c)
	}
	whole := list[Com]
	whole.Bodies = nil
	return append(list, whole)
}

// look returns what target t shows at st.
func look(t testing.TB, p *Problem, i int, st *mechanism.State) *targetRows {
	t.Helper()
	m := p.plan.Mechanism()
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	s := p.targets[i].newTargetRows()
	p.targets[i].evaluateTo(s, m, k, st)
	return s
}

// TestRowsAreDifferences: e changes with the motion of all bodies as −T·v, (T2): of rotations where they are
// nearly met, of all others anywhere.
func TestRowsAreDifferences(t *testing.T) {
	const h = 1e-5
	for seed := range uint64(4) {
		rng := check.Rand(seed)
		plan := mustPlan(t, flock(rng))
		m, st := plan.Mechanism(), plan.Initial()
		for _, relative := range []string{"", "c"} {
			targets := allTypes(rng, relative)
			p, err := NewProblem(plan, &Task{Targets: targets, Solver: Options{Method: Sparse, Length: 0.37}})
			require.NoError(t, err)
			v := make([]float64, 6*m.NumBodies())
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			from, to := st.Clone(), st.Clone()
			m.DisplaceTo(from, st, -h, v)
			m.DisplaceTo(to, st, h, v)
			for i := range p.targets {
				meet(t, p, i, st)
				at, before, after := look(t, p, i, st), look(t, p, i, from), look(t, p, i, to)
				for k := range p.targets[i].n {
					check.Close(t, (after.e[k]-before.e[k])/(2*h), -at.rateOf(k, v), 2e-8, 1, "seed %d target %v %q row %d", seed, targets[i].Type, relative, k)
				}
			}
		}
	}
}

// meet turns the orientation that target i wants to the one there is, and its axis likewise.
func meet(t testing.TB, p *Problem, i int, st *mechanism.State) {
	t.Helper()
	T := &p.targets[i]
	B := st.Bodies[0].Rotation
	if T.joint.Pred >= 0 {
		B = st.Bodies[T.joint.Pred].Rotation.Conj().Mul(B)
	}
	switch T.Type {
	case Orientation, PoseTarget:
		T.orientation = B.Mul(unitQuat(T.Frame.Orientation))
		T.aim()
		require.InDelta(t, 0, look(t, p, i, st).e[0], 1e-14)
	case Axis:
		T.joint.P.E = axesAlong(B.Rotate(T.pointer))
	}
}

// TestErrorOfRotation: the error of an orientation is the rotation vector from what is to what is wanted, in the axes
// of R; its length falls with the rotation about it.
func TestErrorOfRotation(t *testing.T) {
	rng := check.Rand(7)
	plan := mustPlan(t, flock(rng))
	st := plan.Initial()
	for _, relative := range []string{"", "c"} {
		for range 20 {
			turn := randomVec(rng).Scale(0.8)
			R := spatial.IdentityQuat()
			if relative != "" {
				R = st.Bodies[2].Rotation
			}
			frame := randomPose(rng)
			is := st.Bodies[0].Rotation.Mul(unitQuat(frame.Orientation))
			T := Target{Type: Orientation, Body: "a", Frame: frame, RelativeTo: relative, Orientation: spatial.Exp(turn).Mul(R.Conj().Mul(is))}
			p, err := NewProblem(plan, &Task{Targets: []Target{T}, Solver: Options{Method: Sparse, Length: 1}})
			require.NoError(t, err)
			s := look(t, p, 0, st)
			check.CloseVec(t, s.e[:3], turn[:], 1e-13, 1, "error in the axes of R")
			v := make([]float64, 18)
			w := R.Rotate(turn)
			copy(v, w[:])
			for k := range 3 {
				check.Close(t, s.rateOf(k, v), turn[k], 1e-13, 1, "rate of the turn itself")
			}
		}
	}
}

// TestErrorsThatAreKnown compares errors with what the types promise.
func TestErrorsThatAreKnown(t *testing.T) {
	rng := check.Rand(3)
	plan := mustPlan(t, flock(rng))
	m, st := plan.Mechanism(), plan.Initial()
	a, c := &st.Bodies[0], &st.Bodies[2]
	targets := allTypes(rng, "c")
	p, err := NewProblem(plan, &Task{Targets: targets, Solver: Options{Method: Sparse, Length: 1}})
	require.NoError(t, err)
	T := &targets[Point]
	b := a.Position.Add(a.Rotation.Rotate(T.Frame.Position))
	inC := func(x spatial.Vec3) spatial.Vec3 { return c.Rotation.Conj().Rotate(x.Sub(c.Position)) }
	e := spatial.Vec3(T.Position).Sub(inC(b))
	check.CloseVec(t, look(t, p, int(Point), st).e[:3], e[:], 1e-13, 1, "point")
	check.CloseVec(t, look(t, p, int(PoseTarget), st).e[3:6], e[:], 1e-13, 1, "pose")
	n := unit(T.Direction)
	check.Close(t, look(t, p, int(Plane), st).e[0], n.Dot(e), 1e-13, 1, "plane")
	check.Close(t, look(t, p, int(Distance), st).e[0], 0.7-e.Norm(), 1e-13, 1, "distance")
	x := c.Rotation.Conj().Rotate(a.Rotation.Rotate(unitQuat(T.Frame.Orientation).Rotate(unit(T.Axis))))
	s := look(t, p, int(Axis), st)
	got := spatial.Vec3{s.e[0], s.e[1]}.Norm()
	check.Close(t, got, angleBetween(x, n), 1e-13, 1, "angle of the axis")
	var sum spatial.Vec3
	mass := 0.0
	for i := range m.Bodies {
		mass += m.Bodies[i].Mass
		sum = sum.Add(st.Bodies[i].Position.Add(st.Bodies[i].Rotation.Rotate(m.Bodies[i].Com)).Scale(m.Bodies[i].Mass))
	}
	e = spatial.Vec3(T.Position).Sub(inC(sum.Scale(1 / mass)))
	check.CloseVec(t, look(t, p, len(targets)-1, st).e[:3], e[:], 1e-13, 1, "com")
}

func angleBetween(a, b spatial.Vec3) float64 {
	q := spatial.FromMat(axesAlong(a)).Conj().Mul(spatial.FromMat(axesAlong(b)))
	z := q.Rotate(spatial.Vec3{0, 0, 1})
	x, y := joints.AxisError(&z)
	return spatial.Vec3{x, y}.Norm()
}

// TestWeights: rows of weight 0 are left out, the others scaled, angles with the length, too.
func TestWeights(t *testing.T) {
	rng := check.Rand(5)
	plan := mustPlan(t, flock(rng))
	st := plan.Initial()
	T := allTypes(rng, "")[PoseTarget]
	full, err := NewProblem(plan, &Task{Targets: []Target{T}, Solver: Options{Method: Sparse, Length: 1}})
	require.NoError(t, err)
	T.Weight = []float64{0, 2, 0, 0, 3, 1}
	some, err := NewProblem(plan, &Task{Targets: []Target{T}, Solver: Options{Method: Sparse, Length: 0.5}})
	require.NoError(t, err)
	m, _ := some.Dims()
	require.Equal(t, 3, m)
	meet(t, full, 0, st) // elsewhere the rows of different weights are others
	meet(t, some, 0, st)
	a, b := look(t, full, 0, st), look(t, some, 0, st)
	require.Equal(t, []bool{true, false, false}, some.targets[0].angular[:3:3])
	for k, row := range []int{1, 4, 5} {
		w := []float64{2 * 0.5, 3, 1}[k]
		check.Close(t, b.e[k], w*a.e[row], 1e-15, 1, "error of row %d", row)
		for c := range 6 {
			check.Close(t, b.sides[0].F[k][c], w*a.sides[0].F[row][c], 1e-14, 1, "row %d", row)
		}
	}
}

// TestTurns: with turns a coordinate is read near where it was, without them the nearest turn of the value is wanted.
func TestTurns(t *testing.T) {
	rng := check.Rand(11)
	plan := mustPlan(t, flock(rng))
	st := plan.Initial()
	for _, turns := range []bool{false, true} {
		p, err := NewProblem(plan, &Task{Targets: []Target{{Type: Coordinate, Freedom: "slide.0", Value: 0.1 + 40, Turns: turns}}, Solver: Options{Method: Sparse, Length: 1}})
		require.NoError(t, err)
		s := look(t, p, 0, st)
		near := s.e[0]
		s.wound = 30
		m := plan.Mechanism()
		k := m.NewKinematics()
		require.NoError(t, m.KinematicsTo(k, st))
		p.targets[0].evaluateTo(s, m, k, st)
		if turns {
			require.InDelta(t, 10.1, s.e[0], 3.1416)
			require.InDelta(t, 40.1, near, 3.1416)
		} else {
			require.Equal(t, near, s.e[0])
			require.LessOrEqual(t, s.e[0]*s.e[0], 9.87)
		}
	}
}

// TestNoDirection: a point at the centre of its distance has a direction to leave it.
func TestNoDirection(t *testing.T) {
	m := flock(check.Rand(2))
	plan := mustPlan(t, m)
	b := m.Bodies[0].Pose
	p, err := NewProblem(plan, &Task{Targets: []Target{{Type: Distance, Body: "a", Position: b.Position, Length: 0.3}}, Solver: Options{Method: Sparse}})
	require.NoError(t, err)
	s := look(t, p, 0, plan.Initial())
	require.InDelta(t, 0.3, s.e[0], 1e-15)
	f := s.sides[0].F[0].Linear()
	require.InDelta(t, 1, f.Norm(), 1e-15)
}

// TestUnevenRotations: where the rows of a rotation have different weights, they are derivatives of its errors
// anywhere, not only where it is met.
func TestUnevenRotations(t *testing.T) {
	const h = 1e-5
	for seed := range uint64(10) {
		rng := check.Rand(seed)
		plan := mustPlan(t, flock(rng))
		m, st := plan.Mechanism(), plan.Initial()
		q := spatial.Exp(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		frame := model.Pose{Orientation: spatial.Exp(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})}
		p, err := NewProblem(plan, &Task{Targets: []Target{
			{Name: "o", Type: Orientation, Body: "a", RelativeTo: "c", Frame: frame, Orientation: q, Weight: []float64{0, 3, 1}},
			{Name: "p", Type: PoseTarget, Body: "a", Frame: frame, Orientation: q, Weight: []float64{1, 1, 0, 2, 1, 0}},
			{Name: "x", Type: Axis, Body: "a", RelativeTo: "c", Axis: [3]float64{1, -1, 0.5}, Direction: [3]float64{rng.NormFloat64(), 2, 1}, Weight: []float64{1, 3}},
			{Name: "y", Type: Axis, Body: "a", Axis: [3]float64{1, -1, 0.5}, Direction: [3]float64{rng.NormFloat64(), 0.1, -1}, Weight: []float64{1, 0}},
		}, Solver: Options{Method: Sparse, Length: 0.37}})
		require.NoError(t, err)
		v := make([]float64, 6*m.NumBodies())
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		from, to := st.Clone(), st.Clone()
		m.DisplaceTo(from, st, -h, v)
		m.DisplaceTo(to, st, h, v)
		for i := range p.targets {
			at, before, after := look(t, p, i, st), look(t, p, i, from), look(t, p, i, to)
			for k := range p.targets[i].n {
				check.Close(t, (after.e[k]-before.e[k])/(2*h), -at.rateOf(k, v), 1e-7, 1, "seed %d target %d row %d", seed, i, k)
			}
		}
	}
}

// TestUnevenOutOfReach: the nearest pose of a rotation with different weights is one.
func TestUnevenOutOfReach(t *testing.T) {
	b := build.New("crosses")
	body := b.Rod("a", 1, 0.02, spatial.Vec3{}, spatial.Vec3{2: 1})
	b.Universal("j", build.World, body, spatial.Vec3{}, spatial.Vec3{1}, spatial.Vec3{1: 1})
	m, err := b.Model()
	require.NoError(t, err)
	plan := testPlan(t, m)
	p := testProblem(t, plan, &Task{Targets: []Target{{
		Name: "o", Type: Orientation, Body: "a", Orientation: spatial.Exp(spatial.Vec3{0.4, 1.1, 1.4}), Weight: []float64{1, 0.2, 3},
	}}})
	s := testSolver(t, p, Options{})
	r, err := s.Reach(plan.Initial())
	require.ErrorIs(t, err, ErrUnreached)
	require.Equal(t, Nearest, r.Status)
	e, e2 := make([]float64, 3), make([]float64, 3)
	s.eng.errorsTo(e)
	q := slices.Clone(denseIn(s).q)
	for i := range q {
		for _, h := range []float64{-1e-4, 1e-4} {
			q[i] += h
			require.NoError(t, s.eng.moveTo(q))
			q[i] -= h
			s.eng.errorsTo(e2)
			require.Greater(t, algebra.Dot(e2, e2), algebra.Dot(e, e))
		}
	}
}
