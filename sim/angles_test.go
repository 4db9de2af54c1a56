package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// wound returns a disc on a torsion spring with q̈ = −k·(q − rest), of the given joint: a
// revolute one, or one with an angle among others, turned and counted either way.
func wound(kind model.JointType, flipped bool, k, rest, omega float64) *model.Model {
	frame := model.Pose{Orientation: [4]float64{math.Sqrt2 / 2, math.Sqrt2 / 2}} // z along −y
	j := model.Joint{
		Name: "axle", Type: kind, Predecessor: model.World, Successor: "disc", PredecessorFrame: frame, SuccessorFrame: frame,
		Stiffness: make([]float64, kind.Freedoms()), Rest: make([]float64, kind.Freedoms()),
	}
	axis := spatial.Vec3{0, -1, 0}
	if kind == model.Universal {
		axis = spatial.Vec3{1, 0, 0}
	}
	if flipped {
		j.Predecessor, j.Successor = j.Successor, j.Predecessor
		axis = axis.Scale(-1)
	}
	j.Stiffness[0], j.Rest[0] = 2*k, rest
	return &model.Model{
		Name:   "wound",
		Bodies: []model.Body{{Name: "disc", Mass: 1, Inertia: model.Inertia{XX: 2, YY: 2, ZZ: 1.5}, Velocity: model.Velocity{Angular: axis.Scale(omega)}}},
		Joints: []model.Joint{j},
	}
}

// TestWoundSprings turns a disc on a torsion spring over several turns both ways, against
// q = rest + a·sin(ωt + φ), and resumes it from within, to the bit.
func TestWoundSprings(t *testing.T) {
	check.Long(t)
	const k, rest, omega, until = 1.5, 0.7, 20, 6.
	freq := math.Sqrt(k)
	amp := math.Hypot(rest, omega/freq)
	require.Greater(t, amp, 5*math.Pi/2)
	speed := func(t float64) float64 { return rest*freq*math.Sin(freq*t) + omega*math.Cos(freq*t) }
	for _, kind := range []model.JointType{model.Revolute, model.Cylindrical, model.Planar, model.Universal} {
		for _, flipped := range []bool{false, true} {
			if testing.Short() && flipped != (kind == model.Cylindrical || kind == model.Planar) {
				continue // each type one way round
			}
			m := wound(kind, flipped, k, rest, omega)
			for _, c := range []struct {
				tol  float64
				make func() (*sim.Simulation, *memory)
			}{
				{1e-6, func() (*sim.Simulation, *memory) {
					r, rec := newRig(t, m), &memory{}
					return r.simulate(sim.DormandPrince(), 1e-9, sim.Options{Projector: r.proj, Recorder: rec, Every: 0.05}), rec
				}},
				{1e-6, func() (*sim.Simulation, *memory) {
					r, rec := newRig(t, m), &memory{}
					return r.simulate(sim.RungeKutta4(), 0, sim.Options{Projector: r.proj, Step: 2e-3, CloseStages: true, Recorder: rec, Every: 0.05}), rec
				}},
				{2e-2, func() (*sim.Simulation, *memory) {
					r, rec := newImplicit(t, m), &memory{}
					_, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.9}, sim.Options{Projector: sim.NoProjector, Step: 2e-3, Recorder: rec, Every: 0.05})
					return s, rec
				}},
			} {
				whole, rec := c.make()
				require.NoError(t, whole.Run(until))
				require.InDelta(t, speed(until), whole.State().Bodies[0].Omega.Dot(m.Bodies[0].Velocity.Angular)/omega, c.tol*omega, "%v, flipped %t", kind, flipped)
				require.Less(t, rec.energyDrift(nil), c.tol, "%v, flipped %t", kind, flipped)

				part, _ := c.make()
				require.NoError(t, part.Run(1.3)) // wound over two turns
				marked, err := part.Checkpoint()
				require.NoError(t, err)
				require.NotEmpty(t, marked.Angles)
				require.InDelta(t, rest-rest*math.Cos(freq*1.3)+omega/freq*math.Sin(freq*1.3), marked.Angles[0], 0.05)
				require.NoError(t, part.Run(until))
				rest, _ := c.make()
				require.NoError(t, rest.Restore(marked))
				require.NoError(t, rest.Run(until))
				require.Equal(t, part.State(), rest.State())
			}
		}
	}
}

// TestCounterRotation winds a spring between two discs that turn against each other, with
// steps so long that together they could turn by more than half a turn in one.
func TestCounterRotation(t *testing.T) {
	m := wound(model.Revolute, false, 1, 0, 40)
	other := m.Bodies[0]
	other.Name, other.Velocity.Angular = "other", spatial.Vec3(other.Velocity.Angular).Scale(-1)
	m.Bodies = append(m.Bodies, other)
	m.Joints[0].Predecessor = "other"
	r := newRig(t, m)
	s := r.simulate(sim.DormandPrince(), 0.1, sim.Options{Projector: sim.NoProjector})
	require.NoError(t, s.Run(2))
	freq := math.Sqrt2 // half the inertia, of one relative to the other
	require.InDelta(t, 80*math.Cos(2*freq), s.State().Bodies[1].Omega[1]-s.State().Bodies[0].Omega[1], 8)
	require.InDelta(t, 80/freq*math.Sin(2*freq), s.State().Angles[0], 6)
}

// TestAnglesDoNotAllocate: following angles is part of every step.
func TestAnglesDoNotAllocate(t *testing.T) {
	r := golden(t, "springs")
	require.Positive(t, r.mech.NumSprung())
	s := r.simulate(sim.RungeKutta4(), 0, sim.Options{Projector: sim.NoProjector, Step: 1e-4})
	require.NoError(t, s.Run(1e-3))
	until := 1e-3
	require.Zero(t, testing.AllocsPerRun(20, func() {
		until += 1e-4
		require.NoError(t, s.Run(until))
	}))
	check.Close(t, s.State().Time, until, 1e-12, 1, "time")
}
