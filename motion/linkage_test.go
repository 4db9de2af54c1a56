package motion_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// linkage is a four-bar of hinges in space that falls from rest: friction of bearings in a and c, bristles in b,
// regularised friction in d, and a stop at d.
func linkage(t testing.TB, change func(m *model.Model)) *rung.Plan {
	t.Helper()
	b := rung.NewBuilder("linkage").Gravity(0, -9.81, 0)
	z := spatial.Vec3{0, 0, 1}
	p := []spatial.Vec3{{0, 0}, {0.3, 0.8}, {1.5, 1.1}, {1.4, -0.1}}
	crank := b.Rod("crank", 1, 0.05, p[0], p[1])
	coupler := b.Rod("coupler", 2, 0.05, p[1], p[2])
	rocker := b.Rod("rocker", 1.5, 0.05, p[2], p[3])
	b.Revolute("a", rung.World, crank, p[0], z)
	b.Revolute("b", crank, coupler, p[1], z)
	b.Revolute("c", coupler, rocker, p[2], z)
	b.Revolute("d", rung.World, rocker, p[3], z)
	m, err := b.Model()
	require.NoError(t, err)
	bearing := model.Friction{Coefficient: 0.2, Radius: 0.03, Speed: 0.01}
	m.Joints[0].Friction = []model.Friction{bearing}
	m.Joints[1].Friction = []model.Friction{{Force: 0.3, Static: 1.4, Stribeck: 0.05, Hold: contact.Hold{Travel: 1e-3, Damping: 1}}}
	m.Joints[2].Friction = []model.Friction{bearing}
	m.Joints[3].Friction = []model.Friction{{Force: 0.2, Speed: 0.02}}
	m.Joints[3].Limits = []*model.Limit{{Lower: -0.2, Upper: 1.1, Stop: model.Stop{Normal: contact.Normal{Stiffness: 500, Exponent: 1, Dissipation: 0.3}}}}
	if change != nil {
		change(m)
	}
	return planOf(t, m)
}

// TestLinkageMethods: accelerations and reactions of a redundant loop
// with all of it agree by all methods, where it moves and at its stop.
func TestLinkageMethods(t *testing.T) {
	plan := linkage(t, nil)
	s := runExplicit(plan, 1e-8, sim.Options{Projector: sim.NoProjector})
	n := 6 * plan.Mechanism().NumBodies()
	for _, until := range []float64{0, 0.1, 0.3, 0.5} {
		require.NoError(t, s.Run(until))
		var want []float64
		var loads []float64
		for _, method := range motion.Methods() {
			d, err := motion.New(plan, method)
			require.NoError(t, err)
			a, load := make([]float64, n), make([]float64, 2)
			require.NoError(t, d.Accelerations(a, s.State()))
			require.NoError(t, d.(sim.Bearer).BearingsTo(load, s.State()))
			if want == nil {
				want, loads = a, load
			}
			for i := range a {
				assert.InDelta(t, want[i], a[i], 1e-9, "%v at %v", method, until)
			}
			assert.InDeltaSlice(t, loads, load, 1e-9)
			r, err := compare.Accelerate(plan, method, s.State())
			require.NoError(t, err)
			for _, j := range r.Joints {
				assert.InDelta(t, j.TotalWrench.Moment[2]-j.ConstraintWrench.Moment[2], j.TotalWrench.Moment[2], 1e-9, "a hinge has no constraint moment about its axis")
			}
		}
	}
}

// TestLinkageRuns: generalized-α comes to the motion of dopri5, with
// energy and what joints take in balance, through the strike at the stop.
func TestLinkageRuns(t *testing.T) {
	check.Long(t)
	plan := linkage(t, nil)
	mech := plan.Mechanism()
	energy := func(st *mechanism.State) float64 {
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, st))
		e := mech.EnergyAt(k, st)
		return e.Kinetic + e.Potential()
	}
	before := energy(plan.Initial())
	changes := 0
	stops := sim.NewStops(mech, nil, func(int, sim.StopChange, *mechanism.State) error { changes++; return nil })
	exact := runExplicit(plan, 1e-10, sim.Options{Projector: sim.NoProjector, Events: stops.Events()})
	require.NoError(t, exact.Run(1.2))
	assert.Positive(t, changes)
	assert.InDelta(t, before, energy(exact.State())+exact.DissipatedByJoints(), 1e-6*exact.DissipatedByJoints())
	assert.Greater(t, exact.DissipatedByJoints(), 0.1)
	last := math.Inf(1)
	for _, tol := range []float64{1e-5, 1e-7} {
		s := runImplicit(plan, tol, 0, sim.Options{Projector: sim.NoProjector})
		require.NoError(t, s.Run(1.2))
		off := 0.0
		for i := range s.State().Bodies {
			off = max(off, s.State().Bodies[i].Position.Sub(exact.State().Bodies[i].Position).Norm())
		}
		assert.Less(t, off, math.Cbrt(tol*tol)) // the errors of a step are of third order, and those of a run of second
		assert.Less(t, off, last/4)
		last = off
		assert.InDelta(t, before, energy(s.State())+s.DissipatedByJoints(), 1e-3*exact.DissipatedByJoints())
	}
}

// TestLinkageResumes: a run that ends at any step and goes on from its checkpoint in new memory has the same bits, by
// both kinds of methods, with bristles, bearings and impulses.
func TestLinkageResumes(t *testing.T) {
	check.Long(t)
	plan := linkage(t, func(m *model.Model) {
		m.Joints[3].Limits[0].Stop.Restitution, m.Joints[3].Limits[0].Stop.ImpactSpeed = 0.4, 0.1
	})
	for name, run := range map[string]func(o sim.Options, st *mechanism.State) *sim.Simulation{
		"dopri5":            func(o sim.Options, st *mechanism.State) *sim.Simulation { return runExplicit(plan, 1e-6, o, st) },
		"generalized-alpha": func(o sim.Options, st *mechanism.State) *sim.Simulation { return runImplicit(plan, 1e-4, 0, o, st) },
		"fixed steps":       func(o sim.Options, st *mechanism.State) *sim.Simulation { return runImplicit(plan, 0, 4e-3, o, st) },
	} {
		start := func() *sim.Simulation {
			stops := sim.NewStops(plan.Mechanism(), motion.NewDynamics(plan), nil)
			st := plan.Initial()
			require.NoError(t, stops.Arm(st))
			return run(sim.Options{Projector: sim.NoProjector, Events: stops.Events()}, st)
		}
		whole := start()
		require.NoError(t, whole.Run(1))
		assert.Positive(t, whole.Fired(0), name)
		s := start()
		for n := 1; n <= 12; n++ {
			require.NoError(t, s.Run(float64(n)/12))
			c, err := s.Checkpoint()
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "run.ckpt")
			require.NoError(t, sim.WriteCheckpoint(file, c))
			next := start()
			read, err := sim.ReadCheckpoint(file)
			require.NoError(t, err)
			require.NoError(t, next.Restore(read))
			s = next
		}
		parts := start() // the same ends of steps without checkpoints
		for n := 1; n <= 12; n++ {
			require.NoError(t, parts.Run(float64(n)/12))
		}
		assert.Equal(t, parts.State().Bodies, s.State().Bodies, name)
		assert.Equal(t, parts.State().Internal, s.State().Internal, name)
	}
}

// TestLinkageAllocations: steps allocate nothing.
func TestLinkageAllocations(t *testing.T) {
	plan := linkage(t, nil)
	d := motion.NewDynamics(plan)
	g := sim.NewGeneralizedAlpha(plan.Mechanism(), motion.NewNewton(plan), sim.GeneralizedAlphaOptions{Fixed: true})
	r := sim.NewRungeKutta(plan.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{})
	for name, k := range map[string]sim.Stepper{"generalized-alpha": g, "dopri5": r} {
		st := plan.Initial()
		st.Internal = make([]float64, plan.Mechanism().NumInternal())
		_, err := k.Try(st, 1e-3)
		require.NoError(t, err)
		assert.Zero(t, testing.AllocsPerRun(20, func() {
			k.Restart()
			if _, err := k.Try(st, 1e-3); err != nil {
				t.Error(err)
			}
		}), name)
	}
}
