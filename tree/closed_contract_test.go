package tree_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

const (
	// closedSingularTol is the error against a closed form 1e-3 rad from a singular
	// pose, where parts of rows are a thousandth of them.
	closedSingularTol = 1e-7
	// powerTol is the error of a power balance relative to the magnitudes of its
	// terms.
	powerTol = 1e-9
)

// TestClosedNoAllocation covers every call a state.
func TestClosedNoAllocation(t *testing.T) {
	for _, m := range []*model.Model{golden(t, "random-30"), golden(t, "driven-mixed"), generate(t, "nfourbar", 6, 1), generate(t, "ladder", 60, 1)} {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		st := r.mech.Initial()
		acc := make([]spatial.ClassicalAccel, r.plan.NumLinks())
		tau := r.zeros()
		var err error
		for _, method := range methods {
			s := r.plan.NewSolver(method, tree.SolverOptions{Stabilization: tree.CriticallyDamped(0.1)})
			assert.Zero(t, testing.AllocsPerRun(10, func() {
				err = s.SolveForced(st, tau)
				s.AccelerationsTo(acc)
				_ = s.Report()
				for j := range m.Joints {
					_ = s.TotalWrench(j)
				}
			}), "%s: %v", m.Name, method)
			require.NoError(t, err)
			assert.Zero(t, testing.AllocsPerRun(10, func() { err = s.SolveAt(r.q, r.qd, st.Time, tau) }), "%s: %v", m.Name, method)
			require.NoError(t, err)
		}
		c := r.plan.NewCloser(nil)
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			if _, err = c.CloseTo(r.q, st.Time); err == nil {
				err = c.CloseRatesTo(r.qd, r.q, st.Time)
			}
		}), "%s: closer", m.Name)
		require.NoError(t, err)
	}
}

// TestInputsAreFinite: generalized forces and accelerations that are not finite are refused by name, with their values. No result of
// before stands then.
func TestInputsAreFinite(t *testing.T) {
	r, y, yd, independent := armRig(t)
	st := r.mech.Initial()
	c := r.plan.NewClosure(r.plan.NewNumericLoops(independent, r.q), len(y))
	require.NoError(t, c.Set(y, yd, 0))
	joint := r.mech.JointName(int(r.plan.Links[1].Joint))
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bad := r.zeros()
		bad[1] = x
		refused := func(err error, what string) {
			t.Helper()
			require.ErrorIs(t, err, mechanism.ErrInput)
			require.ErrorContains(t, err, fmt.Sprintf("joint %q: input refused: %s %v of freedom 0 is not finite", joint, what, x))
		}
		refused(r.w.ForwardTo(r.zeros(), bad), "generalized force")
		refused(r.w.ForwardByInertiaTo(r.zeros(), bad, r.plan.NewBranchMatrix(), 1), "generalized force")
		require.NoError(t, c.ForwardTo(make([]float64, len(y)), nil))
		refused(c.ForwardTo(make([]float64, len(y)), bad), "generalized force")
		require.PanicsWithValue(t, "tree: no solution", func() { c.JointAccelerations() })
		for _, method := range methods {
			s := solveClosed(t, r, method, tree.SolverOptions{})
			refused(s.SolveForced(st, bad), "generalized force")
			require.PanicsWithValue(t, "tree: no solution", func() { s.JointAccelerations() })
			refused(s.SolveAt(r.q, r.qd, 0, bad), "generalized force")

			v := r.plan.NewInverse(method, actuatorsOf(t, r, "joint1", "joint2", "joint3"), nil)
			refused(v.Solve(st, bad), "acceleration")
			a := make([]spatial.ClassicalAccel, r.mech.NumBodies())
			a[1][4] = x
			err := v.SolveBodies(st, a)
			require.ErrorIs(t, err, mechanism.ErrInput)
			require.ErrorContains(t, err, fmt.Sprintf("body %q: input refused: acceleration %v is not finite", r.mech.BodyName(1), a[1]))
		}
	}
}

func TestClosureNoAllocation(t *testing.T) {
	r, y, yd, independent := armRig(t)
	c := r.plan.NewClosure(r.plan.NewNumericLoops(independent, r.q), 2)
	ydd := make([]float64, 2)
	var err error
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		if err = c.Set(y, yd, 0); err == nil {
			err = c.ForwardTo(ydd, nil)
		}
		_, _ = c.Check()
	}))
	require.NoError(t, err)
	for _, method := range methods {
		v := r.plan.NewInverse(method, actuatorsOf(t, r, "joint1", "joint2", "joint3"), nil)
		st, qdd := r.mech.Initial(), r.zeros()
		assert.Zero(t, testing.AllocsPerRun(10, func() { err = v.Solve(st, qdd) }))
		require.NoError(t, err)
	}
}

// TestClosedRepeats: equal states give equal bits, from any solver, after any
// other state and after an error.
func TestClosedRepeats(t *testing.T) {
	check.Long(t)
	closedModels(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		for _, method := range methods {
			s := solveClosed(t, r, method, tree.SolverOptions{})
			first := append([]float64{}, s.JointAccelerations()...)
			lambda := append([]float64{}, s.Multipliers()...)
			bad := r.mech.Initial()
			bad.Bodies[0].Position[0] = math.NaN()
			require.ErrorIs(t, s.Solve(bad), mechanism.ErrNotFinite)
			require.PanicsWithValue(t, "tree: no solution", func() { s.Report() })
			_ = s.SolveAt(r.along(r.qd, 1e-3), r.qd, 0, nil) // any other state
			require.NoError(t, s.Solve(r.mech.Initial()))
			require.Equal(t, first, s.JointAccelerations())
			require.Equal(t, lambda, s.Multipliers())
			require.NoError(t, r.plan.NewSolver(method, tree.SolverOptions{}).Solve(r.mech.Initial()))
		}
	})
}

// TestClosedFarAway moves models by 2²⁰ m. Positions are rounded to 2⁻³² m
// before, so that the move is exact.
func TestClosedFarAway(t *testing.T) {
	closedFamilies(t, func(t *testing.T, m *model.Model) {
		var want []float64
		for _, d := range []float64{0, 1 << 20} {
			move := func(v *[3]float64) {
				for k := range v {
					v[k] = math.RoundToEven(v[k]*(1<<32))/(1<<32) + d
				}
			}
			for i := range m.Bodies {
				move(&m.Bodies[i].Pose.Position)
			}
			for j := range m.Joints {
				if m.Joints[j].Predecessor == model.World {
					move(&m.Joints[j].PredecessorFrame.Position)
				}
				if m.Joints[j].Successor == model.World {
					move(&m.Joints[j].SuccessorFrame.Position)
				}
			}
			for i := range m.Forces {
				for _, a := range []*model.Attachment{&m.Forces[i].A, &m.Forces[i].B} {
					if a.Body == model.World {
						move(&a.Point)
					}
				}
			}
			r := newRig(t, m, tree.Options{})
			for k, method := range methods {
				s := r.plan.NewSolver(method, tree.SolverOptions{})
				require.NoError(t, s.Solve(r.mech.Initial()))
				a := bodyAccelerations(s)
				if d == 0 && k == 0 {
					for i := range a {
						want = append(want, a[i][:]...)
					}
				}
				requireSameAccelerations(t, a, want, farTol, fmt.Sprintf("moved by %g, %v", d, method))
			}
		}
	})
}

// TestClosedNearSingular: the N-four-bar 1e-3 rad from its singular pose, by its
// closed form and with all redundant rows found.
func TestClosedNearSingular(t *testing.T) {
	for _, n := range []int{1, 5, 20} {
		for _, theta := range []float64{0.4, math.Pi/2 - 1e-1, math.Pi/2 - 1e-2, math.Pi/2 - 1e-3} {
			m, err := bench.NFourBar(n, theta, 1)
			require.NoError(t, err)
			r := newRig(t, m, tree.Options{})
			for _, method := range methods {
				s := solveClosed(t, r, method, tree.SolverOptions{})
				require.Equal(t, 3*n, s.Report().Redundant, "%v: n = %d, theta = %g", method, n, theta)
				want := bench.NFourBarAcceleration(n, theta)
				for i := range m.Bodies {
					if m.Bodies[i].Name[:3] == "rod" {
						check.Close(t, bodyAccelerations(s)[i][2], want, closedSingularTol, math.Abs(want), "%v: n = %d, theta = %g, body %d", method, n, theta, i)
					}
				}
			}
		}
	}
}

// TestClosedPower: the rate of the kinetic energy is the power of the loads on
// the tree and of the multipliers, which work at the rates of the prescribed
// motions only.
func TestClosedPower(t *testing.T) {
	closedModels(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		for _, method := range methods {
			s := solveClosed(t, r, method, tree.SolverOptions{})
			w := s.Workspace()
			qd := w.Rates()
			// q̇ᵀ(H·q̈ + C) is what the multipliers do.
			tau, force := r.zeros(), r.zeros()
			w.InverseTo(tau, s.JointAccelerations())
			s.Constraints().AddMulTransTo(force, s.Multipliers())
			got, power, size := 0.0, 0.0, 1e-3
			for d := range qd {
				got += qd[d] * tau[d]
				power += qd[d] * force[d]
				size += math.Abs(qd[d]*tau[d]) + math.Abs(qd[d]*force[d])
			}
			rate := make([]float64, r.plan.NumRows())
			s.Constraints().MulVecTo(rate, qd)
			motions := 0.0
			for i, l := range s.Multipliers() {
				motions += l * rate[i]
				size += math.Abs(l * rate[i])
			}
			check.Close(t, got, power, powerTol, size, "%v: balance", method)
			check.Close(t, power, motions, powerTol, size, "%v: motions", method)
		}
	})
}

// TestClosedIndependent solves with the user's choice of variables.
func TestClosedIndependent(t *testing.T) {
	r, _, _, y := armRig(t)
	want := solveClosed(t, r, tree.Direct, tree.SolverOptions{})
	s := solveClosed(t, r, tree.Projection, tree.SolverOptions{Independent: y})
	require.ElementsMatch(t, y, s.IndependentTo(nil))
	check.CloseVec(t, s.JointAccelerations(), want.JointAccelerations(), closedTol, check.MaxAbs(want.JointAccelerations()), "q̈")
	require.Empty(t, want.IndependentTo(nil))

	var bad *tree.IndependentError
	s = r.plan.NewSolver(tree.Projection, tree.SolverOptions{Independent: y[:1]})
	require.ErrorAs(t, s.Solve(r.mech.Initial()), &bad)
	require.Len(t, bad.Open, 1)
	require.Empty(t, bad.Related)
	s = r.plan.NewSolver(tree.Projection, tree.SolverOptions{Independent: []int{0, 1, 2, 3}})
	require.ErrorAs(t, s.Solve(r.mech.Initial()), &bad)
	require.Empty(t, bad.Open)
	require.NotEmpty(t, bad.Related)
}

// TestClosedContradiction prescribes rates for the crank and the rocker of a four-bar that
// contradict each other.
func TestClosedContradiction(t *testing.T) {
	m := golden(t, "four-bar")
	for _, j := range []int{0, len(m.Joints) - 1} {
		m.Joints[j].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, 5 + float64(j)}}}
	}
	r := newRig(t, m, tree.Options{})
	for _, method := range methods {
		s := r.plan.NewSolver(method, tree.SolverOptions{})
		require.ErrorIs(t, s.Solve(r.mech.Initial()), tree.ErrInconsistent, method)
		require.PanicsWithValue(t, "tree: no solution", func() { s.Multipliers() })
	}
}

// TestClosedOblique slides a body along an oblique guide in a plane that does not stop it: the
// rows of the loop across the guide are rounding, not constraints.
func TestClosedOblique(t *testing.T) {
	for _, angle := range []float64{0.1, 0.3, 0.5, 1, 2} {
		m := graphModel(1, model.Prismatic, [2]int{-1, 0}, [2]int{-1, 0})
		m.Gravity = [3]float64{1, -9.81, 0}
		u := spatial.Vec3{math.Cos(angle), math.Sin(angle), 0}
		q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, angle).Mul(spatial.FromAxisAngle(spatial.Vec3{0, 1, 0}, math.Pi/2))
		guide := model.Pose{Orientation: q} // z along u
		m.Bodies[0].Pose = model.Pose{}
		m.Joints[0].PredecessorFrame, m.Joints[0].SuccessorFrame = guide, guide
		m.Joints[1].Type = model.Planar
		m.Joints[1].PredecessorFrame, m.Joints[1].SuccessorFrame = model.Pose{}, model.Pose{}
		r := newRig(t, m, tree.Options{})
		want := u.Scale(u.Dot(m.Gravity))
		for _, method := range methods {
			s := solveClosed(t, r, method, tree.SolverOptions{})
			require.Equal(t, 1, s.Report().Mobility, "%v, angle %g", method, angle)
			requireSameAccelerations(t, bodyAccelerations(s), append([]float64{0, 0, 0}, want[:]...), closedTol, method.String())
		}
	}
}

// TestClosedSmall covers mechanisms without freedoms, without rows and without
// bodies.
func TestClosedSmall(t *testing.T) {
	welded := graphModel(1, model.Fixed, [2]int{-1, 0}, [2]int{-1, 0})
	for _, m := range []*model.Model{model.New("empty"), welded, golden(t, "pendulum"), golden(t, "single-body")} {
		r := newRig(t, m, tree.Options{})
		for _, method := range methods {
			s := solveClosed(t, r, method, tree.SolverOptions{})
			rep := s.Report()
			require.Equal(t, 6*len(m.Bodies)-rep.TreeRows-rep.Rank, rep.Mobility)
			require.Equal(t, rep.Rows, rep.Redundant)
		}
		require.Empty(t, tree.ClustersOf(r.mech)[min(1, len(r.plan.Loops)):])
	}
}

func TestClosedPanics(t *testing.T) {
	r := newRig(t, golden(t, "four-bar"), tree.Options{}).atInitial(t)
	other := newRig(t, golden(t, "pendulum"), tree.Options{}).atInitial(t)
	s := solveClosed(t, r, tree.Lambda, tree.SolverOptions{})
	c := r.plan.NewConstraints()
	x, loops := make([]float64, 1), r.plan.NewNumericLoops([]int{0}, make([]float64, r.plan.NumQ()))
	for _, k := range []struct {
		text string
		f    func()
	}{
		{"tree: unknown method", func() { r.plan.NewSolver(tree.Method(9), tree.SolverOptions{}) }},
		{"tree: rank tolerance out of range", func() { r.plan.NewSolver(tree.Lambda, tree.SolverOptions{RankTolerance: 2}) }},
		{"tree: bad independent variable", func() { r.plan.NewSolver(tree.Projection, tree.SolverOptions{Independent: []int{1, 1}}) }},
		{"tree: length mismatch", func() { _ = s.SolveForced(r.mech.Initial(), x) }},
		{"tree: not a projection", func() {
			s := solveClosed(t, r, tree.Lambda, tree.SolverOptions{})
			s.ExplicitTo(nil, nil)
		}},
		{"tree: foreign constraints", func() { _ = other.w.ConstraintsTo(c) }},
		{"tree: length mismatch", func() { c.MulVecTo(x, x) }},
		{"tree: length mismatch", func() { c.AddMulTransTo(x, x) }},
		{"tree: length mismatch", func() { _ = r.w.ErrorsTo(x, x) }},
		{"tree: row out of range", func() { c.RowConstraint(99) }},
		{"tree: index out of range", func() { c.At(0, 99) }},
		{"tree: freedom out of range", func() { r.plan.DofName(-1) }},
		{"tree: number of variables out of range", func() { r.plan.NewClosure(nil, 99) }},
		{"tree: length mismatch", func() { _ = r.plan.NewClosure(loops, 1).Set(nil, nil, 0) }},
		{"tree: no state", func() { _ = r.plan.NewClosure(loops, 1).ForwardTo(x, nil) }},
		{"tree: length mismatch", func() { r.plan.NewNumericLoops(nil, nil) }},
	} {
		require.PanicsWithValue(t, k.text, k.f)
	}
	driven := newRig(t, golden(t, "driven-crank"), tree.Options{}).atInitial(t)
	require.PanicsWithValue(t, "tree: closure with a prescribed freedom", func() { driven.plan.NewClosure(nil, 1) })
	ball := newRig(t, golden(t, "spinning-top"), tree.Options{}).atInitial(t)
	require.PanicsWithValue(t, "tree: variable without a coordinate", func() { ball.plan.NewNumericLoops([]int{0}, ball.q) })
	require.Equal(t, "direct lambda projection Method(7)", fmt.Sprint(tree.Direct, tree.Lambda, tree.Projection, tree.Method(7)))
}

// TestErrorsNameJoints: the error of a failed method names a joint, whatever the reason.
func TestErrorsNameJoints(t *testing.T) {
	refused := 0
	for _, mass := range []float64{1, 1e300, math.MaxFloat64} {
		for _, com := range []float64{0.1, 1e10, 1e150, 1e300} {
			for _, rate := range []float64{0, 1e100, 1e200} {
				m := bare(2, "_-a revolute", "a-b revolute", "_-b planar")
				m.Bodies[1].Mass, m.Bodies[1].Com, m.Bodies[0].Velocity.Angular = mass, [3]float64{com, 0, 0}, [3]float64{0, 0, rate}
				r := newRig(t, m, tree.Options{})
				for _, method := range methods {
					err := r.plan.NewSolver(method, tree.SolverOptions{}).Solve(r.mech.Initial())
					if err != nil {
						refused++
						assert.Regexp(t, `(joint|body) "`, err.Error(), "%v: mass %v, com %v, rate %v", method, mass, com, rate)
					}
				}
			}
		}
	}
	require.Positive(t, refused)
}

// TestZeroValues: the panic of a zero value names its constructor.
func TestZeroValues(t *testing.T) {
	const text = "tree: zero ClosedSolver; use Plan.NewSolver"
	assert.PanicsWithValue(t, text, func() { _ = new(tree.ClosedSolver).Solve(nil) })
	assert.PanicsWithValue(t, text, func() { _ = (*tree.ClosedSolver)(nil).Assemble(nil) })
	assert.PanicsWithValue(t, "tree: no solution", func() { (*tree.ClosedSolver)(nil).AccelerationsTo(nil) })
	assert.PanicsWithValue(t, "tree: zero Plan; use NewPlan", func() { new(tree.Plan).NewSolver(tree.Direct, tree.SolverOptions{}) })
	assert.PanicsWithValue(t, "tree: no mechanism", func() { _, _ = tree.NewPlan(nil, tree.Options{}) })
}
