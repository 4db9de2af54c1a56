package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// sliding is a block on four feet that slides down a slope, 1 mm above it at first.
func sliding(slope, speed, mu float64) *model.Model {
	const radius, mass = 0.05, 3.0
	s, c := math.Sincos(slope)
	m := model.New("block")
	m.Terrains = []model.Terrain{{Name: "slope", Type: model.PlaneTerrain, Normal: [3]float64{s, 0, c}}}
	height := 0.1 + radius + 0.001
	m.Bodies = []model.Body{{Name: "block", Mass: mass, Inertia: model.Inertia{XX: 0.05, YY: 0.06, ZZ: 0.07},
		Pose:     model.Pose{Position: [3]float64{s * height, 0, c * height}, Orientation: [4]float64{math.Cos(slope / 2), 0, math.Sin(slope / 2), 0}},
		Velocity: model.Velocity{Linear: [3]float64{speed * c, 0, -speed * s}}}}
	law := contact.Law{
		Normal:   contact.Normal{Stiffness: 1e5, Exponent: 1.5, Dissipation: 3},
		Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{mu, mu}, SlipSpeed: 0.01},
	}
	for i, name := range []string{"a", "b", "c", "d"} {
		foot := spatial.Vec3{0.2 - 0.4*float64(i%2), 0.15 - 0.3*float64(i/2), -0.1}
		m.Forces = append(m.Forces, model.ForceElement{Name: name, Type: model.ContactForce, A: model.Attachment{Body: "block"},
			Contact: &model.Contact{Terrain: "slope", Shape: contact.Shape{Type: contact.Sphere, Radius: radius, Center: foot}, Law: law}})
	}
	return m
}

// energyOf returns the energy of a state.
func energyOf(t *testing.T, m *mechanism.Mechanism, st *mechanism.State) float64 {
	t.Helper()
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	e := m.EnergyAt(k, st)
	return e.Kinetic + e.Potential()
}

// TestDissipated: what a block loses that falls on a slope, slides and comes to creep is the integral of the power of
// its contacts, with all methods and as far as their tolerance goes; and it creeps with v_s·tan α/√(μ² − tan²α).
func TestDissipated(t *testing.T) {
	check.Long(t)
	const slope, speed, mu, until = 0.3, 1.5, 0.6, 1.5
	p, err := rung.NewPlan(sliding(slope, speed, mu), kkt.Options{})
	require.NoError(t, err)
	m := p.Mechanism()
	require.False(t, m.Conservative())
	require.True(t, m.ConservativeButContacts())
	o := sim.Options{Projector: sim.NoProjector, Dissipation: true, Events: sim.ContactEvents(m, nil)}
	implicit, _ := damped(p, 0, 1e-8, o)
	d := motion.NewDynamics(p)
	o.Projector = d
	explicit := sim.New(m, sim.NewRungeKutta(m, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-9}), p.Initial(), o)
	for _, c := range []struct {
		name string
		s    *sim.Simulation
		off  float64 // of the energy that is lost: about what the method loses of its own in a conservative motion
	}{{"dopri5", explicit, 1e-8}, {"generalized-alpha", implicit, 1e-5}} {
		before := energyOf(t, m, c.s.State())
		require.NoError(t, c.s.Run(until))
		lost := before - energyOf(t, m, c.s.State())
		v := c.s.State().Bodies[0].Velocity.Norm()
		t.Logf("%s: %d steps; lost %.12g J, dissipated %.12g J, off by %.2g; %.9g m/s", c.name, c.s.Stats().Steps, lost, c.s.Dissipated(), c.s.Dissipated()/lost-1, v)
		assert.Greater(t, lost, 3.0, c.name)
		assert.InDelta(t, lost, c.s.Dissipated(), c.off*lost, c.name)
		assert.InDelta(t, 0.01*math.Tan(slope)/math.Sqrt(mu*mu-math.Tan(slope)*math.Tan(slope)), v, 1e-6, c.name)
	}
	// Nothing is added up where it is not wanted.
	o.Dissipation = false
	off := sim.New(m, sim.NewRungeKutta(m, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-9}), p.Initial(), o)
	require.NoError(t, off.Run(0.1))
	require.Zero(t, off.Dissipated())
	require.Positive(t, explicit.Stats().Steps)
}

// TestDissipationChangesNothing: the motion has the same bits with it, also where steps are given up in the middle and
// done again, which adds nothing.
func TestDissipationChangesNothing(t *testing.T) {
	const until = 0.3
	p, err := rung.NewPlan(sliding(0.3, 1.5, 0.6), kkt.Options{})
	require.NoError(t, err)
	m := p.Mechanism()
	run := func(on bool, fails int) *sim.Simulation {
		d := motion.NewDynamics(p)
		left := fails
		o := sim.Options{Dissipation: on, Projector: d, Events: sim.ContactEvents(m, func(int, bool, *mechanism.State) error {
			if left > 0 {
				left--
				return assert.AnError
			}
			return nil
		})}
		s := sim.New(m, sim.NewRungeKutta(m, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-8}), p.Initial(), o)
		for range fails {
			require.ErrorIs(t, s.Run(until), assert.AnError)
		}
		require.NoError(t, s.Run(until))
		return s
	}
	with, again, without := run(true, 0), run(true, 2), run(false, 0)
	require.Equal(t, without.State(), with.State())
	require.Equal(t, with.State(), again.State())
	require.Equal(t, with.Dissipated(), again.Dissipated())
	require.Positive(t, with.Dissipated())
}

// TestDissipationDoesNotAllocate: the work of contacts is added up in the memory that is there.
func TestDissipationDoesNotAllocate(t *testing.T) {
	for name, friction := range grounds(t) {
		p, err := rung.NewPlan(wheelOn(t, friction), kkt.Options{})
		require.NoError(t, err)
		s, _ := damped(p, 1e-3, 0, sim.Options{Projector: sim.NoProjector, Dissipation: true})
		until := 0.3
		require.NoError(t, s.Run(until)) // it has touched
		require.Zero(t, testing.AllocsPerRun(5, func() {
			until += 0.01
			if e := s.Run(until); e != nil {
				err = e
			}
		}), name)
		require.NoError(t, err)
		require.NotZero(t, s.Dissipated(), name)
	}
}
