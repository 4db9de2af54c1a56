package batch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestBeads: the rows of curves are evaluated state by state, and the results are those of a Solver. Steps are taken alone, and each
// state goes on with parameters of its own.
func TestBeads(t *testing.T) {
	check.Long(t)
	evaluated(t, modeltest.Beads(3), "curves")
	evaluated(t, modeltest.Cams(3), "curves")
}

// evaluated compares the results of a batch with those of a Solver, and takes some steps, which are taken alone as why says. Joints with curves
// have numbers in the state, which follow.
func evaluated(t *testing.T, m *model.Model, why string) {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	require.Empty(t, b.OneByOne())
	require.Contains(t, b.SteppedOneByOne(), why)
	const n = 11
	states, results := b.NewStates(n), b.NewResults(n)
	rng := check.Rand(7)
	var single []*mechanism.State
	for i := range n {
		st := p.Initial()
		for k := range st.Bodies { // velocities that violate the rows serve as well
			st.Bodies[k].Omega = st.Bodies[k].Omega.Add(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
		}
		single = append(single, st)
		states.Set(i, st)
	}
	b.Solve(states, results)
	s := p.NewSolver()
	const same = 1e-11 // two eliminations of one system
	for i := range n {
		require.NoError(t, results.Error(i))
		require.NoError(t, s.Solve(single[i]))
		a := make([]float64, 6*p.Mechanism().NumBodies())
		s.AccelerationsTo(a)
		got := make([]float64, len(a))
		results.To(got, i)
		check.CloseVec(t, got, a, same, 1+check.MaxAbs(a), "state %d", i)
	}
	out := b.NewOutcome(n)
	for i := range n {
		states.Set(i, p.Initial())
	}
	require.NoError(t, b.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 20}, out))
	start := p.Initial()
	for i := range n {
		require.NoError(t, out.Error(i))
		st := p.Initial()
		states.To(st, i)
		require.NoError(t, p.Mechanism().Holds(st))
		if why == "curves" {
			require.NotEqual(t, start.Angles, st.Angles)
		}
	}
}

// TestForcesAlongCurves: forces that differ between states act along curves, and on the gaps of curves that may part, also where the model
// has none; couplings, armature and motions of such freedoms, and wheels on terrain, are those of a Solver.
func TestForcesAlongCurves(t *testing.T) {
	check.Long(t)
	m := modeltest.Beads(5)
	for i := range m.Joints {
		m.Joints[i].Force, m.Joints[i].Stiffness, m.Joints[i].Damping = nil, nil, nil
	}
	cams := modeltest.Cams(5)
	open := cams.Joints[8] // its curves may part; it stands in the world
	require.True(t, open.LiftsOff)
	require.Equal(t, model.World, open.Predecessor)
	open.Name, open.Force, open.Stiffness, open.Damping = "open", nil, nil, nil
	for _, b := range cams.Bodies {
		if b.Name == open.Successor {
			b.Name, open.Successor = "cam", "cam"
			m.Bodies = append(m.Bodies, b)
		}
	}
	m.Joints = append(m.Joints, open)
	m.Joints[1].Armature = []float64{0, 0, 0, 0.7}
	plain, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	st := plain.Initial()
	way, rate := plain.Mechanism().Coordinate(mechanism.Freedom{Joint: 3, Freedom: 3}, st)
	m.Joints[3].Motion = []*model.Motion{nil, nil, nil, joints.NewPolynomial([]float64{way, rate, 0.4})}
	term := func(j int, factor float64) model.CouplingTerm {
		return model.CouplingTerm{Coupled: model.Coupled{Joint: m.Joints[j].Name, Freedom: 3}, Factor: factor}
	}
	q5, r5 := plain.Mechanism().Coordinate(mechanism.Freedom{Joint: 5, Freedom: 3}, st)
	q6, r6 := plain.Mechanism().Coordinate(mechanism.Freedom{Joint: 6, Freedom: 3}, st)
	m.Couplings = []model.Coupling{{Name: "rope", Terms: []model.CouplingTerm{term(5, 1), term(6, -r5/r6)}, Offset: q5 - r5/r6*q6}}
	evaluated(t, m, "curves")
	evaluated(t, modeltest.Hills(3), "curves")

	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	b, err := batch.New(p, batch.Options{Forces: []mechanism.Freedom{{Joint: 0, Freedom: 3}, {Joint: 7, Freedom: 0}}})
	require.NoError(t, err)
	states, results := b.NewStates(2), b.NewResults(2)
	for i := range 2 {
		states.Set(i, p.Initial())
		states.SetForce(i, 0, 3+2*float64(i))
		states.SetForce(i, 1, -1-4*float64(i))
	}
	b.Solve(states, results)
	for i := range 2 {
		require.NoError(t, results.Error(i))
		in := p.Mechanism().NewInputs()
		require.NoError(t, in.SetForce(0, 3, 3+2*float64(i)))
		require.NoError(t, in.SetForce(7, 0, -1-4*float64(i)))
		s := p.With(in).NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		a, got := make([]float64, 6*p.Mechanism().NumBodies()), make([]float64, 6*p.Mechanism().NumBodies())
		s.AccelerationsTo(a)
		results.To(got, i)
		check.CloseVec(t, got, a, 1e-11, 1+check.MaxAbs(a), "state %d", i)
	}
}
