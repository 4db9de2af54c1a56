package sim_test

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// sameBranch is the angle, rad, by which links that the branch keeps parallel may differ in rounding at distances
	// from the flat pose of a part of a step. The other branch is off by one.
	sameBranch = 1e-9
	// keepsEnergy is the largest change of the energy in a hundred passes, relative to the largest kinetic energy, in
	// units of the tolerance: a hundred swings of twenty steps with random errors.
	keepsEnergy = 30
	// moreSteps is the factor of the number of steps in a decade, at most; 10^(1/5) = 1.58 in theory.
	moreSteps = 1.75
)

// flat is a mechanism that goes through flat poses, and how to look at it.
type flat struct {
	*rig
	swings  float64 // s for a hundred passes
	kinetic float64 // largest, J
	worst   float64 // apart so far
	apart   func(st *mechanism.State) (angle float64)
	side    func(st *mechanism.State) float64 // its sign changes in flat poses
}

// axis returns the direction of a link.
func axis(st *mechanism.State, body int) spatial.Vec3 {
	return st.Bodies[body].Rotation.Rotate(spatial.Vec3{1, 0, 0})
}

func flats(t testing.TB) map[string]*flat {
	return map[string]*flat{
		"parallelogram": {
			rig: dynamicsOf(t, open(t, "hard", "sim-parallelogram.json")), swings: 25, kinetic: 160,
			apart: func(st *mechanism.State) float64 { return axis(st, 1)[1] },
			side:  func(st *mechanism.State) float64 { return axis(st, 0)[1] },
		},
		"rhombus": {
			rig: dynamicsOf(t, open(t, "hard", "sim-rhombus.json")), swings: 90, kinetic: 40,
			apart: func(st *mechanism.State) float64 {
				return max(axis(st, 0).Cross(axis(st, 3)).Norm(), axis(st, 1).Cross(axis(st, 2)).Norm())
			},
			side: func(st *mechanism.State) float64 { return axis(st, 0).Cross(axis(st, 2))[2] },
		},
	}
}

// dynamicsOf returns a rig with a motion.Dynamics.
func dynamicsOf(t testing.TB, m *model.Model) *rig {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	d := motion.NewDynamics(p)
	return &rig{p.Mechanism(), d, d}
}

// swing is a run of f to the time T that stays on its branch. It returns the number of passes and the largest change of
// the energy, J.
func (f *flat) swing(t *testing.T, stepper sim.Stepper, T, step float64) (s *sim.Simulation, passes int, energy float64) {
	first, last := math.NaN(), 0.0
	k := f.mech.NewKinematics()
	s = sim.New(f.mech, stepper, f.mech.Initial(), sim.Options{Projector: f.proj, Step: step, OnStep: func(s *sim.Simulation) error {
		st := s.State()
		f.worst = max(f.worst, math.Abs(f.apart(st)))
		require.Less(t, f.worst, sameBranch, "t = %v", st.Time)
		now := f.side(st)
		if now*last < 0 {
			passes++
		}
		last = now
		if err := f.mech.KinematicsTo(k, st); err != nil {
			return err
		}
		e := f.mech.EnergyAt(k, st)
		sum := e.Kinetic + e.Potential()
		if math.IsNaN(first) {
			first = sum
		}
		energy = max(energy, math.Abs(sum-first))
		return nil
	}})
	require.NoError(t, s.Run(T))
	return s, passes, energy
}

// TestFlatPoses: a hundred passes on one branch, at tolerances down to 1e-12, with an energy that becomes
// better with the tolerance and no more steps than the order asks for.
func TestFlatPoses(t *testing.T) {
	check.Long(t)
	for name, f := range flats(t) {
		t.Run(name, func(t *testing.T) {
			tolerances, T := []float64{1e-8, 1e-9, 1e-10, 1e-11, 1e-12}, f.swings
			var lastEnergy, lastTol float64
			var lastSteps int64
			for i, tol := range tolerances {
				s, passes, energy := f.swing(t, f.rungeKutta(sim.DormandPrince(), tol), T, 0)
				n := s.Stats()
				t.Logf("tolerance %g: %d passes, energy %.3g J, %.2g rad from parallel, %+v", tol, passes, energy, f.worst, n)
				assert.GreaterOrEqual(t, passes, 100)
				assert.Zero(t, n.Undecided)
				assert.Less(t, n.Rejected, n.Steps/10)
				assert.Less(t, energy, keepsEnergy*tol*f.kinetic)
				if i > 0 {
					decades := math.Log10(lastTol / tol)
					assert.Less(t, energy, lastEnergy)
					assert.Less(t, float64(n.Steps), float64(lastSteps)*math.Pow(moreSteps, decades))
				}
				lastTol, lastEnergy, lastSteps = tol, energy, n.Steps
			}
		})
	}
}

// TestLeastTolerance: a tolerance below rounding counts as 1e-13. Steps became shorter without end.
func TestLeastTolerance(t *testing.T) {
	check.Long(t)
	const least = 1e-13
	for name, f := range flats(t) {
		k := f.rungeKutta(sim.DormandPrince(), 1e-16)
		require.InEpsilon(t, least, k.Relative(), 1e-15)
		s, passes, energy := f.swing(t, k, f.swings/20, 0)
		t.Logf("%s: %d passes, energy %.3g J, %+v", name, passes, energy, s.Stats())
		assert.Less(t, energy, 10*keepsEnergy*least*f.kinetic)
		assert.Less(t, s.Stats().Rejected, s.Stats().Steps/10)
	}
}

// TestFlatPosesFixed: fixed steps keep the branch too, and the energy falls with a power of the step.
func TestFlatPosesFixed(t *testing.T) {
	check.Long(t)
	for name, f := range flats(t) {
		t.Run(name, func(t *testing.T) {
			T, last := f.swings/10, math.Inf(1)
			for _, h := range []float64{4e-3, 2e-3, 1e-3} {
				s, passes, energy := f.swing(t, f.rungeKutta(sim.RungeKutta4(), 0), T, h)
				t.Logf("step %g: %d passes, energy %.3g J, %+v", h, passes, energy, s.Stats())
				assert.Less(t, energy, last/8)
				assert.InDelta(t, T, s.State().Time, 1e-12)
				last = energy
			}
		})
	}
}

// TestFlatPosesImplicit: generalized-α has no stages between the ends of steps, and keeps the branch as it is.
func TestFlatPosesImplicit(t *testing.T) {
	for _, name := range check.Some([]string{"sim-parallelogram", "sim-rhombus"}, 2) {
		r := newImplicit(t, open(t, "hard", name+".json"))
		f := flats(t)[name[len("sim-"):]]
		f.rig = r.rig
		last := math.Inf(1)
		for _, h := range []float64{2e-3, 1e-3} {
			s, passes, energy := f.swing(t, r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.8, Fixed: true}), f.swings/10, h)
			t.Logf("%s, step %g: %d passes, energy %.3g J, %+v", name, h, passes, energy, s.Stats())
			assert.Less(t, energy, last/3)
			last = energy
		}
	}
}

// TestBricardFixed: the Bricard linkage is movable only by its geometry, so that fixed steps have their order only if
// their stages are closed, which they are without being asked for.
func TestBricardFixed(t *testing.T) {
	check.Long(t)
	const T = 2
	r := dynamicsOf(t, open(t, "hard", "sim-bricard.json"))
	exact := r.simulate(sim.DormandPrince(), 1e-12, sim.Options{Projector: r.proj})
	require.NoError(t, exact.Run(T))
	for i, tab := range tableaux {
		var e [3]float64
		for k := range e {
			s := r.simulate(tab, 0, sim.Options{Projector: r.proj, Step: [...]float64{0.02, 0.04}[i] / float64(int(1)<<k)})
			require.NoError(t, s.Run(T))
			e[k] = distance(s.State(), exact.State())
		}
		measured(t, tab.Order, e)
	}
	open := r.simulate(sim.RungeKutta4(), 0, sim.Options{Projector: r.proj, Step: 1e-2, OpenStages: true})
	if err := open.Run(T); err == nil {
		assert.Greater(t, distance(open.State(), exact.State()), 1e-2)
	}
}

// TestUndecided: a parallelogram at rest in its flat pose may go either
// way, and the run says so; one that comes with speed has its branch.
func TestUndecided(t *testing.T) {
	for _, c := range []struct {
		speed     float64
		undecided bool
	}{{0, true}, {1, false}, {12, false}} {
		s := flatStart(t, c.speed)
		require.NoError(t, s.Run(0.3))
		t.Logf("%v rad/s: %+v", c.speed, s.Stats())
		assert.Equal(t, c.undecided, s.Stats().Undecided > 0)
		assert.Less(t, s.Stats().UndecidedAt, 1e-3)
	}
}

// flatStart is a run of the parallelogram, its coupler heavy on one side, from the flat pose.
func flatStart(t *testing.T, speed float64) *sim.Simulation {
	m := open(t, "hard", "sim-parallelogram.json")
	a, c, d := &m.Bodies[0], &m.Bodies[1], &m.Bodies[2]
	c.Mass, c.Com[0] = 3, 0.3
	a.Pose.Orientation, d.Pose.Orientation = [4]float64{1, 0, 0, 0}, [4]float64{0, 0, 0, 1}
	c.Pose.Position, d.Pose.Position = [3]float64{1, 0, 0}, [3]float64{3, 0, 0}
	a.Velocity.Angular[2], d.Velocity.Angular[2] = speed, speed
	c.Velocity.Linear, d.Velocity.Linear = [3]float64{0, speed, 0}, [3]float64{0, speed, 0}
	r := dynamicsOf(t, m)
	return r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj})
}

// errPause ends a run after a step.
var errPause = errors.New("pause")

// TestFlatPosesResumed continues from a checkpoint after every step through a flat pose, to the bit.
func TestFlatPosesResumed(t *testing.T) {
	check.Long(t)
	const T = 0.16 // the flat pose is at 0.127 s
	for _, c := range []struct {
		tab  *sim.Tableau
		step float64
	}{{sim.DormandPrince(), 0}, {sim.RungeKutta4(), 2e-3}} {
		run := func(onStep func(*sim.Simulation) error) *sim.Simulation {
			r := dynamicsOf(t, open(t, "hard", "sim-parallelogram.json"))
			return r.simulate(c.tab, 1e-10, sim.Options{Projector: r.proj, Step: c.step, OnStep: onStep})
		}
		whole := run(nil)
		require.NoError(t, whole.Run(T))
		require.Positive(t, whole.Stats().Singular)
		parts := run(func(*sim.Simulation) error { return errPause })
		for parts.State().Time < T {
			require.ErrorIs(t, parts.Run(T), errPause)
			mark, err := parts.Checkpoint()
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "mark")
			require.NoError(t, sim.WriteCheckpoint(path, mark))
			mark, err = sim.ReadCheckpoint(path)
			require.NoError(t, err)
			parts = run(func(*sim.Simulation) error { return errPause })
			require.NoError(t, parts.Restore(mark))
		}
		require.Equal(t, whole.State(), parts.State())
		require.Equal(t, whole.Stats(), parts.Stats())
	}
}

// TestSingularStepsWithoutAllocation: steps over flat poses allocate nothing either.
func TestSingularStepsWithoutAllocation(t *testing.T) {
	for _, step := range []float64{0, 2e-3} {
		tab := sim.DormandPrince()
		if step > 0 {
			tab = sim.RungeKutta4()
		}
		r := dynamicsOf(t, open(t, "hard", "sim-parallelogram.json"))
		s := r.simulate(tab, 1e-8, sim.Options{Projector: r.proj, Step: step})
		require.NoError(t, s.Run(0.2))
		before := s.Stats().Singular
		until := s.State().Time
		allocs := testing.AllocsPerRun(4, func() {
			until += 0.3
			_ = s.Run(until)
		})
		require.Greater(t, s.Stats().Singular, before)
		require.Zero(t, allocs)
	}
}

// TestQuickLead: over flat poses and between them a run with Quick keeps its energy as one without does, with an evaluation less for each
// end that has been projected, but not for those that have been projected to rounding, next to the flat poses.
func TestQuickLead(t *testing.T) {
	const tol, samples = 1e-8, 20
	for name, f := range flats(t) {
		run := func(quick bool) (evaluations int64, n sim.Stats) {
			k, kin := f.rungeKutta(sim.DormandPrince(), tol), f.mech.NewKinematics()
			s := sim.New(f.mech, k, f.mech.Initial(), sim.Options{Projector: f.proj, Quick: quick})
			first := 0.0
			for i := range samples {
				require.NoError(t, s.Run(f.swings/10*float64(i)/samples))
				require.NoError(t, f.mech.KinematicsTo(kin, s.State()))
				e := f.mech.EnergyAt(kin, s.State())
				if i == 0 {
					first = e.Kinetic + e.Potential()
				}
				require.InDelta(t, first, e.Kinetic+e.Potential(), keepsEnergy*tol*f.kinetic/10, name)
			}
			return k.Evaluations(), s.Stats()
		}
		whole, _ := run(false)
		less, n := run(true)
		require.Greater(t, n.Singular, int64(40), name)
		require.Greater(t, n.Projections, 2*n.Singular, name)
		require.InDelta(t, whole-n.Projections, less, float64(n.Singular)/2, name) // rounding may let a step more or less do
	}
}

// TestQuickFixed: with fixed steps, whose errors nothing bounds, Quick keeps the order of the method, adds a small part of its errors, and
// saves an evaluation for each end that has been projected.
func TestQuickFixed(t *testing.T) {
	const T, steps = 0.5, 80
	r, tab := golden(t, "spinning-top"), sim.DormandPrince()
	run := func(tol float64, o sim.Options) (*sim.Simulation, int64) {
		k := r.rungeKutta(tab, tol)
		o.Projector, o.Drift = r.proj, sim.Drift{Position: roundedDrift, Velocity: roundedDrift}
		s := sim.New(r.mech, k, r.mech.Initial(), o)
		require.NoError(t, s.Run(T))
		return s, k.Evaluations()
	}
	exact, _ := run(selfTol, sim.Options{})
	var e [3]float64
	for i := range e {
		step := T / float64(int(steps)<<i)
		whole, evaluations := run(0, sim.Options{Step: step})
		quick, less := run(0, sim.Options{Step: step, Quick: true})
		e[i] = distance(quick.State(), exact.State())
		require.Less(t, distance(quick.State(), whole.State()), quickAdds*e[i])
		require.Equal(t, evaluations-quick.Stats().Projections, less)
		require.Greater(t, quick.Stats().Projections, int64(steps)/2)
	}
	measured(t, tab.Order, e)
}

// roundedDrift is so small that almost every end is projected.
const roundedDrift = 1e-15

// quickAdds is the part of the error of a run that comes from Quick, at most, for steps that turn bodies by a tenth of a radian.
const quickAdds = 0.1
