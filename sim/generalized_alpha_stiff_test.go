package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// slider is a body on a spring along a rail.
func slider(stiffness, damping float64) *model.Model {
	return &model.Model{
		Name: "slider",
		Bodies: []model.Body{{
			Name: "body", Mass: 2, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: model.Pose{Position: spatial.Vec3{2: 0.1}},
		}},
		Joints: []model.Joint{{
			Name: "rail", Type: model.Prismatic, Predecessor: model.World, Successor: "body",
			Stiffness: []float64{stiffness}, Damping: []float64{damping},
		}},
	}
}

// TestAlphaSpectralRadius sees what a step leaves of a vibration far beyond it: ρ∞, times a
// polynomial in the number of steps, as the matrix of amplification has a Jordan block there.
func TestAlphaSpectralRadius(t *testing.T) {
	for _, rho := range []float64{0.3, 0.5, 0.8, 0.95} {
		r := newImplicit(t, slider(2e14, 0)) // 1e7 rad/s
		_, s := r.run(sim.GeneralizedAlphaOptions{Rho: rho}, alone(0.01))
		amplitude := func() float64 { return math.Abs(s.State().Bodies[0].Position[2]) }
		n := math.Round(0.5 * math.Log(1e-11) / math.Log(rho)) // ends far above rounding
		require.NoError(t, s.Run(0.01*n))
		first := amplitude()
		require.NoError(t, s.Run(0.02*n))
		left := math.Pow(amplitude()/first, 1/n)
		some := math.Pow(16, 1/n)
		t.Logf("rho %v: %.3f a step", rho, left)
		assert.Greater(t, left, rho/some)
		assert.Less(t, left, rho*some)
	}
}

// TestAlphaSlowVibration keeps a vibration that the step resolves, the better the larger ρ∞ is.
func TestAlphaSlowVibration(t *testing.T) {
	r := newImplicit(t, slider(2, 0)) // 1 rad/s
	last := 0.0
	for _, rho := range []float64{0, 0.5, 0.9, 0.99} {
		_, s := r.run(sim.GeneralizedAlphaOptions{Rho: rho, Annihilate: rho == 0}, alone(2*math.Pi/50))
		require.NoError(t, s.Run(20*math.Pi))
		b := &s.State().Bodies[0]
		left := math.Hypot(b.Position[2], b.Velocity[2]) / 0.1
		assert.Greater(t, left, last, "rho %v", rho)
		assert.Less(t, left, 1.001)
		last = left
	}
	assert.Greater(t, last, 0.99)
}

// TestAlphaLinear solves a linear mechanism in one correction, whatever its springs are: the
// Newton matrix is exact there.
func TestAlphaLinear(t *testing.T) {
	for _, k := range []float64{0, 1, 1e4, 1e8, 1e12} {
		for _, d := range []float64{0, 10, 1e6} {
			r := newImplicit(t, slider(k, d))
			u, lambda := make([]float64, 6), make([]float64, r.dyn.Rows())
			du, dl := make([]float64, 6), make([]float64, r.dyn.Rows())
			const p, v, h = 2.5e-3, 0.05, 0.1
			st := r.mech.Initial()
			require.NoError(t, r.dyn.Linearize(st, p, v, 0))
			for n := range 2 {
				st.Bodies[0].Position[2], st.Bodies[0].Velocity[2] = 0.1+p*u[5], v*u[5]
				require.NoError(t, r.dyn.Correct(du, dl, st, u, lambda, p))
				if n == 1 {
					assert.Less(t, math.Abs(p*du[5]), 1e-14+1e-16*(k*p+d*v), "stiffness %v, damping %v", k, d)
				}
				for i := range u {
					u[i] += du[i]
				}
			}
			assert.InEpsilon(t, 1-k*0.1/(2+k*p+d*v), 1+u[5], 1e-9, "stiffness %v, damping %v", k, d)
		}
	}
}

// stiffPendulum is a rod on a pin with a bob that slides along it, on a stiff spring.
func stiffPendulum(stiffness, damping float64) *model.Model {
	along := model.Pose{Orientation: spatial.FromAxisAngle(spatial.Vec3{0, 1, 0}, math.Pi/2)}
	return &model.Model{
		Name: "stiff-pendulum", Gravity: spatial.Vec3{0, -9.81, 0},
		Bodies: []model.Body{
			{Name: "rod", Mass: 1, Com: spatial.Vec3{0.5}, Inertia: model.Inertia{XX: 0.01, YY: 0.08, ZZ: 0.08}},
			{Name: "bob", Mass: 1, Inertia: model.Inertia{XX: 0.01, YY: 0.01, ZZ: 0.01}, Pose: model.Pose{Position: spatial.Vec3{1}}},
		},
		Joints: []model.Joint{
			{Name: "pin", Type: model.Revolute, Predecessor: model.World, Successor: "rod"},
			{Name: "slide", Type: model.Prismatic, Predecessor: "rod", Successor: "bob", PredecessorFrame: along, SuccessorFrame: along},
		},
		Forces: []model.ForceElement{{
			Name: "spring", Type: model.SpringDamper, A: model.Attachment{Body: "rod"}, B: model.Attachment{Body: "bob"},
			Stiffness: stiffness, Damping: damping, RestLength: 1,
		}},
	}
}

// stiffRatio is how much longer the steps of the implicit method have to be.
const stiffRatio = 100

// TestAlphaStiff compares the steps for a pendulum whose bob hangs on a spring of 1e8 N/m with
// those of Dormand and Prince at errors that are no larger, of poses and velocities.
func TestAlphaStiff(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	r := newImplicit(t, stiffPendulum(1e8, 0))
	const until = 0.5
	exact := r.simulate(sim.DormandPrince(), 1e-9, sim.Options{Projector: r.proj})
	require.NoError(t, exact.Run(until))

	k, implicit := r.run(sim.GeneralizedAlphaOptions{Rho: sim.DefaultRho, Tolerance: sim.Tolerance{Relative: 1e-4}}, sim.Options{Projector: r.proj})
	require.NoError(t, implicit.Run(until))
	limit := distance(implicit.State(), exact.State())
	least := int64(math.MaxInt64)
	for _, tol := range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
		s := r.simulate(sim.DormandPrince(), tol, sim.Options{Projector: r.proj})
		require.NoError(t, s.Run(until))
		e := distance(s.State(), exact.State())
		t.Logf("Dormand-Prince, tolerance %g: %d steps, %d rejected, error %.2g", tol, s.Stats().Steps, s.Stats().Rejected, e)
		// The coarsest that is as good, and if none is, the finest.
		if least = s.Stats().Steps; e <= limit {
			break
		}
	}
	n := implicit.Stats()
	t.Logf("generalized-alpha: %d steps, %d rejected, %d evaluations, %d factorizations, error %.2g: steps %.0f times as long",
		n.Steps, n.Rejected, k.Evaluations(), k.Factorizations(), limit, float64(least)/float64(n.Steps))
	assert.Less(t, limit, 2e-2)
	assert.Greater(t, float64(least)/float64(n.Steps), float64(stiffRatio))
}

// hanging is a bob on a spring alone, which turns with it.
func hanging(stiffness, damping float64) *model.Model {
	return &model.Model{
		Name: "hanging", Gravity: spatial.Vec3{0, -9.81, 0},
		Bodies: []model.Body{{
			Name: "bob", Mass: 1, Com: spatial.Vec3{0.1}, Inertia: model.Inertia{XX: 0.01, YY: 0.01, ZZ: 0.01}, Pose: model.Pose{Position: spatial.Vec3{1}},
		}},
		Forces: []model.ForceElement{{
			Name: "spring", Type: model.SpringDamper, A: model.Attachment{Body: model.World}, B: model.Attachment{Body: "bob"},
			Stiffness: stiffness, Damping: damping, RestLength: 1,
		}},
	}
}

// TestAlphaStiffness takes the same steps whatever the spring is, up to stiffnesses at which it is a
// joint but for rounding, and with dampers; with a spring along a slide, and with one whose ends move
// across it.
func TestAlphaStiffness(t *testing.T) {
	for name, build := range map[string]func(k, d float64) *model.Model{"slide": stiffPendulum, "hanging": hanging} {
		var rigid *mechanism.State
		for _, k := range []float64{1e13, 1e12, 1e10, 1e8, 1e7} {
			for _, d := range []float64{0, 1e4} {
				r := newImplicit(t, build(k, d))
				a, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8}, sim.Options{Step: 0.005, Projector: r.proj})
				require.NoError(t, s.Run(1))
				if rigid == nil {
					rigid = s.State()
				}
				assert.Zero(t, s.Stats().Rejected)
				assert.Less(t, a.Evaluations(), int64(10*200))
				assert.Less(t, poseDistance(s.State(), rigid), 1e-9+1e4/k, "%s, stiffness %v, damping %v", name, k, d)
			}
		}
	}
}

// TestAlphaSpringAlongJoint has a spring that only the pin could stretch: the pivot of its row
// is smaller the stiffer the spring is, but the motion is the same.
func TestAlphaSpringAlongJoint(t *testing.T) {
	var rigid *mechanism.State
	for _, k := range []float64{0, 1e4, 1e8, 1e10, 1e12} {
		m := stiffPendulum(1e4, 0)
		m.Forces = append(m.Forces, model.ForceElement{
			Name: "idle", Type: model.SpringDamper, A: model.Attachment{Body: model.World},
			B: model.Attachment{Body: "rod", Point: spatial.Vec3{0.5}}, Stiffness: k, RestLength: 0.5,
		})
		_, s := newImplicit(t, m).run(sim.GeneralizedAlphaOptions{Rho: 0.8}, alone(0.01))
		require.NoError(t, s.Run(1), "stiffness %v", k)
		assert.Less(t, s.Stats().Worst.Position, 1e-10)
		assert.Less(t, s.Stats().Worst.Velocity, 1e-8)
		if rigid == nil {
			rigid = s.State()
		}
		assert.Less(t, poseDistance(s.State(), rigid), 1e-8, "stiffness %v", k)
	}
}

// TestAlphaSmallSteps: the matrix does not depend on the step, so poses and velocities are as
// good as ever when steps become short, and corrections as few: three a step, and for the velocities, whose errors of
// one sign would add up, one more in some steps. Of the accelerations
// rounding leaves ε/h², as the joints hold at position level.
func TestAlphaSmallSteps(t *testing.T) {
	r := newImplicit(t, open(t, "golden", "bricard-6r.model.json"))
	for _, h := range []float64{1e-4, 1e-5, 1e-6, 1e-7} {
		k, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8}, alone(h))
		require.NoError(t, s.Run(300*h))
		exact := r.exactly(t, 300*h, true)
		t.Logf("h %g: %d corrections, pose %.2g, velocity %.2g", h, k.Evaluations(), poseDistance(s.State(), exact), distance(s.State(), exact))
		assert.Less(t, poseDistance(s.State(), exact), h*h+1e-13)
		assert.Less(t, distance(s.State(), exact), 10*h*h+1e-10)
		assert.Less(t, k.Evaluations(), int64(3.5*300))
		assert.Less(t, s.Stats().Worst.Position, implicitPosition)
	}
}
