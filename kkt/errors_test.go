package kkt_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// exactly is the relative error against a closed form of a few bodies.
const exactly = 1e-13

// twins is a rod on two revolutes with one axis, the angle of each a
// polynomial in time with the given second derivative.
func twins(t testing.TB, first, second float64) *model.Model {
	t.Helper()
	b := rung.NewBuilder("twins")
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1})
	for _, j := range []struct {
		name string
		rate float64
	}{{"motor", first}, {"brake", second}} {
		b.Revolute(j.name, rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 0, 1}).Motion =
			[]*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, j.rate / 2}}}
	}
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

// TestContradiction: two motors of one freedom must agree in acceleration.
func TestContradiction(t *testing.T) {
	s := solve(t, twins(t, 3, 3), order.Auto)
	closeVec3(t, s.AngularAcceleration(0), spatial.Vec3{0, 0, 3}, exactly, 3, "both motors")
	require.Equal(t, 6, report(t, s).Redundant)
	for _, o := range orderings {
		for _, second := range []float64{-3, 0, 3.1, 1e4} {
			p := newPlan(t, twins(t, 3, second), o)
			s := p.NewSolver()
			err := s.Solve(p.Initial())
			require.ErrorIs(t, err, kkt.ErrInconsistent, "%v, %g", o, second)
			require.Regexp(t, `^kkt: joint "(motor|brake)", row 5: `, err.Error())
		}
	}
}

// TestImperfectMotions: a disagreement of rounding size passes, as the mean of
// the two, and is reported.
func TestImperfectMotions(t *testing.T) {
	const part = 1e-6
	s := solve(t, twins(t, 3, 3*(1+part)), order.Auto)
	closeVec3(t, s.AngularAcceleration(0), spatial.Vec3{0, 0, 3 * (1 + part/2)}, part/10, 3, "mean")
	require.Greater(t, s.Inconsistency(), part/100)
	require.Less(t, s.Inconsistency(), part)
	r, err := results.New(s)
	require.NoError(t, err)
	require.Equal(t, s.Inconsistency(), r.Solve.Inconsistency)
	s = solve(t, twins(t, 3, 3), order.Auto)
	require.Less(t, s.Inconsistency(), exactly)
}

// TestContradictionInALoop drives both ends of a four-bar.
func TestContradictionInALoop(t *testing.T) {
	m := cloned(golden(t, "driven-crank"))
	for j := range m.Joints {
		if m.Joints[j].Motion == nil && m.Joints[j].Type == model.Revolute {
			m.Joints[j].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, 1e3}}}
			break
		}
	}
	p := newPlan(t, m, order.Auto)
	require.ErrorIs(t, p.NewSolver().Solve(p.Initial()), kkt.ErrInconsistent)
}

// TestSolveErrors checks what Solve refuses, that no result is left, and that
// the same solver goes on.
func TestSolveErrors(t *testing.T) {
	rod := rung.NewBuilder("rod")
	ball := rod.Rod("ball", 1, 0.1, spatial.Vec3{0, 0, 1}, spatial.Vec3{1, 0, 1})
	rod.Distance("rod", rung.World, ball, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	rod.SpringDamper("spring", rung.World, ball, spatial.Vec3{0, 0, -1}, spatial.Vec3{0, 0, 1}, rung.Spring{Stiffness: 5, RestLength: 1})
	m, err := rod.Model()
	require.NoError(t, err)
	p := newPlan(t, m, order.Auto)
	s := p.NewSolver()
	for _, c := range []struct {
		name string
		edit func(st *mechanism.State)
		is   error
		text string
	}{
		{"NaN", func(st *mechanism.State) { st.Bodies[0].Position[0] = math.NaN() }, mechanism.ErrNotFinite, `body "ball"`},
		{"infinite", func(st *mechanism.State) { st.Bodies[0].Omega[1] = math.Inf(1) }, mechanism.ErrNotFinite, `body "ball"`},
		{"not unit", func(st *mechanism.State) { st.Bodies[0].Rotation = spatial.Quat{1, 1, 0, 0} }, mechanism.ErrNotFinite, `body "ball"`},
		{"time", func(st *mechanism.State) { st.Time = math.Inf(1) }, mechanism.ErrNotFinite, "time"},
		{"distance without direction", func(st *mechanism.State) { st.Bodies[0].Position = spatial.Vec3{} }, joints.ErrNoDirection, `joint "rod"`},
		{"spring without direction", func(st *mechanism.State) { st.Bodies[0].Position = spatial.Vec3{0, 0, -1} }, mechanism.ErrNoDirection, `force "spring"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, s.Solve(p.Initial()))
			want := s.ComAcceleration(0)
			st := p.Initial()
			c.edit(st)
			err := s.Solve(st)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.text)
			requireNoSolution(t, s)
			require.NoError(t, s.Solve(p.Initial()))
			require.Equal(t, want, s.ComAcceleration(0), "after the failure")
		})
	}
}

// requireNoSolution calls everything that needs a solution.
func requireNoSolution(t *testing.T, s *kkt.Solver) {
	t.Helper()
	const text = "kkt: no solution"
	require.PanicsWithValue(t, text, func() { s.AngularAcceleration(0) })
	require.PanicsWithValue(t, text, func() { s.ComAcceleration(0) })
	require.PanicsWithValue(t, text, func() { s.AccelerationsTo(make([]float64, 6)) })
	require.PanicsWithValue(t, text, func() { s.Reactions().MultipliersTo(new([6]float64), 0) })
	require.PanicsWithValue(t, text, func() { s.ConstraintWrench(0) })
	require.PanicsWithValue(t, text, func() { s.Reactions().AppliedWrench(0) })
	require.PanicsWithValue(t, text, func() { s.TotalWrench(0) })
	require.PanicsWithValue(t, text, func() { _, _ = s.Report() })
	require.PanicsWithValue(t, text, func() { _, _ = results.New(s) })
	require.PanicsWithValue(t, text, func() { s.Inconsistency() })
	require.PanicsWithValue(t, text, func() { s.Refinement() })
}

func TestPanics(t *testing.T) {
	p := newPlan(t, golden(t, "four-bar"), order.Auto)
	s := p.NewSolver()
	requireNoSolution(t, s)
	other := newPlan(t, golden(t, "pendulum"), order.Auto)
	require.PanicsWithValue(t, "mechanism: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _ = s.Solve(other.Initial()) })
	require.NoError(t, s.Solve(p.Initial()))
	require.PanicsWithValue(t, "kkt: length mismatch", func() { s.AccelerationsTo(make([]float64, 17)) })
	for _, i := range []int{-1, p.Mechanism().NumBodies()} { // multipliers are behind the last body
		require.PanicsWithValue(t, "kkt: body out of range", func() { s.AngularAcceleration(i) })
		require.PanicsWithValue(t, "kkt: body out of range", func() { s.ComAcceleration(i) })
	}
	r := report(t, s)
	for _, j := range []int{-1, p.Mechanism().NumJoints()} {
		require.PanicsWithValue(t, "kkt: joint out of range", func() { r.Unique(j) })
		require.PanicsWithValue(t, "kkt: joint out of range", func() { r.UndeterminedComponents(j) })
	}
	for _, j := range []int{-1, p.Mechanism().NumJoints()} {
		require.PanicsWithValue(t, "kkt: joint out of range", func() { s.Reactions().MultipliersTo(new([6]float64), j) })
		require.PanicsWithValue(t, "kkt: joint out of range", func() { s.ConstraintWrench(j) })
		require.PanicsWithValue(t, "kkt: joint out of range", func() { s.Reactions().AppliedWrench(j) })
		require.PanicsWithValue(t, "kkt: joint out of range", func() { s.TotalWrench(j) })
	}
	for _, eps := range []float64{-1e-12, 1e-2, 1, math.NaN(), math.Inf(1)} {
		require.PanicsWithValue(t, "kkt: epsilon out of range", func() {
			_, _ = rung.NewPlan(golden(t, "pendulum"), kkt.Options{Epsilon: eps})
		}, "%g", eps)
	}
	require.Panics(t, func() { _, _ = rung.NewPlan(golden(t, "pendulum"), kkt.Options{Ordering: 99}) })
	require.PanicsWithValue(t, "model: no model", func() { _, _ = rung.NewPlan(nil, kkt.Options{}) })
	require.PanicsWithValue(t, "kkt: no state", func() { _ = s.Solve(nil) })
}

// TestOverflow: numbers that overflow are no contradiction of the joints.
func TestOverflow(t *testing.T) {
	p := newPlan(t, golden(t, "four-bar"), order.Auto)
	s, st := p.NewSolver(), p.Initial()
	st.Bodies[0].Omega = spatial.Vec3{2: 1e200}
	err := s.Solve(st)
	require.ErrorIs(t, err, kkt.ErrInaccurate)
	require.NotErrorIs(t, err, kkt.ErrInconsistent)
	require.ErrorContains(t, err, "numbers overflow")
	require.NotContains(t, err.Error(), "NaN")
	requireNoSolution(t, s)
	m := cloned(golden(t, "four-bar"))
	m.Bodies[0].Mass = 1e308
	_, err = rung.Accelerate(m, kkt.Options{})
	require.ErrorIs(t, err, kkt.ErrInaccurate)
	require.ErrorContains(t, err, "numbers overflow")
}

// TestPartsInOrder: Factorize and Refine need what comes before them, and nothing is left of
// a state whose assembly failed half way.
func TestPartsInOrder(t *testing.T) {
	p := newPlan(t, golden(t, "four-bar"), order.Auto)
	s, st := p.NewSolver(), p.Initial()
	require.PanicsWithValue(t, "kkt: not assembled", func() { _ = s.Stages().Factorize() })
	require.PanicsWithValue(t, "kkt: no factor", func() { _ = s.Stages().Refine() })
	require.NoError(t, s.Solve(st))
	want := s.AngularAcceleration(0)
	bad := p.Initial()
	bad.Bodies[0].Omega[2] = 100
	bad.Bodies[2].Velocity[0] = math.NaN()
	require.ErrorIs(t, s.Stages().Assemble(bad), mechanism.ErrNotFinite)
	require.PanicsWithValue(t, "kkt: not assembled", func() { _ = s.Stages().Factorize() })
	require.PanicsWithValue(t, "kkt: no factor", func() { _ = s.Stages().Refine() })
	requireNoSolution(t, s)
	require.NoError(t, s.Solve(st))
	require.Equal(t, want, s.AngularAcceleration(0))
}

// TestModelErrors hands a bad model to the front door.
func TestModelErrors(t *testing.T) {
	bad := &model.Model{Name: "bad", Joints: []model.Joint{{Name: "j", Type: model.Fixed, Predecessor: "a", Successor: "b"}}}
	var p *model.Problems
	_, err := rung.NewPlan(bad, kkt.Options{})
	require.ErrorAs(t, err, &p)
	r, err := rung.Accelerate(bad, kkt.Options{})
	require.ErrorAs(t, err, &p)
	require.Nil(t, r)
	_, err = rung.Open(check.Reference(t, "invalid", "several-errors.model.json"))
	require.ErrorAs(t, err, &p)
	require.Greater(t, len(p.List), 1)
	_, err = rung.Open("no such file")
	require.Error(t, err)
	r, err = rung.Accelerate(twins(t, 1, 2), kkt.Options{})
	require.ErrorIs(t, err, kkt.ErrInconsistent)
	require.Nil(t, r)
}

// TestEmpty accelerates models with nothing to constrain, under all orderings.
func TestEmpty(t *testing.T) {
	for _, o := range orderings {
		r, err := rung.Accelerate(model.New("empty"), kkt.Options{Ordering: o})
		require.NoError(t, err, "%v", o)
		require.Empty(t, r.Bodies)
		require.Empty(t, r.Joints)
		require.Zero(t, r.Constraints.Rank)
		require.Zero(t, r.Constraints.Mobility)
		require.Zero(t, r.Energy)
		loose := rung.NewBuilder("loose")
		before := rung.World
		for i := range 3 {
			at := spatial.Vec3{float64(i)}
			k := loose.Rod(string(rune('a'+i)), 1, 0.1, at, at.Add(spatial.Vec3{0, 0, 1}))
			if i > 0 {
				loose.Joint(string(rune('f'+i)), model.Free, before, k, rung.At(0, 0, 0))
			}
			before = k
		}
		m, err := loose.Model()
		require.NoError(t, err)
		r, err = rung.Accelerate(m, kkt.Options{Ordering: o})
		require.NoError(t, err, "%v", o)
		for _, b := range r.Bodies {
			closeVec3(t, b.ComAcceleration, spatial.Vec3{0, 0, -9.81}, exactly, 10, "%s", b.Name)
		}
		require.Equal(t, 18, r.Constraints.Mobility)
		require.Empty(t, r.Constraints.WeakestJoint)
		require.Equal(t, 1.0, r.Constraints.Distance)
		for _, j := range r.Joints {
			require.True(t, j.WrenchUnique)
			require.Zero(t, j.TotalWrench)
		}
	}
}
