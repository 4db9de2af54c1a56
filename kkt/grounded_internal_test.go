package kkt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// groundTol bounds the difference of a result that a few more roundings make, relative to the largest result.
const groundTol = 1e-9

// TestGroundChangesNothing compares results and reports of the reduced and of the whole
// system.
func TestGroundChangesNothing(t *testing.T) {
	check.Long(t)
	grounded, stable := 0, 0
	for _, name := range check.GoldenModels(t) {
		t.Run(name, func(t *testing.T) {
			m, err := model.ReadFile(check.ModelPath(t, name))
			require.NoError(t, err)
			p := planOf(t, m)
			st := p.Initial()
			s, plain := p.NewSolver(), p.newSolver()
			if s.ground != nil {
				grounded++
			}
			requireAlike := func(s, plain *Solver) {
				t.Helper()
				size := 1 + plain.sys.FreeAcceleration() + check.MaxAbs(plain.x[:6*p.mech.NumBodies()])
				for i := range 6 * p.mech.NumBodies() {
					check.Close(t, s.x[i], plain.x[i], groundTol, size, "acceleration %d", i)
				}
			}
			requireSame := func() {
				t.Helper()
				requireAlike(s, plain)
				a, b := reportOf(t, s), reportOf(t, plain)
				require.Equal(t, b.Rank, a.Rank)
				require.InEpsilon(t, b.Distance, a.Distance, 1e-9)
				require.Equal(t, b.NearSingular, a.NearSingular)
				require.Less(t, a.BackwardError, 1e-14)
				require.Less(t, b.BackwardError, 1e-14)
				require.Equal(t, b.RedundantRows, a.RedundantRows)
				require.Equal(t, b.Undetermined, a.Undetermined)
				var l, k [6]float64
				large := 0.0
				for _, v := range plain.x {
					large = max(large, v, -v)
				}
				for j := range p.mech.Joints {
					n := s.Reactions().MultipliersTo(&l, j)
					require.Equal(t, n, plain.Reactions().MultipliersTo(&k, j))
					for i := range n {
						check.Close(t, l[i], k[i], 1e-7, large, "multiplier %d of joint %d", i, j)
					}
				}
			}
			require.NoError(t, s.Solve(st))
			require.NoError(t, plain.Solve(st))
			require.Equal(t, s.ground != nil && plain.way == DropWeak, s.reduced())
			route := s.Route()
			require.Equal(t, s.reduced(), route.Reduced)
			require.Equal(t, route.Reduced, route.WhyWhole == "")
			require.Equal(t, s.ground == nil, route.WhyWhole == whyNoGroups, route.WhyWhole)
			requireSame()
			requireSame() // a second report
			require.NoError(t, s.Solve(st))
			require.NoError(t, plain.Solve(st))
			requireSame()
			for i := range st.Bodies { // out of the joints
				st.Bodies[i].Position[i%3] += 1e-7
				st.Bodies[i].Velocity[(i+1)%3] += 1e-7
			}
			if s.SolveStabilized(st, 10, 10) == nil && plain.SolveStabilized(st, 10, 10) == nil {
				stable++
				requireAlike(s, plain)
			}
		})
	}
	require.Greater(t, grounded, 10)
	require.Greater(t, stable, 20)
}

// planOf analyses a model.
func planOf(t *testing.T, m *model.Model) *Plan {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return NewPlan(mech, Options{})
}

func reportOf(t *testing.T, s *Solver) *Report {
	t.Helper()
	r, err := s.Report()
	require.NoError(t, err)
	return r
}

// TestErrorsByTheReducedFactor takes errors of rows that some displacement makes back with the reduced factor: by
// the displacement that the whole factor finds, the least one.
func TestErrorsByTheReducedFactor(t *testing.T) {
	tried := 0
	for _, name := range check.GoldenModels(t) {
		m, err := model.ReadFile(check.ModelPath(t, name))
		require.NoError(t, err)
		p := planOf(t, m)
		st := p.Initial()
		s, plain := p.NewSolver(), p.newSolver()
		require.NoError(t, s.Solve(st))
		require.NoError(t, plain.Solve(st))
		if !s.reduced() || plain.way > DropWeak {
			continue
		}
		tried++
		rng := check.Rand(uint64(tried))
		n, nb := len(plain.x), 6*p.mech.NumBodies()
		x, e := make([]float64, n), make([]float64, n)
		for i := range nb {
			x[i] = rng.NormFloat64()
		}
		plain.sys.Matrix.MulVecTo(e, x)
		clear(e[:nb])
		plain.whole.SolveTo(x, e)
		plain.sys.AccelerationsTo(x, x)
		got := make([]float64, n)
		s.Corrector().SolveErrorsTo(got, e, nil, st)
		for i := range nb {
			check.Close(t, got[i], x[i], groundTol, 1+check.MaxAbs(x[:nb]), "%s: %d", name, i)
		}
	}
	require.Greater(t, tried, 10)
}

// TestGroundHeldByALightBody is at rest for good: a heavy body hangs on a light one that cannot move, a
// hundred-thousandth of its mass. Rows between them have scales that say the light body yields, and pivots that look
// like those of redundant rows.
func TestGroundHeldByALightBody(t *testing.T) {
	m, err := model.ReadFile("testdata/held-by-a-light-body.model.json")
	require.NoError(t, err)
	p := planOf(t, m)
	s := p.NewSolver()
	require.NotNil(t, s.ground)
	require.NoError(t, s.Solve(p.Initial()))
	require.Less(t, check.MaxAbs(s.x[:18]), 1e-9)
	route := s.Route()
	require.False(t, route.Reduced)
	require.NotEmpty(t, route.WhyWhole)
	reportOf(t, s)
	require.Equal(t, route.WhyWhole, s.Route().WhyWhole, "a report changes nothing of it")
}

// TestWhyWhole: every error of the reduced system has a reason.
func TestWhyWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, err := range []error{ErrInconsistent, ErrInaccurate, errDoubt, ErrLostPivot} {
		seen[whyWhole(err)] = true
	}
	require.Len(t, seen, 4)
	require.Equal(t, whyWhole(ErrLostPivot), whyWhole(&factor.PivotError{}))
}

// one returns a body on the world by a joint of the given type.
func one(t *testing.T, kind model.JointType, change func(m *model.Model)) *Plan {
	t.Helper()
	m := model.New("one")
	m.Gravity = spatial.Vec3{0, 0, -9.81}
	m.Bodies = []model.Body{{Name: "a", Mass: 1, Com: spatial.Vec3{1}, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{Name: "j", Type: kind, Predecessor: model.World, Successor: "a"}}
	change(m)
	p := planOf(t, m)
	return p
}

// TestGroundOverflow: numbers that overflow in a group are those of the whole system, which has an error for them.
func TestGroundOverflow(t *testing.T) {
	for name, p := range map[string]*Plan{
		"fixed": one(t, model.Fixed, func(m *model.Model) { m.Bodies[0].Velocity.Angular = spatial.Vec3{0, 0, 1e200} }),
		"arm":   one(t, model.Revolute, func(m *model.Model) { m.Bodies[0].Com = spatial.Vec3{1e155} }),
		"pitch": one(t, model.Helical, func(m *model.Model) { m.Joints[0].Pitch = 1e155 }),
	} {
		s, plain := p.NewSolver(), p.newSolver()
		require.NotNil(t, s.ground, name)
		want := plain.Solve(p.Initial())
		require.Error(t, want, name)
		require.EqualError(t, s.Solve(p.Initial()), want.Error(), name)
	}

	// Not forgotten for bodies that come later.
	p := one(t, model.Fixed, func(m *model.Model) {
		m.Bodies[0].Velocity.Angular = spatial.Vec3{0, 0, 1e200}
		m.Bodies = append(m.Bodies, m.Bodies[0])
		m.Bodies[1].Name, m.Bodies[1].Velocity = "b", model.Velocity{}
		m.Joints = append(m.Joints, model.Joint{Name: "k", Type: model.Revolute, Predecessor: model.World, Successor: "b"})
	})
	s, plain := p.NewSolver(), p.newSolver()
	want := plain.Solve(p.Initial())
	require.Error(t, want)
	require.EqualError(t, s.Solve(p.Initial()), want.Error())
}

// TestGroundTwoBearings spins a rotor in two bearings on one axis, off its centre of mass. What the second bearing's rows
// demand is a difference of large numbers, and rounding of that no contradiction.
func TestGroundTwoBearings(t *testing.T) {
	rng := check.Rand(1)
	for range 50 {
		p := one(t, model.Revolute, func(m *model.Model) {
			at := model.Pose{Orientation: spatial.Exp(spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})}
			axis := spatial.Quat(at.Orientation).Rotate(spatial.Vec3{0, 0, 1})
			m.Joints[0].PredecessorFrame, m.Joints[0].SuccessorFrame = at, at
			at.Position = axis.Scale(0.7)
			m.Joints = append(m.Joints, model.Joint{Name: "k", Type: model.Revolute, Predecessor: model.World, Successor: "a", PredecessorFrame: at, SuccessorFrame: at})
			m.Bodies[0].Velocity.Angular = axis.Scale(100)
		})
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		require.True(t, s.reduced())
	}
}

// TestGroundAfterErrors: a solution for errors takes the place of what has been assembled.
func TestGroundAfterErrors(t *testing.T) {
	m, err := model.ReadFile(check.ModelPath(t, "n-four-bar-3"))
	require.NoError(t, err)
	p := planOf(t, m)
	s, st := p.NewSolver(), p.Initial()
	require.NoError(t, s.Solve(st))
	e := make([]float64, len(s.x))
	s.Corrector().SolveErrorsTo(e, e, nil, st)
	require.PanicsWithValue(t, "kkt: not assembled", func() { _ = s.Stages().Factorize() })
	require.PanicsWithValue(t, "kkt: no factor", func() { _ = s.Stages().Refine() })
	require.PanicsWithValue(t, "kkt: no solution", func() { s.ComAcceleration(0) })
	s.Corrector().SolveErrorsTo(e, e, nil, st)
	s.drop()
	require.PanicsWithValue(t, "kkt: no factor", func() { s.Corrector().SolveErrorsTo(e, e, nil, st) })
	require.NoError(t, s.Solve(st))
}
