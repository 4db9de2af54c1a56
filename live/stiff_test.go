package live

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// geared is a light body on a spring with a damper along a slide, which a coupling holds to a heavy wheel: x = radius·angle.
func geared(mass, inertia, stiffness, damping, radius float64) *model.Model {
	one := model.Pose{Orientation: [4]float64{1}}
	return &model.Model{
		Name: "geared",
		Bodies: []model.Body{
			{Name: "light", Mass: mass, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: one},
			{Name: "wheel", Mass: 1, Inertia: model.Inertia{XX: inertia, YY: inertia, ZZ: inertia}, Pose: one},
		},
		Joints: []model.Joint{
			{Name: "slide", Type: model.Prismatic, Predecessor: model.World, Successor: "light", PredecessorFrame: one, SuccessorFrame: one,
				Stiffness: []float64{stiffness}, Damping: []float64{damping}},
			{Name: "axle", Type: model.Revolute, Predecessor: model.World, Successor: "wheel", PredecessorFrame: one, SuccessorFrame: one},
		},
		Couplings: []model.Coupling{{Name: "gear", Terms: []model.CouplingTerm{
			{Coupled: model.Coupled{Joint: "slide"}, Factor: 1}, {Coupled: model.Coupled{Joint: "axle"}, Factor: -radius},
		}}},
	}
}

// TestStiffAlongMotions: springs and dampers count with the masses that joints give them to move, not with those of their bodies alone.
func TestStiffAlongMotions(t *testing.T) {
	const (
		mass, inertia, stiffness, damping, radius = 0.01, 4., 3e4, 10., 0.02
		along                                     = mass + inertia/(radius*radius) // 10000 kg
		tol                                       = 1e-6                           // differences of forces over 1e-6
	)
	p, err := rung.NewPlan(geared(mass, inertia, stiffness, damping, radius), kkt.Options{})
	require.NoError(t, err)
	st := p.Initial()
	s := newPowerMethod(p, st)
	require.NotNil(t, s)
	value, ok := s.largest(s.displace)
	require.True(t, ok)
	require.InEpsilon(t, stiffness/along, value, tol)
	value, ok = s.largest(s.change)
	require.True(t, ok)
	require.InEpsilon(t, damping/along, value, tol)

	const h = 1. / 240
	require.Equal(t, maybeStiff, stiffnessOf(p.Mechanism(), h))
	require.False(t, stiff(p, st, h, true))
	require.True(t, stiff(p, st, h, false))
	require.Equal(t, notStiff, stiffnessOf(p.Mechanism(), 1e-7))
	for name, c := range map[string]struct{ stiffness, damping float64 }{
		"spring": {1.2 * softAlong * along / (h * h), 0}, "damper": {0, 1.2 * softAlong * along / h},
	} {
		p, err := rung.NewPlan(geared(mass, inertia, c.stiffness, c.damping, radius), kkt.Options{})
		require.NoError(t, err)
		require.True(t, stiff(p, p.Initial(), h, true), name)
		require.False(t, stiff(p, p.Initial(), h/2, true), name)
	}
}

// TestMethods: large rows of cams with springs are moved by RATTLE, hydraulic cylinders and contacts by implicit steps, as are springs of
// small machines; wheels that roll by explicit ones.
func TestMethods(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
		text   string
	}{
		{"cam-train", 60, "RATTLE"}, {"valve-train", 60, "RATTLE"}, {"jansen", 3, "generalized-α"}, {"excavator", 1, "generalized-α"},
		{"tracked", 1, "generalized-α"}, {"bicycle", 1, "Dormand–Prince"},
	} {
		s, _ := newTest(t, generate(t, c.family, c.n), Options{})
		require.Contains(t, s.method.text, c.text, c.family)
		require.Equal(t, c.text == "generalized-α", s.method.even, c.family)
	}
}

// TestSheetInTime: velocities of a folded sheet that is pulled close without a factor of all rows.
func TestSheetInTime(t *testing.T) {
	s, c := newTest(t, generate(t, "miura", check.Few(16, 10)), Options{})
	last := s.mech.NumBodies() - 1
	at := s.shown.Bodies[last].Position.Sub(s.center)
	for k := range 60 {
		sin, cos := math.Sincos(math.Pi * float64(k) / 60)
		s.apply(&Message{Type: "pull", Body: last, Vector: at.Add(spatial.Vec3{sin, 1 - cos, sin}.Scale(0.3)), page: s.pages[0]})
		c.at = c.at.Add(frameTime)
		s.tick()
	}
	require.Empty(t, s.failure)
	stats := s.method.rattle.Stats()
	t.Logf("%+v", stats)
	require.Less(t, 50*stats.Whole, stats.Steps)
}

// TestCamsInTime: cams that RATTLE moves, though their springs are stiff beside the followers alone, keep the energy of the drive.
func TestCamsInTime(t *testing.T) {
	s, c := newTest(t, generate(t, "cam-train", check.Few(60, 20)), Options{})
	k := s.mech.NewKinematics()
	energy := func() float64 {
		require.NoError(t, s.mech.KinematicsTo(k, s.sim.State()))
		e := s.mech.EnergyAt(k, s.sim.State())
		angle, _ := s.mech.Coordinate(mechanism.Freedom{}, s.sim.State())
		return e.Kinetic + e.Potential() - 5*angle // the torque on the first piece of the shaft
	}
	was := energy()
	for range 30 {
		c.at = c.at.Add(frameTime)
		s.tick()
	}
	require.Empty(t, s.failure)
	require.Zero(t, s.method.rattle.Stats().Damped)
	require.InEpsilon(t, was, energy(), 1e-3)
}
