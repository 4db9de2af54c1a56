package motion_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// dampedSphere is a sphere of inertia 1 kg m² on a ball joint with the dampers d, which spins with ω.
func dampedSphere(t *testing.T, d []float64, omega spatial.Vec3) *model.Model {
	t.Helper()
	b := rung.NewBuilder("sphere")
	solid, err := bodies.SolidSphere(2.5, 1)
	require.NoError(t, err)
	at := spatial.Vec3{1, 2, 3}
	ball := b.Body("ball", solid, rung.Place{Origin: at})
	b.Move(ball, spatial.Vec3{}, omega)
	b.Spherical("centre", rung.World, ball, at).Damping = d
	m, err := b.Model()
	require.NoError(t, err)
	m.Gravity = [3]float64{}
	return m
}

// TestDampedBall: a sphere of inertia I on a ball joint with damping d turns with ω =
// ω₀·exp(−d·t/I), and by each method its acceleration is −d·ω/I. With different dampers
// each component about an axis of the predecessor, the world, decays by itself.
func TestDampedBall(t *testing.T) {
	omega := spatial.Vec3{0.6, -1.2, 2}
	for _, d := range [][]float64{{0.3, 0.3, 0.3}, {0.1, 0.5, 0}} {
		want := func(time float64) spatial.Vec3 {
			v := omega
			for k := range v {
				v[k] *= math.Exp(-d[k] * time)
			}
			return v
		}
		p := newPlan(t, dampedSphere(t, d, omega), 0)
		for _, method := range motion.Methods() {
			t.Run(fmt.Sprintf("%v/%v", d, method), func(t *testing.T) {
				a := accelerationsBy(t, p, method)
				for k := range omega {
					check.Close(t, a[k], -d[k]*omega[k], 1, 1e-14, "acceleration")
				}
				mover, err := motion.New(p, method)
				require.NoError(t, err)
				s := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), mover, sim.DormandPrince(), sim.Tolerance{Relative: 1e-11}), p.Initial(), sim.Options{Projector: sim.NoProjector})
				require.NoError(t, s.Run(3))
				w, e := s.State().Bodies[0].Omega, want(3)
				check.CloseVec(t, w[:], e[:], 1, 1e-9, "angular velocity")
			})
		}
	}
	d := []float64{0.3, 0.3, 0.3}
	for _, method := range motion.Methods() { // the predecessor turns, and equal dampers do not care
		m := dampedSphere(t, d, omega)
		j := &m.Joints[0]
		j.Predecessor, j.Successor = j.Successor, j.Predecessor
		j.PredecessorFrame, j.SuccessorFrame = j.SuccessorFrame, j.PredecessorFrame
		a := accelerationsBy(t, newPlan(t, m, 0), method)
		for k := range omega {
			check.Close(t, a[k], -d[k]*omega[k], 1, 1e-14, "the world as successor, %v", method)
		}
	}
}

// TestStiffBallDamper: implicit steps of 10 ms with a damper whose time constant is a thousandth of that decay, and as
// on a hinge with the same damper.
func TestStiffBallDamper(t *testing.T) {
	const d, h = 1e5, 0.01
	var got [2]float64
	for i := range got {
		m := dampedSphere(t, []float64{d, d, d}, spatial.Vec3{0, 0, 2})
		if i == 1 {
			m.Joints[0].Type, m.Joints[0].Damping = model.Revolute, []float64{d}
		}
		q := newPlan(t, m, 0)
		n := motion.NewNewton(q)
		s := sim.New(q.Mechanism(), sim.NewGeneralizedAlpha(q.Mechanism(), n, sim.GeneralizedAlphaOptions{Annihilate: true, Fixed: true}), q.Initial(), sim.Options{Step: h, Projector: n})
		require.NoError(t, s.Run(10*h))
		got[i] = s.State().Bodies[0].Omega[2]
	}
	require.Less(t, math.Abs(got[0]), 1e-2, "it decays")
	check.Close(t, got[0], got[1], 1, 1e-9, "as a hinge")
}

// TestDampedBallsByAllMethods: with dampers on all balls, of loops and of the tree, all methods find the same
// accelerations, which differ from those without by what takes energy: the power of the change is −Σ d·ω².
func TestDampedBallsByAllMethods(t *testing.T) {
	count := 0
	for i, name := range []string{"stewart-6ups", "ball-ladder-5", "random-10", "random-30", "driven-mixed", "type-spherical", "type-sphere-in-cylinder"} {
		m := golden(t, name)
		n := modeltest.DampBalls(m, rand.New(rand.NewPCG(uint64(i), 3)))
		count += n
		require.Positive(t, n, name)
		p := newPlan(t, m, 0)
		want := accelerationsBy(t, p, motion.Sparse)
		for _, method := range motion.Methods()[1:] {
			check.CloseVec(t, accelerationsBy(t, p, method), want, springsTol, check.MaxAbs(want), "%s, %v", name, method)
		}
		require.InDelta(t, 1, power(t, m, true)/power(t, m, false), 1e-12, name)
	}
	require.Greater(t, count, 60)
}

// power returns what the dampers of balls take, W: by the wrenches that they put on the bodies, or as Σ d·ω².
func power(t *testing.T, m *model.Model, wrenches bool) (sum float64) {
	t.Helper()
	p := newPlan(t, m, 0)
	mech, st := p.Mechanism(), p.Initial()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	if wrenches {
		bare := *m
		bare.Joints = append([]model.Joint(nil), m.Joints...)
		for j := range bare.Joints {
			if jt := &bare.Joints[j]; jt.Kind().Freedoms() > 0 && !jt.Kind().Scalar(0) {
				jt.Damping = append([]float64{0, 0, 0}, jt.Damping[3:]...)
			}
		}
		with, without := make([]spatial.Force, mech.NumBodies()), make([]spatial.Force, mech.NumBodies())
		require.NoError(t, mech.AddAppliedTo(with, k, st))
		require.NoError(t, newPlan(t, &bare, 0).Mechanism().AddAppliedTo(without, k, st))
		for i := range with {
			var u [6]float64
			st.Bodies[i].ComVelocityTo(&u, &k.Bodies[i].Com)
			for n := range u {
				sum += (without[i][n] - with[i][n]) * u[n]
			}
		}
		return sum
	}
	var jk mechanism.JointKinematics
	var rate [6]float64
	for j := range m.Joints {
		jt := &mech.Joints[j]
		if m.Joints[j].Damping == nil || jt.Kind.Scalar(0) {
			continue
		}
		mech.JointTo(&jk, j, k, st)
		jt.RatesTo(&rate, &jk.Frames)
		for i := range 3 {
			sum += m.Joints[j].Damping[i] * rate[i] * rate[i]
		}
	}
	return sum
}
