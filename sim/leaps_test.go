package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// noting notes a try that repeats the one before.
type noting struct {
	*sim.RungeKutta
	from, to float64
	repeated int
	tries    int
}

func (n *noting) Try(st *mechanism.State, t float64) (float64, error) {
	if n.tries++; st.Time == n.from && t == n.to {
		n.repeated++
	}
	n.from, n.to = st.Time, t
	return n.RungeKutta.Try(st, t)
}

// camsOf is a cam train, which is regular in all poses.
func camsOf(t *testing.T) *rig {
	t.Helper()
	m, err := bench.Generate("cam-train", 2, 1)
	require.NoError(t, err)
	return dynamicsOf(t, m)
}

// TestRegularStepsStayOpen: in regular poses, steps that are only inaccurate become shorter and their stages stay open. Four steps in ten
// were tried with closed stages, each three times, and the run took four times as long.
func TestRegularStepsStayOpen(t *testing.T) {
	r := camsOf(t)
	s := r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj})
	require.NoError(t, s.Run(0.05))
	n := s.Stats()
	t.Logf("%+v", n)
	require.Positive(t, n.Rejected)
	require.Zero(t, n.Careful)
}

// TestClosedStepsAreNotRepeated: a step that was rejected with closed stages is not tried the same way again.
func TestClosedStepsAreNotRepeated(t *testing.T) {
	r := camsOf(t)
	k := &noting{RungeKutta: r.rungeKutta(sim.DormandPrince(), 1e-8), from: -1}
	s := sim.New(r.mech, k, r.mech.Initial(), sim.Options{Projector: r.proj, CloseStages: true, InitialStep: 1e-3})
	require.NoError(t, s.Run(0.02))
	t.Logf("%d tries, %+v", k.tries, s.Stats())
	require.Positive(t, s.Stats().Careful)
	require.Zero(t, k.repeated)
}
