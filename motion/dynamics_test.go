package motion_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// violations returns δ and δ̇ of all rows at st.
func violations(t testing.TB, m *mechanism.Mechanism, st *mechanism.State) (delta, rate []float64) {
	t.Helper()
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	var jk mechanism.JointKinematics
	for j := range m.Joints {
		var d, v [6]float64
		m.JointTo(&jk, j, k, st)
		m.Joints[j].PositionErrorTo(&d, &jk.Frames, st.Time)
		require.NoError(t, m.Joints[j].VelocityErrorTo(&v, &jk.Frames, st.Time))
		delta = append(delta, d[:m.Joints[j].Rows]...)
		rate = append(rate, v[:m.Joints[j].Rows]...)
	}
	return delta, rate
}

// disturb moves every body by about eps, in a plane if that is wanted, where redundant
// joints of a plane mechanism stay redundant.
func disturb(st *mechanism.State, eps float64, plane bool) {
	rng := rand.New(rand.NewPCG(1, 7))
	in, out := eps, eps
	if plane {
		out = 0
	}
	linear := func() spatial.Vec3 {
		return spatial.Vec3{in * rng.NormFloat64(), in * rng.NormFloat64(), out * rng.NormFloat64()}
	}
	angular := func() spatial.Vec3 {
		return spatial.Vec3{out * rng.NormFloat64(), out * rng.NormFloat64(), in * rng.NormFloat64()}
	}
	for i := range st.Bodies {
		b := &st.Bodies[i]
		b.Position, b.Velocity, b.Omega = b.Position.Add(linear()), b.Velocity.Add(linear()), b.Omega.Add(angular())
		b.Rotation = spatial.Exp(angular()).Mul(b.Rotation)
	}
}

// stabilizeModels are models with redundant joints, and without.
var stabilizeModels = []struct {
	name  string
	plane bool
}{{"slider-crank-spatial", false}, {"four-bar", true}, {"stewart-6ups", false}}

// TestViolationsDecay compares δ(t) of every row with what δ̈ = −2α·δ̇ − β²·δ says, to first
// order in δ: critically damped, below that, and without feedback, where δ grows along
// a line. The mechanisms are at rest without loads: in motion the rows turn, which
// couples them.
func TestViolationsDecay(t *testing.T) {
	const (
		eps  = 1e-7
		tol  = 1e-12
		near = 1e-3 // of the violations: terms of second order, and steps
	)
	for _, c := range stabilizeModels {
		for _, want := range []struct {
			alpha, beta float64
			at          func(d, v, t float64) float64
		}{
			{10, 10, func(d, v, t float64) float64 { return (d + (v+10*d)*t) * math.Exp(-10*t) }},
			{3, 5, func(d, v, t float64) float64 { // −3 ± 4i
				s, c := math.Sincos(4 * t)
				return math.Exp(-3*t) * (d*c + (v+3*d)/4*s)
			}},
			{0, 0, func(d, v, t float64) float64 { return d + v*t }},
		} {
			p := newPlan(t, unloaded(golden(t, c.name)), 0)
			m, st := p.Mechanism(), p.Initial()
			disturb(st, eps, c.plane)
			d0, v0 := violations(t, m, st)
			s := sim.New(m, sim.NewRungeKutta(m, &fed{motion.NewDynamics(p), want.alpha, want.beta}, sim.DormandPrince(), sim.Tolerance{Relative: tol}), st, sim.Options{Projector: sim.NoProjector, Start: sim.AsItIs})
			for _, time := range []float64{0.05, 0.1, 0.2, 0.4} {
				require.NoError(t, s.Run(time), c.name)
				got, _ := violations(t, m, s.State())
				for i := range got {
					require.InDelta(t, want.at(d0[i], v0[i], time), got[i], near*eps, "%s, α = %g, row %d, t = %g", c.name, want.alpha, i, time)
				}
			}
		}
	}
}

// unloaded takes away all loads, motions and velocities.
func unloaded(m *model.Model) *model.Model {
	m.Gravity, m.Forces = [3]float64{}, nil
	for i := range m.Bodies {
		m.Bodies[i].Velocity = model.Velocity{}
	}
	for i := range m.Joints {
		j := &m.Joints[i]
		j.Force, j.Stiffness, j.Damping = nil, nil, nil
	}
	return m
}

// TestViolationsDecayInMotion has gravity, loads and velocities: after ten time constants
// little is left.
func TestViolationsDecayInMotion(t *testing.T) {
	const eps, rate = 1e-6, 20.
	for _, c := range stabilizeModels {
		p := newPlan(t, golden(t, c.name), 0)
		m, st := p.Mechanism(), p.Initial()
		disturb(st, eps, c.plane)
		s := sim.New(m, sim.NewRungeKutta(m, &fed{motion.NewDynamics(p), rate, rate}, sim.DormandPrince(), sim.Tolerance{Relative: 1e-12}), st, sim.Options{Projector: sim.NoProjector, Start: sim.AsItIs})
		require.NoError(t, s.Run(10/rate), c.name)
		d, _ := violations(t, m, s.State())
		for i := range d {
			assert.Less(t, math.Abs(d[i]), 1e-2*eps, "%s, row %d", c.name, i)
		}
	}
}

// fed is a sim.Dynamics with feedback.
type fed struct {
	*motion.Dynamics
	alpha, beta float64
}

func (d *fed) Accelerations(a []float64, st *mechanism.State) error {
	return d.StabilizedAccelerations(a, st, d.alpha, d.beta)
}

// TestStabilizedMotion drives through sim.Baumgarte: the drift of a long run stays where
// the feedback holds it.
func TestStabilizedMotion(t *testing.T) {
	p := newPlan(t, golden(t, "four-bar"), 0)
	m, d := p.Mechanism(), motion.NewDynamics(p)
	drift := func(dyn sim.Dynamics) (worst float64) {
		s := sim.New(m, sim.NewRungeKutta(m, dyn, sim.RungeKutta4(), sim.Tolerance{}), p.Initial(), sim.Options{Projector: sim.NoProjector, Step: 0.005})
		require.NoError(t, s.Run(20))
		return s.Stats().Worst.Position
	}
	free, held := drift(d), drift(&sim.Baumgarte{Dynamics: d})
	t.Logf("without %.3g, with feedback %.3g", free, held)
	assert.Less(t, held, free/10)
}

// TestStabilizedWithoutAllocation: a stabilized solution allocates nothing, and without
// violations it is the plain one.
func TestStabilizedWithoutAllocation(t *testing.T) {
	p := newPlan(t, golden(t, "stewart-6ups"), 0)
	st := p.Initial()
	d := motion.NewDynamics(p)
	require.NoError(t, d.ClosePositions(st))
	require.NoError(t, d.ProjectVelocities(st))
	a, b := make([]float64, 6*len(st.Bodies)), make([]float64, 6*len(st.Bodies))
	require.NoError(t, d.Accelerations(a, st))
	var err error
	assert.Zero(t, testing.AllocsPerRun(10, func() { err = d.StabilizedAccelerations(b, st, 10, 10) }))
	require.NoError(t, err)
	for i := range a {
		assert.InDelta(t, a[i], b[i], 1e-9*math.Max(1, math.Abs(a[i])))
	}
	assert.PanicsWithValue(t, "motion: length mismatch", func() { _ = d.StabilizedAccelerations(a[1:], st, 1, 1) })
	assert.PanicsWithValue(t, "motion: length mismatch", func() { _ = d.ConstraintWrenches(nil, st, []int{0}) })
}

// TestConstraintWrenches compares with Result, redundant joints or not.
func TestConstraintWrenches(t *testing.T) {
	for _, name := range []string{"four-bar", "stewart-6ups", "slider-crank-spatial"} {
		p := newPlan(t, golden(t, name), 0)
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		want, err := results.New(s)
		require.NoError(t, err)
		n := p.Mechanism().NumJoints()
		list, got := []int{n - 1, 0}, make([]spatial.Force, 2)
		require.NoError(t, motion.NewDynamics(p).ConstraintWrenches(got, p.Initial(), list))
		for i, j := range list {
			w := want.Joints[j].ConstraintWrench
			assert.Equal(t, spatial.Vec3(w.Force), got[i].Linear(), "%s, joint %d", name, j)
			assert.Equal(t, spatial.Vec3(w.Moment), got[i].Moment(), "%s, joint %d", name, j)
		}
	}
}

// TestStepsWithoutAllocation: steps of a ladder, projected each, allocate nothing.
func TestStepsWithoutAllocation(t *testing.T) {
	p := newPlan(t, generate(t, "ladder", 100, 1), 0)
	d := motion.NewDynamics(p)
	s := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.RungeKutta4(), sim.Tolerance{}), p.Initial(), sim.Options{
		Step: 0.01, Projector: d, Drift: sim.Drift{Position: 1e-15, Velocity: 1e-15},
	})
	until, err := 0.0, error(nil)
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		until += 0.02
		err = s.Run(until)
	}))
	require.NoError(t, err)
	assert.Greater(t, s.Stats().Projections, int64(15))
}

// TestStepsResume: a run whose steps are projected by the factor of their last stage goes on from a checkpoint, with a
// new Dynamics, bit by bit.
func TestStepsResume(t *testing.T) {
	p := newPlan(t, generate(t, "ladder", 100, 1), 0)
	for _, tab := range []*sim.Tableau{sim.RungeKutta4(), sim.DormandPrince()} {
		for _, closed := range []bool{false, true} {
			o := sim.Options{Projector: sim.NoProjector, Step: 0.01, Drift: sim.Drift{Position: 1e-12, Velocity: 1e-12}, CloseStages: closed}
			run := func(onStep func(*sim.Simulation) error) *sim.Simulation {
				d, o := motion.NewDynamics(p), o
				o.Projector, o.OnStep = d, onStep
				return sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, tab, sim.Tolerance{}), p.Initial(), o)
			}
			var mark *sim.Checkpoint
			whole := run(func(s *sim.Simulation) (err error) {
				if s.Stats().Steps == 13 {
					mark, err = s.Checkpoint()
				}
				return err
			})
			require.NoError(t, whole.Run(0.25))
			require.Greater(t, whole.Stats().Projections, int64(15), tab.Name)
			rest := run(nil)
			require.NoError(t, rest.Restore(mark))
			require.NoError(t, rest.Run(0.25))
			require.Equal(t, whole.State(), rest.State(), "%s, %t", tab.Name, closed)
			require.Equal(t, whole.Stats(), rest.Stats(), "%s, %t", tab.Name, closed)
		}
	}
}

// TestStepsStayClosed: projected by the factor of the last stage, joints hold within the bounds and a little of one
// step, and the motion is that of projection by the two methods.
func TestStepsStayClosed(t *testing.T) {
	const (
		until = 0.2
		same  = 1e-8 // of two ways to project by 1e-8 in a hundred steps
	)
	projections := int64(0)
	for _, c := range stepCases {
		p := newPlan(t, generate(t, c.Family, c.N, 1), 0)
		run := func(proj sim.Projector, d *motion.Dynamics) *sim.Simulation {
			s := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.RungeKutta4(), sim.Tolerance{}), p.Initial(), sim.Options{
				Step: 0.002, Projector: proj, OnStep: func(s *sim.Simulation) error {
					position, velocity := jointErrors(t, p.Mechanism(), s.State())
					assert.LessOrEqual(t, position, sim.DefaultDrift, c.Family)
					assert.LessOrEqual(t, velocity, sim.DefaultDrift, c.Family)
					return nil
				},
			})
			require.NoError(t, s.Run(until), c.Family)
			return s
		}
		d, e := motion.NewDynamics(p), motion.NewDynamics(p)
		got, want := run(d, d), run(methods{e}, e)
		projections += got.Stats().Projections
		for i := range want.State().Bodies {
			x, y := &got.State().Bodies[i], &want.State().Bodies[i]
			assert.Less(t, x.Position.Sub(y.Position).Norm(), same, "%s, body %d", c.Family, i)
			assert.Less(t, x.Velocity.Sub(y.Velocity).Norm(), 100*same, "%s, body %d", c.Family, i)
		}
	}
	assert.Greater(t, projections, int64(100))
}

// methods is a sim.Projector and nothing more.
type methods struct{ d *motion.Dynamics }

func (m methods) ClosePositions(st *mechanism.State) error    { return m.d.ClosePositions(st) }
func (m methods) ProjectVelocities(st *mechanism.State) error { return m.d.ProjectVelocities(st) }

// TestDynamics agrees with Solver and Closer, without allocation, and shares the
// factor without mixing things up.
func TestDynamics(t *testing.T) {
	for _, k := range stepCases {
		p := newPlan(t, generate(t, k.Family, k.N, 1), 0)
		d, st := motion.NewDynamics(p), p.Initial()
		a := make([]float64, 6*p.Mechanism().NumBodies())
		disturb(st, 1e-9, false)
		start := st.Clone()
		var err error
		require.Zero(t, testing.AllocsPerRun(10, func() {
			copy(st.Bodies, start.Bodies)
			err = errors.Join(d.ClosePositions(st), d.ProjectVelocities(st), d.Accelerations(a, st))
		}), k.Family)
		require.NoError(t, err)
		position, velocity := jointErrors(t, p.Mechanism(), st)
		require.LessOrEqual(t, position, shutTol, k.Family)
		require.LessOrEqual(t, velocity, shutTol, k.Family)
		s := p.NewSolver()
		require.NoError(t, s.Solve(st))
		want := make([]float64, len(a))
		s.AccelerationsTo(want)
		require.Equal(t, want, a, k.Family)
		require.NotPanics(t, func() { d.Solver().ComAcceleration(0) })
		require.NoError(t, d.ClosePositions(st))
		require.PanicsWithValue(t, "kkt: no solution", func() { d.Solver().ComAcceleration(0) })
		require.PanicsWithValue(t, "motion: length mismatch", func() { _ = d.Accelerations(a[1:], st) })
	}
}
