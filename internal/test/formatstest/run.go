package formatstest

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// Run closes the loops of m, simulates m for a time, and requires that the loops stay closed. If conserved is set, the
// energy may change by at most 1e-7 of the larger of 1 J and the largest kinetic energy.
func Run(t *testing.T, m *model.Model, seconds float64, conserved bool) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long run")
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	st := plan.Initial()
	closer := closing.NewCloser(plan, closing.Options{})
	require.NoError(t, closer.ClosePositions(st))
	require.NoError(t, closer.ProjectVelocities(st))
	d := motion.NewDynamics(plan)
	method := sim.NewRungeKutta(plan.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{})
	run := sim.New(plan.Mechanism(), method, st, sim.Options{Projector: d})
	begin, most := math.NaN(), 0.0
	for k := range 11 {
		if k > 0 {
			require.NoError(t, run.Run(seconds*float64(k)/10))
		}
		c := *m
		c.Bodies, c.Joints = slices.Clone(m.Bodies), slices.Clone(m.Joints)
		rung.SetState(&c, plan.Mechanism(), run.State())
		r, err := rung.Accelerate(&c, rung.Options{})
		require.NoError(t, err)
		for _, j := range r.Joints {
			require.Less(t, j.PositionResidual, 1e-9, "joint %s", j.Name)
			require.Less(t, j.VelocityResidual, 1e-8, "joint %s", j.Name)
		}
		energy := r.Energy.Kinetic + r.Energy.Potential
		most = max(most, r.Energy.Kinetic)
		if k == 0 {
			begin = energy
		} else if conserved {
			require.Less(t, math.Abs(energy-begin), 1e-7*max(most, 1), "energy at %g s", seconds*float64(k)/10)
		}
		if k == 10 {
			t.Logf("energy %.9g to %.9g J, kinetic at most %.3g J", begin, energy, most)
		}
	}
}

// Along gives the bodies of m random velocities that its joints allow, simulates m for a time, and calls each with m in
// the first state and in five later states.
func Along(t *testing.T, m *model.Model, seconds float64, each func(m *model.Model)) {
	t.Helper()
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	st := plan.Initial()
	closer := closing.NewCloser(plan, closing.Options{})
	require.NoError(t, closer.ClosePositions(st))
	require.Less(t, closer.Closing().Before, 1e-9, "the state of the file is closed")
	r := check.Rand(43)
	for i := range st.Bodies {
		for c := range 3 {
			st.Bodies[i].Omega[c], st.Bodies[i].Velocity[c] = r.NormFloat64(), r.NormFloat64()
		}
	}
	require.NoError(t, closer.ProjectVelocities(st))
	run, err := rung.NewSimulation(plan, rung.SimulationOptions{Until: seconds, Tolerance: 1e-10, From: st})
	require.NoError(t, err)
	const samples = 5
	for k := range samples + 1 {
		if k > 0 {
			require.NoError(t, run.Run(seconds*float64(k)/samples))
		}
		c := *m
		c.Bodies, c.Joints = slices.Clone(m.Bodies), slices.Clone(m.Joints)
		rung.SetState(&c, plan.Mechanism(), run.State())
		each(&c)
	}
}
