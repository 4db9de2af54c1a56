//rung:race
package live

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// energyKept is the part of the energy, and of the most kinetic energy, by which a live run may be off what error control keeps.
const energyKept = 0.01

// energyOf returns kinetic and all energy of a session's state.
func energyOf(t *testing.T, s *Session) (kinetic, all float64) {
	t.Helper()
	require.NoError(t, s.mech.KinematicsTo(s.kin, s.sim.State()))
	e := s.mech.EnergyAt(s.kin, s.sim.State())
	return e.Kinetic, e.Kinetic + e.Potential()
}

// TestEnergy: each family of the gallery moves for four seconds, every night for ten, and has the energy that runs with error control have, or the
// page keeps a note of what was lost.
func TestEnergy(t *testing.T) {
	check.Long(t)
	until := 4.0
	if check.More() > 1 {
		until = 10
	}
	for _, c := range []struct {
		family string
		n      int
		loses  bool // by dampers, contacts or drives: what error control finds is the measure
	}{
		{"scissor", 20, false}, {"scissor", 8, false}, {"miura", 5, true}, {"hoberman", 10, false}, {"hoberman-sphere", 3, false}, {"delta", 1, true},
		{"excavator", 1, true}, {"jansen", 3, true}, {"tracked", 6, true},
	} {
		t.Run(c.family, func(t *testing.T) {
			s, k := newTest(t, generate(t, c.family, c.n), Options{})
			most, first := energyOf(t, s)
			want := first
			for s.sim.State().Time-s.base < until && s.failure == "" {
				k.at = k.at.Add(frameTime)
				s.tick()
				kinetic, all := energyOf(t, s)
				most = max(most, kinetic)
				if off := math.Abs(all-first) / max(most, math.Abs(first)); !c.loses && s.trace.seen.Damped == 0 {
					require.Less(t, off, energyKept, "at %v s", s.sim.State().Time)
				}
			}
			require.Empty(t, s.failure)
			_, all := energyOf(t, s)
			if c.loses {
				want = controlled(t, s, s.sim.State().Time)
			}
			x := status{}
			s.trace.tell(&x)
			t.Logf("%s: %.6g J, want %.6g, most kinetic %.4g; damped %d, lost %.3g, passed %d", s.method.text, all, want, most, x.DampedAll, x.Lost, x.Passed)
			if math.Abs(all-want) > energyKept*max(math.Abs(want), most) {
				require.Positive(t, x.DampedAll, "lost without a note")
			}
		})
	}
}

// controlled returns the energy at a time of a run of dopri5 or generalized-α with tight error control.
func controlled(t *testing.T, s *Session, until float64) float64 {
	t.Helper()
	st := s.start.Clone()
	var r *sim.Simulation
	if s.mech.NumInternal() > 0 || s.method.rattle == nil {
		n := motion.NewNewton(s.plan)
		d := method{step: s.method.step, project: n}
		o, err := d.options(s.plan, st)
		require.NoError(t, err)
		r = sim.New(s.mech, sim.NewGeneralizedAlpha(s.mech, n, sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Relative: 1e-6}}), st, o)
	} else {
		d := motion.NewDynamics(s.plan)
		r = sim.New(s.mech, sim.NewRungeKutta(s.mech, d, sim.DormandPrince(), sim.Tolerance{}), st, sim.Options{Projector: d})
	}
	require.NoError(t, r.Run(until))
	require.NoError(t, s.mech.KinematicsTo(s.kin, r.State()))
	e := s.mech.EnergyAt(s.kin, r.State())
	return e.Kinetic + e.Potential()
}

// TestLossStays: what damped steps have taken is told until the run begins anew, with when it began.
func TestLossStays(t *testing.T) {
	s, k := newTest(t, generate(t, "ladder", 12), Options{})
	for i := range s.start.Bodies { // as one body about a vertical axis through a hang point, faster than steps can follow
		b := &s.start.Bodies[i]
		b.Velocity, b.Omega = b.Velocity.Scale(300), b.Omega.Scale(300)
	}
	require.NoError(t, s.reset())
	kinetic, first := energyOf(t, s)
	told := func() (x status) {
		x.Kinetic = kinetic
		s.trace.tell(&x)
		return x
	}
	require.Zero(t, told().DampedAll)
	for range 60 {
		k.at = k.at.Add(frameTime)
		s.tick()
		require.Empty(t, s.failure)
	}
	_, now := energyOf(t, s)
	x := told()
	t.Logf("%+v, %.4g J of %.4g J left", x, now, first)
	require.Positive(t, x.DampedAll)
	require.LessOrEqual(t, x.DampedAt, s.sim.State().Time)
	require.Greater(t, x.Lost, 0.5*(first-now)) // the rest is of other steps, which turn fast too
	require.GreaterOrEqual(t, x.Most, kinetic)

	s.apply(&Message{Type: "pause", page: s.pages[0]})
	require.Equal(t, x.DampedAll, told().DampedAll)
	s.apply(&Message{Type: "reset", page: s.pages[0]})
	require.Zero(t, told().DampedAll)
	require.Zero(t, told().Lost)
}
