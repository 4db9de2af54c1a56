package kkt_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// balanceTol is the error of a power balance relative to the sum of the
// magnitudes of its terms: that of the accelerations.
const balanceTol = 1e-9

// TestPowerBalance compares the rate of the kinetic energy by the accelerations
// with the reference, and with the power of all loads: constraints work at the
// rates of the prescribed motions and nowhere else.
func TestPowerBalance(t *testing.T) {
	for _, name := range check.GoldenModels(t) {
		t.Run(name, func(t *testing.T) {
			p := newPlan(t, golden(t, name), order.Auto)
			s, st := p.NewSolver(), p.Initial()
			require.NoError(t, s.Solve(st))
			e := check.ReadExpected(t, name)
			report(t, s) // multipliers without null-space part
			b := newBalance(t, p.Mechanism(), s, st)
			allowed := math.Max(e.Allowed().Power, balanceTol*b.size)
			check.Close(t, b.kinetic, e.Power.KineticEnergyRate, 1, allowed, "rate of the kinetic energy")
			check.Close(t, b.motions, e.Power.Motions, 1, allowed, "power of the motions, by σ")
			check.Close(t, b.constraints, e.Power.Motions, 1, allowed, "power of the constraint wrenches")
			check.Close(t, b.drives, e.Power.JointForces+e.Power.JointsElastic+e.Power.JointsDamping, 1, allowed, "power of the drives")
			check.Close(t, b.others+b.drives+b.constraints, b.kinetic, 1, allowed, "balance")
		})
	}
}

// TestBodiesBalance adds up all wrenches on each body: m·a and the rate of the
// angular momentum (Newton and Euler), with the reactions as Solver returns
// them.
func TestBodiesBalance(t *testing.T) {
	variantCases(t, func(t *testing.T, m *model.Model) {
		p := newPlan(t, m, order.Auto)
		s, st := p.NewSolver(), p.Initial()
		require.NoError(t, s.Solve(st))
		for _, explained := range []bool{false, true} {
			if explained {
				report(t, s)
			}
			requireBodiesBalance(t, p.Mechanism(), s, st)
		}
	})
}

// TestTiltedHinges has two hinges of a four-bar out of parallel by ever less: rows that Report
// takes for redundant are only nearly so, and what they add to the reactions is no null vector.
func TestTiltedHinges(t *testing.T) {
	for _, tilt := range []float64{1e-2, 1e-3, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7, 1e-9, 1e-12} {
		m := modeltest.TiltedHinges(t, tilt)
		p := newPlan(t, m, order.Auto)
		s, st := p.NewSolver(), p.Initial()
		require.NoError(t, s.Solve(st), "tilt %g", tilt)
		r := report(t, s)
		t.Logf("tilt %g: rank %d, distance %.2g, near %t, backward error %.2g", tilt, r.Rank, r.Distance, r.NearSingular, r.BackwardError)
		requireBodiesBalance(t, p.Mechanism(), s, st)
	}
}

func requireBodiesBalance(t *testing.T, m *mechanism.Mechanism, s *kkt.Solver, st *mechanism.State) {
	t.Helper()
	k := systemOf(t, s).Kin
	f := loads(t, m, k, st)
	size := 1.0
	for j := range m.Joints {
		jt, w := &m.Joints[j], s.TotalWrench(j)
		size = max(size, check.MaxAbs(w[:]))
		var jk mechanism.JointKinematics
		m.JointTo(&jk, j, k, st)
		if jt.Succ >= 0 {
			f[jt.Succ] = f[jt.Succ].Add(w.Shift(k.Bodies[jt.Succ].Com.Sub(jk.ArmS)))
		}
		if jt.Pred >= 0 {
			f[jt.Pred] = f[jt.Pred].Sub(w.Shift(k.Bodies[jt.Pred].Com.Sub(jk.ArmP.Add(jk.R))))
		}
	}
	for i := range f {
		b, I := &m.Bodies[i], k.I[i]
		omega, alpha, a := st.Bodies[i].Omega, s.AngularAcceleration(i), s.ComAcceleration(i)
		hd := I.MulVec(alpha).Add(omega.Cross(I.MulVec(omega)))
		closeVec3(t, f[i].Moment(), hd, balanceTol, size, "moment on %s", m.BodyName(i))
		closeVec3(t, f[i].Linear(), a.Scale(b.Mass), balanceTol, size, "force on %s", m.BodyName(i))
	}
}

// loads returns the wrenches of gravity and force elements on all bodies, about
// their centres of mass.
func loads(t *testing.T, m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) []spatial.Force {
	t.Helper()
	// The forces of the mechanism less its drives and gyroscopic moments.
	rest := m.Unloaded()
	rest.Forces = m.Forces
	f := make([]spatial.Force, m.NumBodies())
	require.NoError(t, rest.ForcesTo(f, k, st))
	for i := range f {
		omega := st.Bodies[i].Omega
		h := omega.Cross(k.I[i].MulVec(omega))
		f[i] = f[i].Add(spatial.NewForce(h, spatial.Vec3{}))
	}
	return f
}

// balance holds the powers of a solution, W, and the sum of the magnitudes of
// their terms.
type balance struct {
	kinetic, others, drives, constraints, motions, size float64
}

func newBalance(t testing.TB, m *mechanism.Mechanism, s *kkt.Solver, st *mechanism.State) *balance {
	b := new(balance)
	add := func(sum *float64, x float64) {
		*sum += x
		b.size += math.Abs(x)
	}
	sys := systemOf(t, s)
	for i := range m.Bodies {
		omega := st.Bodies[i].Omega
		v := st.Bodies[i].Velocity.Add(omega.Cross(sys.Kin.Bodies[i].Com))
		I := sys.Kin.I[i]
		add(&b.kinetic, omega.Dot(I.MulVec(s.AngularAcceleration(i))))
		add(&b.kinetic, m.Bodies[i].Mass*v.Dot(s.ComAcceleration(i)))
		for c := range 3 {
			add(&b.others, omega[c]*sys.Right[6*i+c])
			add(&b.others, v[c]*sys.Right[6*i+3+c])
		}
	}
	for j := range m.Joints {
		var jk mechanism.JointKinematics
		var v spatial.Motion
		m.JointTo(&jk, j, sys.Kin, st)
		jk.RelativeVelocityTo(&v)
		c, a := s.ConstraintWrench(j), s.Reactions().AppliedWrench(j)
		add(&b.constraints, v.Dot(&c))
		add(&b.drives, v.Dot(&a))
		var lambda [6]float64
		row := m.Joints[j].Kind.Constraints()
		if n := s.Reactions().MultipliersTo(&lambda, j); n > row {
			for i := range m.Joints[j].Motion {
				if mo := m.Joints[j].Motion[i]; mo != nil {
					_, rate, _ := mo.At(st.Time)
					add(&b.motions, lambda[row]*rate)
					row++
				}
			}
		}
	}
	b.others -= b.drives // the system's right side has the drives
	return b
}

// TestHingeOutOfLineBalances turns a chain about the origin of its hinge to the world, so
// that this hinge alone is out of line: the constraint wrenches still carry what the bodies
// do, before and after a report.
func TestHingeOutOfLineBalances(t *testing.T) {
	p := newPlan(t, generate(t, "chain", 4, 1), 0)
	m := p.Mechanism()
	g, _ := p.Groups()
	require.NotNil(t, g)
	for _, tilt := range []float64{0, 1e-9, 1e-5, 1e-2} {
		st := p.Initial()
		turn := spatial.Exp(spatial.Vec3{tilt, -tilt, tilt / 2})
		o := m.Joints[0].P.Origin
		require.Negative(t, m.Joints[0].Pred)
		for i := range st.Bodies {
			b := &st.Bodies[i]
			b.Rotation = turn.Mul(b.Rotation)
			b.Position = o.Add(turn.Rotate(b.Position.Sub(o)))
			b.Omega, b.Velocity = turn.Rotate(b.Omega), turn.Rotate(b.Velocity)
		}
		s := p.NewSolver()
		require.NoError(t, s.Solve(st))
		requireBodiesBalance(t, m, s, st)
		report(t, s)
		requireBodiesBalance(t, m, s, st)
	}
}
