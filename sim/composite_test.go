package sim_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// lossless returns m with springs alone.
func lossless(m *model.Model) *model.Model {
	for i := range m.Joints {
		m.Joints[i].Force, m.Joints[i].Damping = nil, nil
	}
	return m
}

// TestCompositeEnergy holds energy and constraints of random mechanisms
// of composite joints with loops and springs, by both kinds of methods.
func TestCompositeEnergy(t *testing.T) {
	check.Long(t)
	seeds := []uint64{13, 7, 5, 9, 4, 12, 16, 21}
	for _, seed := range seeds {
		const tol = 1e-7
		m := lossless(modeltest.Composites(seed, 3+int(seed%3), 1+int(seed%2)))
		r := newRig(t, m)
		rec := &memory{}
		s := r.simulate(sim.DormandPrince(), tol, sim.Options{Projector: r.proj, Recorder: rec, Every: 0.1})
		if err := s.Run(3); seed == 4 {
			// One chain of axes is stretched as far as it goes: S loses its rank there, and the joint is named.
			require.ErrorIs(t, err, joints.ErrSingular)
			require.ErrorContains(t, err, `joint "j3"`)
			require.Greater(t, s.State().Time, 1.5)
			assert.Less(t, rec.energyDrift(nil), 50*tol, m.Name)
			continue
		} else {
			require.NoError(t, err, m.Name)
		}
		t.Logf("%s: %+v, energy %.3g, drift %+v, turned %.3g", m.Name, s.Stats(), rec.energyDrift(nil), rec.drift, farthest(s.State()))
		assert.Less(t, rec.energyDrift(nil), 50*tol, m.Name)
		assert.Less(t, max(rec.drift.Position, rec.drift.Velocity), driftTol, m.Name)

		i := newImplicit(t, m)
		rec = &memory{}
		_, a := i.run(sim.GeneralizedAlphaOptions{Rho: 0.9, Tolerance: sim.Tolerance{Relative: 1e-6}}, sim.Options{Projector: i.proj, Recorder: rec, Every: 0.1})
		require.NoError(t, a.Run(1), m.Name)
		t.Logf("%s: implicit %+v, energy %.3g", m.Name, a.Stats(), rec.energyDrift(nil))
		assert.Less(t, rec.energyDrift(nil), 1e-3, m.Name)
		assert.Less(t, max(rec.drift.Position, rec.drift.Velocity), driftTol, m.Name)
	}
}

// farthest returns the largest coordinate of a composite joint.
func farthest(st *mechanism.State) (most float64) {
	for _, q := range st.Angles {
		most = max(most, math.Abs(q))
	}
	return most
}

// TestCompositesMoveAsTypes runs reference models as they are and with composite joints in place of all types that they
// can be, over whole turns of wound springs.
func TestCompositesMoveAsTypes(t *testing.T) {
	check.Long(t)
	for _, name := range []string{"springs", "type-universal", "type-helical-loop", "type-cylindrical", "type-planar", "four-bar", "slider-crank-spatial", "driven-mixed"} {
		m := open(t, "golden", name+".model.json")
		c, _ := modeltest.AsComposites(m)
		const tol, until = 1e-10, 0.5
		var ends [2]*mechanism.State
		for i, m := range [...]*model.Model{m, c} {
			r := newRig(t, m)
			s := r.simulate(sim.DormandPrince(), tol, sim.Options{Projector: r.proj})
			require.NoError(t, s.Run(until), name)
			ends[i] = s.State()
		}
		assert.Less(t, distance(ends[0], ends[1]), 1e3*tol*(1+speed(ends[0])), name)
	}
}

func speed(st *mechanism.State) (most float64) {
	for i := range st.Bodies {
		most = max(most, st.Bodies[i].Velocity.Norm(), st.Bodies[i].Omega.Norm())
	}
	return most
}

// disc is a model of one body that hangs from the world by a joint.
func disc(j model.Joint) *model.Model {
	m := model.New("disc")
	m.Bodies = []model.Body{{Name: "disc", Mass: 2, Com: [3]float64{0, 0, -0.3}, Inertia: model.Inertia{XX: 0.02, YY: 0.03, ZZ: 0.04}}}
	j.Name, j.Predecessor, j.Successor = "joint", model.World, "disc"
	m.Joints = []model.Joint{j}
	return m
}

// TestWoundComposite winds a torsion spring on the first axis of a
// composite joint over many turns, as on a cylindrical joint.
func TestWoundComposite(t *testing.T) {
	check.Long(t)
	typ := disc(model.Joint{Type: model.Cylindrical, Stiffness: []float64{0.05, 300}, Rest: []float64{40, -0.1}})
	typ.Bodies[0].Com = [3]float64{}
	own, _ := modeltest.AsComposites(typ)
	r := newRig(t, own)
	// The angle is rest − rest·cos ωt with ω² = k/I.
	omega := math.Sqrt(0.05 / 0.04)
	s := r.simulate(sim.DormandPrince(), 1e-10, sim.Options{Projector: r.proj})
	require.NoError(t, s.Run(math.Pi/omega))
	require.InDelta(t, 80, s.State().Angles[0], 1e-6)
	i := newImplicit(t, own)
	_, a := i.run(sim.GeneralizedAlphaOptions{Rho: 0.95}, sim.Options{Projector: i.proj, Step: 1e-3})
	require.NoError(t, a.Run(math.Pi/omega))
	require.InDelta(t, 80, a.State().Angles[0], 1e-2)
}

// TestThroughGimbalLock swings a pendulum on three axes that meet through
// poses at which they depend on each other: it moves as on a ball.
func TestThroughGimbalLock(t *testing.T) {
	check.Long(t)
	axes := []joints.Axis{
		{Kind: joints.Revolute, Axis: spatial.Vec3{1}}, {Kind: joints.Revolute, Axis: spatial.Vec3{0, 1}}, {Kind: joints.Revolute, Axis: spatial.Vec3{0, 0, 1}},
	}
	for _, w := range [][3]float64{{0, 9, 0}, {0.3, 9, 0.2}, {1e-3, 9, 0}, {3, 10, -4}} {
		gimbal, ball := disc(model.Joint{Type: model.Composite, Axes: axes}), disc(model.Joint{Type: model.Spherical})
		const tol, until = 1e-9, 6
		gimbal.Bodies[0].Velocity.Angular, ball.Bodies[0].Velocity.Angular = w, w
		g, b := newRig(t, gimbal), newRig(t, ball)
		rec := &memory{}
		least, locks, last := math.Inf(1), 0, 0.0
		s := g.simulate(sim.DormandPrince(), tol, sim.Options{Projector: g.proj, Recorder: rec, Every: 0.05, OnStep: func(s *sim.Simulation) error {
			c := math.Cos(s.State().Angles[1])
			if least = min(least, math.Abs(c)); c*last < 0 {
				locks++
			}
			last = c
			return nil
		}})
		require.NoError(t, s.Run(until), "%v", w)
		free := b.simulate(sim.DormandPrince(), tol, sim.Options{Projector: b.proj})
		require.NoError(t, free.Run(until))
		t.Logf("%v: %d times through the lock, least cosine %.3g, energy %.3g, difference %.3g", w, locks, least, rec.energyDrift(nil), distance(s.State(), free.State()))
		assert.Less(t, rec.energyDrift(nil), 50*tol)
		assert.Less(t, distance(s.State(), free.State()), 1e-5, "%v", w)
	}
	// At the lock itself a step cannot begin, and the error says where.
	locked := disc(model.Joint{Type: model.Composite, Axes: axes})
	locked.Bodies[0].Pose.Orientation = spatial.FromAxisAngle(spatial.Vec3{0, 1, 0}, math.Pi/2)
	r := newRig(t, locked)
	s := r.simulate(sim.DormandPrince(), 1e-6, sim.Options{Projector: sim.NoProjector})
	err := s.Run(1)
	require.ErrorIs(t, err, joints.ErrSingular)
	require.ErrorContains(t, err, `joint "joint"`)
}

// TestCompositeResume continues from checkpoints to the bit.
func TestCompositeResume(t *testing.T) {
	check.Long(t)
	fresh := func(onStep func(*sim.Simulation) error) [2]*sim.Simulation {
		m := modeltest.Composites(6, 4, 1)
		r := newRig(t, m)
		i := newImplicitOn(t, m, 2)
		_, implicit := i.run(sim.GeneralizedAlphaOptions{Rho: 0.7, Tolerance: sim.Tolerance{Relative: 1e-5}}, sim.Options{Projector: i.proj, OnStep: onStep})
		return [2]*sim.Simulation{r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj, OnStep: onStep}), implicit}
	}
	wholes := fresh(nil)
	for k, whole := range wholes {
		require.NoError(t, whole.Run(0.5))
		kills := []int64{7, 1, 15}
		for _, kill := range kills {
			part := fresh(func(s *sim.Simulation) error {
				if s.Stats().Steps == kill {
					return errKilled
				}
				return nil
			})[k]
			require.ErrorIs(t, part.Run(0.5), errKilled)
			c, err := part.Checkpoint()
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "run.json")
			require.NoError(t, sim.WriteCheckpoint(path, c))
			c, err = sim.ReadCheckpoint(path)
			require.NoError(t, err)
			rest := fresh(nil)[k]
			require.NoError(t, rest.Restore(c))
			require.NoError(t, rest.Run(0.5))
			require.Equal(t, whole.State(), rest.State(), "after %d", kill)
			require.Equal(t, whole.Stats(), rest.Stats())
		}
	}
}
