package ik

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

var scalarKinds = []joints.Kind{joints.Revolute, joints.Prismatic, joints.Helical, joints.Cylindrical, joints.Universal, joints.Planar, joints.Revolute}

// randomTree is a model of a random tree with joints of all types whose freedoms are scalar, some of them turned round,
// at a random pose. One freedom is prescribed, some have springs.
func randomTree(t testing.TB, rng *rand.Rand, n int) *model.Model {
	t.Helper()
	m := model.New("tree")
	for i := range n {
		m.Bodies = append(m.Bodies, model.Body{
			Name: fmt.Sprint("b", i), Mass: 0.5 + rng.Float64(), Com: randomVec(rng).Scale(0.2), Inertia: model.Inertia{XX: 0.1, YY: 0.12, ZZ: 0.15},
		})
		kind := scalarKinds[i%len(scalarKinds)]
		j := model.Joint{Name: fmt.Sprint("j", i), Type: kind, Predecessor: model.World, Successor: fmt.Sprint("b", i)}
		if i > 0 {
			j.Predecessor = fmt.Sprint("b", rng.IntN(i))
		}
		if i%3 == 2 {
			j.Predecessor, j.Successor = j.Successor, j.Predecessor
		}
		if kind == joints.Helical {
			j.Pitch = 0.2
		}
		j.PredecessorFrame = model.Pose{Position: randomVec(rng).Scale(0.4), Orientation: randomQuat(rng)}
		j.SuccessorFrame = model.Pose{Position: randomVec(rng).Scale(0.4), Orientation: randomQuat(rng)}
		if kind == joints.Planar {
			j.Motion = []*joints.Motion{nil, joints.NewPolynomial([]float64{0.3, 0.1}), nil}
		}
		if i%4 == 1 {
			j.Stiffness = make([]float64, kind.Freedoms())
			j.Stiffness[0] = 2
		}
		m.Joints = append(m.Joints, j)
	}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan, err := tree.NewPlan(mech, tree.Options{})
	require.NoError(t, err)
	q := make([]float64, plan.NumQ())
	for i := range q {
		q[i] = 0.8 * rng.NormFloat64()
	}
	for _, f := range plan.Prescribed {
		q[f.Dof], _, _ = mech.Joints[f.Joint].Motion[f.Freedom].At(0)
	}
	st := mech.Initial()
	plan.StateTo(st, q, make([]float64, plan.NumDof()))
	for i := range m.Bodies {
		m.Bodies[i].Pose = model.Pose{Position: st.Bodies[i].Position, Orientation: st.Bodies[i].Rotation}
	}
	return m
}

// treeTargets are targets of all types on a random tree, relative to the world and to other bodies.
func treeTargets(rng *rand.Rand, n int) []Target {
	body := func() string { return fmt.Sprint("b", rng.IntN(n)) }
	var list []Target
	for _, relative := range []bool{false, true} {
		for k := range NumTargetTypes {
			T := Target{Type: k, Body: body(), Frame: randomPose(rng), Position: randomVec(rng), Orientation: randomQuat(rng),
				Axis: randomVec(rng), Direction: randomVec(rng), Length: 0.7, Value: 0.4, Freedom: "j0"}
			for relative && (T.RelativeTo == "" || T.RelativeTo == T.Body) {
				T.RelativeTo = body()
			}
			list = append(list, T)
		}
	}
	list[Com].Bodies = []string{"b1", "b3"}
	return list
}

func random(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// jacobian returns 𝒥 of e.
func jacobian(e engine) []float64 {
	m, n := e.Dims()
	J := make([]float64, m*n)
	e.jacobianTo(J)
	return J
}

// differences returns 𝒥 by differences of errors at driven coordinates that differ. Rows of rotations that are not
// met are left as they are in like.
func differences(t testing.TB, e engine, g []target, like []float64, h float64) []float64 {
	t.Helper()
	m, n := e.Dims()
	D, q, before, after := append([]float64(nil), like...), make([]float64, n), make([]float64, m), make([]float64, m)
	e.coordinatesTo(q)
	for c := range n {
		to := append([]float64(nil), q...)
		to[c] = q[c] - h
		require.NoError(t, e.moveTo(to))
		e.errorsTo(before)
		to[c] = q[c] + h
		require.NoError(t, e.moveTo(to))
		e.errorsTo(after)
		for i := range g {
			for k := range g[i].n {
				if r := g[i].first + k; !g[i].angular[k] || g[i].Type == Coordinate {
					D[r*n+c] = (before[r] - after[r]) / (2 * h)
				}
			}
		}
	}
	require.NoError(t, e.moveTo(q))
	return D
}

// checkProducts compares the products of e with 𝒥.
func checkProducts(t testing.TB, e engine, J []float64, rng *rand.Rand, tol float64) {
	t.Helper()
	m, n := e.Dims()
	u, f := random(rng, n), random(rng, m)
	x, y, want, back := make([]float64, m), make([]float64, n), make([]float64, m), make([]float64, n)
	e.MulTo(x, u)
	e.MulTransTo(y, f)
	for r := range m {
		for c := range n {
			want[r] += J[r*n+c] * u[c]
			back[c] += J[r*n+c] * f[r]
		}
	}
	scale := max(1, check.MaxAbs(J))
	check.CloseVec(t, x, want, tol, scale, "𝒥·u")
	check.CloseVec(t, y, back, tol, scale, "𝒥ᵀ·f")
}

func newTreeOf(t testing.TB, p *Problem) *treeEngine {
	t.Helper()
	plan, passive := p.newTree()
	require.NotNil(t, plan, "passive: %v", passive)
	e := newTreeEngine(p, plan)
	require.NoError(t, e.set(p.plan.Initial()))
	return e
}

// TestTreeJacobian compares 𝒥 with differences of poses, the products with 𝒥, and rotations with the rows.
func TestTreeJacobian(t *testing.T) {
	for seed := range uint64(6) {
		rng := check.Rand(seed)
		const n = 9
		m := randomTree(t, rng, n)
		p, err := NewProblem(mustPlan(t, m), &Task{Targets: treeTargets(rng, n), Hold: []string{"j1"}, Solver: Options{Length: 0.6}})
		require.NoError(t, err)
		e := newTreeOf(t, p)
		J := jacobian(e)
		check.CloseVec(t, J, differences(t, e, e.list, J, 1e-5), 1e-8, max(1, check.MaxAbs(J)), "seed %d", seed)
		checkProducts(t, e, J, rng, 1e-13)
		meetAll(t, e)
		J = jacobian(e)
		check.CloseVec(t, J, allDifferences(t, e, 1e-5), 1e-8, max(1, check.MaxAbs(J)), "seed %d, met", seed)
	}
}

// aimer is an engine with its state.
type aimer interface {
	engine
	goal(i int) (*target, *mechanism.State)
}

func (e *treeEngine) goal(i int) (*target, *mechanism.State) { return &e.list[i], e.w.State() }

// meetAll aims orientations and axes at their values in the present pose.
func meetAll(t testing.TB, e aimer) {
	t.Helper()
	m := e.(interface{ problem() *Problem }).problem()
	for i := range m.targets {
		T, st := e.goal(i)
		if T.joint.Succ < 0 || T.Type == Coordinate {
			continue
		}
		B := st.Bodies[T.joint.Succ].Rotation
		if T.joint.Pred >= 0 {
			B = st.Bodies[T.joint.Pred].Rotation.Conj().Mul(B)
		}
		w := T.wanted
		switch T.Type {
		case Orientation, PoseTarget:
			w.orientation = B.Mul(unitQuat(T.Frame.Orientation))
		case Axis:
			T.joint.P.E = axesAlong(B.Rotate(T.pointer))
		}
		e.aim(i, w)
	}
}

func (e *treeEngine) problem() *Problem { return e.p }

// allDifferences is differences for rows that are all met.
func allDifferences(t testing.TB, e engine, h float64) []float64 {
	m, n := e.Dims()
	D, q, before, after := make([]float64, m*n), make([]float64, n), make([]float64, m), make([]float64, m)
	e.coordinatesTo(q)
	for c := range n {
		to := append([]float64(nil), q...)
		to[c] = q[c] - h
		require.NoError(t, e.moveTo(to))
		e.errorsTo(before)
		to[c] = q[c] + h
		require.NoError(t, e.moveTo(to))
		e.errorsTo(after)
		for r := range m {
			D[r*n+c] = (before[r] - after[r]) / (2 * h)
		}
	}
	require.NoError(t, e.moveTo(q))
	return D
}

// TestTreeCoordinates: what is moved to is what is read, wound over
// turns, and the state that comes out is that of the coordinates.
func TestTreeCoordinates(t *testing.T) {
	rng := check.Rand(3)
	const n = 9
	m := randomTree(t, rng, n)
	p, err := NewProblem(mustPlan(t, m), &Task{Targets: treeTargets(rng, n), Hold: []string{"j3.0"}})
	require.NoError(t, err)
	e := newTreeOf(t, p)
	_, d := e.Dims()
	want, got := random(rng, d), make([]float64, d)
	want[0] += 50
	require.NoError(t, e.moveTo(want))
	e.coordinatesTo(got)
	require.Equal(t, want, got)
	mech := p.plan.Mechanism()
	st := mech.Initial()
	e.stateTo(st)
	require.Len(t, st.Angles, mech.NumSprung())
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	_, position, velocity := mech.WorstJoint(k, st)
	require.Less(t, position, 1e-13)
	_ = velocity // the prescribed motion moves
	again := newTreeOf(t, p)
	require.NoError(t, again.set(st))
	again.coordinatesTo(got)
	for i := range got {
		x := got[i]
		if f := p.driven[i]; winds(mech, f) {
			x = algebra.NearTurn(x, want[i])
			if at := mech.AnglePlace(f); at >= 0 && at < mech.NumSprung() {
				require.InDelta(t, want[i], got[i], 1e-12, "the state tells the turns of angles with springs")
			}
		}
		require.InDelta(t, want[i], x, 1e-12)
	}
}

// TestTreeRates: a state gets the rates of the driven freedoms, and NaN does not move it.
func TestTreeRates(t *testing.T) {
	rng := check.Rand(4)
	const n = 8
	p, err := NewProblem(mustPlan(t, randomTree(t, rng, n)), &Task{Targets: treeTargets(rng, n)})
	require.NoError(t, err)
	e := newTreeOf(t, p)
	_, d := e.Dims()
	u := random(rng, d)
	e.setRates(u)
	mech := p.plan.Mechanism()
	st := mech.Initial()
	e.stateTo(st)
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	_, position, velocity := mech.WorstJoint(k, st)
	require.Less(t, max(position, velocity), 1e-12)
	var jk mechanism.JointKinematics
	for i, f := range p.driven {
		var q, qd [6]float64
		mech.JointTo(&jk, f.Joint, k, st)
		mech.Joints[f.Joint].CoordinatesTo(&q, &qd, &jk)
		require.InDelta(t, u[i], qd[f.Freedom], 1e-12)
	}
	q := make([]float64, d)
	e.coordinatesTo(q)
	bad := append([]float64(nil), q...)
	bad[0] /= 0 * bad[0]
	require.ErrorIs(t, e.moveTo(bad), mechanism.ErrNotFinite)
	after, J := make([]float64, d), jacobian(e)
	e.coordinatesTo(after)
	require.Equal(t, q, after)
	require.NoError(t, e.moveTo(q))
	require.Equal(t, J, jacobian(e))
}

// arm6 is a six-joint arm: revolute joints about z, y, y, x, y, x.
func arm6() *model.Model {
	m := model.New("arm6")
	before := model.World
	axes := []spatial.Vec3{{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}}
	x := 0.0
	for i, a := range axes {
		name := fmt.Sprint("link", i+1)
		m.Bodies = append(m.Bodies, model.Body{
			Name: name, Mass: 2, Com: [3]float64{0.15}, Inertia: model.Inertia{XX: 0.01, YY: 0.02, ZZ: 0.02}, Pose: model.Pose{Position: [3]float64{x}, Orientation: [4]float64{1}},
		})
		E := spatial.FromMat(axesAlong(a))
		j := model.Joint{Name: fmt.Sprint("j", i+1), Type: joints.Revolute, Predecessor: before, Successor: name,
			PredecessorFrame: model.Pose{Orientation: E}, SuccessorFrame: model.Pose{Orientation: E}}
		if i > 0 {
			j.PredecessorFrame.Position = [3]float64{0.3}
		}
		m.Joints = append(m.Joints, j)
		before, x = name, x+0.3
	}
	return m
}

func arm6Tree(t testing.TB) *treeEngine {
	p, err := NewProblem(mustPlan(t, arm6()), &Task{Targets: []Target{{
		Type: PoseTarget, Body: "link6", Frame: model.Pose{Position: [3]float64{0, 0, 0.1}}, Position: [3]float64{0.8, 0.3, 0.4}, Orientation: [4]float64{0.6, 0.8}}}})
	require.NoError(t, err)
	return newTreeOf(t, p)
}

func TestTreeAllocates(t *testing.T) {
	e := arm6Tree(t)
	q, out, J := random(check.Rand(1), 6), make([]float64, 6), make([]float64, 36)
	st := e.p.plan.Initial()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		q[0] += 1e-3
		require.NoError(t, e.moveTo(q))
		e.errorsTo(out)
		e.jacobianTo(J)
		e.MulTo(out, q)
		e.MulTransTo(out, q)
		e.setRates(q)
		e.stateTo(st)
		if err := e.set(st); err != nil {
			panic(err)
		}
	}))
}

func BenchmarkTree6R(b *testing.B) {
	e := arm6Tree(b)
	q, out, J := random(check.Rand(1), 6), make([]float64, 6), make([]float64, 36)
	b.ReportAllocs()
	for b.Loop() {
		q[0] += 1e-3
		if err := e.moveTo(q); err != nil {
			b.Fatal(err)
		}
		e.errorsTo(out)
		e.jacobianTo(J)
	}
}
