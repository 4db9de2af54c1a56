package motion_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

var _ sim.ImplicitDynamics = (*motion.Newton)(nil)

// newtonTol is for one solve with a matrix whose springs outweigh the inertias by some orders.
const newtonTol = 1e-8

// massTimes returns M·e, six numbers a body, world axes.
func massTimes(m *mechanism.Mechanism, k *mechanism.Kinematics, e []float64) []float64 {
	out := make([]float64, len(e))
	for i := range m.Bodies {
		E := &k.Bodies[i].E
		w := E.MulVec(m.Bodies[i].Inertia.MulVec(E.TMulVec(spatial.Vec3(e[6*i : 6*i+3]))))
		copy(out[6*i:], w[:])
		for c := 3; c < 6; c++ {
			out[6*i+c] = m.Bodies[i].Mass * e[6*i+c]
		}
	}
	return out
}

// applied returns the wrenches of drives and force elements at st, whose bodies have
// moved with the velocities e, about their centres of mass, for the time h and have e times rate more velocity.
func applied(t testing.TB, m *mechanism.Mechanism, st *mechanism.State, e []float64, h, rate float64) []float64 {
	t.Helper()
	s := st.Clone()
	for i := range s.Bodies {
		b := &s.Bodies[i]
		w, v := spatial.Vec3(e[6*i:6*i+3]), spatial.Vec3(e[6*i+3:6*i+6])
		arm := b.Rotation.Rotate(m.Bodies[i].Com)
		b.Rotation = b.Rotation.Integrate(w, h)
		b.Position = b.Position.Add(v.Scale(h)).Add(arm).Sub(b.Rotation.Rotate(m.Bodies[i].Com))
		b.Omega = b.Omega.Add(w.Scale(rate))
		b.Velocity = b.Velocity.Add(v.Sub(w.Cross(arm)).Scale(rate))
	}
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, s))
	f := make([]spatial.Force, len(s.Bodies))
	require.NoError(t, m.AddAppliedTo(f, k, s))
	var out []float64
	for i := range f {
		out = append(out, f[i][:]...)
	}
	return out
}

// sprung returns a mechanism with springs and dampers only between bodies and along freedoms, in a state in
// which no spring is under tension, so that stiffness has no part that comes from changes of direction.
func sprung(t testing.TB) *kkt.Plan {
	t.Helper()
	m := golden(t, "springs")
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	mech, st := p.Mechanism(), p.Initial()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	for i := range m.Forces {
		f := &m.Forces[i]
		if f.Type != model.SpringDamper {
			f.Force, f.Torque = spatial.Vec3{}, spatial.Vec3{}
			continue
		}
		end := func(a mechanism.Attachment) spatial.Vec3 {
			if a.Body < 0 {
				return a.Point
			}
			return st.Bodies[a.Body].Position.Add(k.Bodies[a.Body].E.MulVec(a.Point))
		}
		f.RestLength = end(mech.Forces[i].A).Sub(end(mech.Forces[i].B)).Norm()
		f.Stiffness, f.Damping = 1e4, 1e2
	}
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	for j := range m.Joints {
		jt := &m.Joints[j]
		n := jt.Type.Freedoms()
		jt.Force, jt.Rest, jt.Stiffness, jt.Damping = nil, make([]float64, n), make([]float64, n), make([]float64, n)
		mech.JointTo(&jk, j, k, st)
		mech.Joints[j].CoordinatesTo(&q, &qd, &jk)
		for i := range n {
			jt.Damping[i] = 30
			if jt.Type.Scalar(i) {
				jt.Rest[i], jt.Stiffness[i] = q[i], 2e3
			}
		}
	}
	for i := range m.Bodies {
		m.Bodies[i].Velocity = model.Velocity{}
	}
	p, err = rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p
}

// TestNewtonMatrix compares the matrix with derivatives of the forces: with x the
// solution for e and every motion z that the joints allow, z·(M·x + (p·K + s·D)·x − M·e) = 0 and J·x = 0.
func TestNewtonMatrix(t *testing.T) {
	p := sprung(t)
	m, st := p.Mechanism(), p.Initial()
	n := motion.NewNewton(p)
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	rng := rand.New(rand.NewPCG(5, 6))
	random := func() []float64 {
		v := make([]float64, 6*len(st.Bodies))
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	const position, velocity = 1e-3, 2e-2
	for level := range n.Levels() {
		for range 5 {
			z, e := random(), random()
			require.NoError(t, n.Linearize(st, 0, 0, level))
			require.NoError(t, n.Soften(z, st))
			require.NoError(t, n.Linearize(st, position, velocity, level))
			x := append([]float64(nil), e...)
			require.NoError(t, n.Soften(x, st))

			// J·x = 0: a step along x violates the joints by its square only.
			left, err := n.Allow(append([]float64(nil), x...), st)
			require.NoError(t, err)
			assert.Less(t, left, 1e-12)
			moved := st.Clone()
			for i := range moved.Bodies {
				b := &moved.Bodies[i]
				b.Omega = spatial.Vec3(x[6*i : 6*i+3])
				b.Velocity = spatial.Vec3(x[6*i+3 : 6*i+6]).Sub(b.Omega.Cross(k.Bodies[i].Com))
			}
			_, rate := jointErrors(t, m, moved)
			assert.Less(t, rate, newtonTol)

			const h = 1e-6
			plus, minus := applied(t, m, st, x, h, 0), applied(t, m, st, x, -h, 0)
			fast, still := applied(t, m, st, x, 0, 1), applied(t, m, st, x, 0, 0)
			mx, me := massTimes(m, k, x), massTimes(m, k, e)
			sum, size := 0.0, 0.0
			for i := range z {
				stiff := -position * (plus[i] - minus[i]) / (2 * h)
				damp := -velocity * (fast[i] - still[i])
				sum += z[i] * (mx[i] + stiff + damp - me[i])
				size += math.Abs(z[i]) * (math.Abs(mx[i]) + math.Abs(stiff) + math.Abs(damp) + math.Abs(me[i]))
			}
			check.Close(t, sum, 0, 1e-7, size, "level %d", level)
			require.Greater(t, difference6(x, e), 0.1, "springs and joints do something")
		}
	}
}

func difference6(a, b []float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// TestNewtonCorrects meets accelerations and multipliers of the index-1 equations in a short
// step, on models with and without redundant joints and drives.
func TestNewtonCorrects(t *testing.T) {
	for _, name := range []string{"four-bar", "bricard-6r", "springs", "random-30", "stewart-6ups", "pendulum"} {
		p := newPlan(t, golden(t, name), order.Auto)
		n, st := motion.NewNewton(p), p.Initial()
		require.NoError(t, n.ClosePositions(st))
		require.NoError(t, n.ProjectVelocities(st))
		nb := len(st.Bodies)
		u, lambda := make([]float64, 6*nb), make([]float64, n.Rows())
		s := p.NewSolver()
		require.NoError(t, s.Solve(st))
		s.AccelerationsTo(u)
		for j := range p.Mechanism().Joints {
			var l [6]float64
			count := s.Reactions().MultipliersTo(&l, j)
			first, rows := n.RowsOf(j)
			require.Equal(t, count, rows)
			copy(lambda[first:], l[:count])
		}
		du, dl := make([]float64, 6*nb), make([]float64, n.Rows())
		require.NoError(t, n.Linearize(st, 1e-4, 1e-2, 0))
		require.NoError(t, n.Correct(du, dl, st, u, lambda, 1))
		assert.Less(t, check.MaxAbs(du), 1e-9*(1+check.MaxAbs(u)), "%s: the equations hold", name)
		// Without the multipliers, what is left is their part alone.
		require.NoError(t, n.Linearize(st, 0, 0, 0))
		require.NoError(t, n.Correct(du, dl, st, make([]float64, 6*nb), make([]float64, n.Rows()), 1))
		_, rows := n.RowsOf(len(p.Mechanism().Joints) - 1)
		require.Positive(t, rows, name)
	}
}

// TestNewtonOfSpareRows: mechanisms with spare rows and hubs at rest have the accelerations of a kkt.Solver after one
// correction from nothing, without springs in the matrix.
func TestNewtonOfSpareRows(t *testing.T) {
	for family, n := range map[string]int{"scissor": 10, "hoberman": 8, "miura": 4, "delta": 30, "jansen": 8} {
		m, err := bench.Generate(family, n, 1)
		require.NoError(t, err)
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		require.NotNil(t, p.Lean(), family)
		newton, st, s := motion.NewNewton(p), p.Initial(), p.NewSolver()
		st.Rest()
		require.NoError(t, s.Solve(st))
		want, u := make([]float64, 6*len(st.Bodies)), make([]float64, 6*len(st.Bodies))
		s.AccelerationsTo(want)
		du, dl := make([]float64, len(u)), make([]float64, newton.Rows())
		require.NoError(t, newton.Linearize(st, 0, 0, 0))
		require.NoError(t, newton.Correct(du, dl, st, u, make([]float64, newton.Rows()), 1))
		check.CloseVec(t, du, want, newtonTol, max(9.81, check.MaxAbs(want)), "%s", family)
		require.Zero(t, testing.AllocsPerRun(3, func() {
			if newton.Linearize(st, 1e-4, 1e-2, 0) != nil || newton.Correct(du, dl, st, u, dl, 1) != nil {
				t.Fatal(family)
			}
		}), family)
	}
}

// TestNewtonOfActuators: with armature and an actuator on one freedom, accelerations of a step of no length are those of a kkt.Solver after one
// correction from nothing, and stay so.
func TestNewtonOfActuators(t *testing.T) {
	value := &model.Motion{Kind: model.Polynomial, Coefficients: []float64{0.7}}
	for _, a := range []model.Actuator{
		{Law: model.ActuatorTorque}, {Law: model.ActuatorSpeed, Gain: 20}, {Law: model.ActuatorPosition, Gain: 20, Damping: 2},
	} {
		m := golden(t, "pendulum")
		m.Joints[0].Armature = []float64{0.6}
		a.Joint, a.Value = m.Joints[0].Name, value
		m.Forces = append(m.Forces, model.ForceElement{Name: "motor", Type: model.ActuatorForce, Actuator: &a})
		p := newPlan(t, m, order.Auto)
		newton, st, s := motion.NewNewton(p), p.Initial(), p.NewSolver()
		st.Rest()
		require.NoError(t, s.Solve(st))
		want, du := make([]float64, 6*len(st.Bodies)), make([]float64, 6*len(st.Bodies))
		s.AccelerationsTo(want)
		dl := make([]float64, newton.Rows())
		require.NoError(t, newton.Linearize(st, 0, 0, 0))
		require.NoError(t, newton.Correct(du, dl, st, make([]float64, len(du)), make([]float64, newton.Rows()), 1))
		check.CloseVec(t, du, want, newtonTol, max(9.81, check.MaxAbs(want)), "%v", a.Law)
		u, lambda := slices.Clone(du), slices.Clone(dl)
		require.NoError(t, newton.Correct(du, dl, st, u, lambda, 1))
		check.CloseVec(t, du, make([]float64, len(du)), newtonTol, max(9.81, check.MaxAbs(want)), "%v, nothing is left", a.Law)
	}
}

// TestNewtonErrors: errors name their element, and there are panics without a matrix.
func TestNewtonErrors(t *testing.T) {
	p := newPlan(t, golden(t, "springs"), order.Auto)
	n, st := motion.NewNewton(p), p.Initial()
	require.PanicsWithValue(t, "factor: no valid factor", func() { _ = n.Soften(make([]float64, 6*len(st.Bodies)), st) })
	st.Bodies[1].Position[0] = math.NaN()
	require.ErrorIs(t, n.Linearize(st, 1, 1, 0), mechanism.ErrNotFinite)
	for _, level := range []int{-1, n.Levels()} {
		require.PanicsWithValue(t, "motion: level out of range", func() { _ = n.Linearize(p.Initial(), 1, 1, level) })
	}
	for _, x := range []float64{-1, math.NaN()} {
		require.PanicsWithValue(t, "motion: derivative out of range", func() { _ = n.Linearize(p.Initial(), x, 1, 0) })
		require.PanicsWithValue(t, "motion: derivative out of range", func() { _ = n.Linearize(p.Initial(), 1, x, 0) })
	}
	for _, j := range []int{-1, p.Mechanism().NumJoints()} {
		require.PanicsWithValue(t, "motion: joint out of range", func() { n.RowsOf(j) })
	}
	_, err := n.Allow(make([]float64, 6*len(st.Bodies)), st)
	require.ErrorIs(t, err, mechanism.ErrNotFinite)
	require.ErrorIs(t, n.Soften(make([]float64, 6*len(st.Bodies)), st), mechanism.ErrNotFinite)
	require.ErrorIs(t, n.Correct(nil, nil, st, nil, nil, 1), mechanism.ErrNotFinite)
}
