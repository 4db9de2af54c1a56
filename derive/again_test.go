package derive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// TestStateSpaceAgain: a state space has the same bits whatever was computed before, also if that has failed, with numbers of columns
// below, at and above eight.
func TestStateSpaceAgain(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
	}{{"chain", 1}, {"chain", 4}, {"chain", 5}, {"nfourbar", 1}, {"stewart", 1}} {
		m, err := bench.Generate(c.family, c.n, 1)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		for inputs := range 2 {
			o := derive.StateSpaceOptions{}
			if inputs > 0 {
				o.Inputs = []mechanism.Freedom{{}}
			}
			plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
			fresh, used, st := derive.New(plan, m), derive.New(plan, m), plan.Initial()
			require.NoError(t, fresh.At(st))
			want, err := fresh.StateSpace(o)
			require.NoError(t, err)
			r := check.Rand(uint64(c.n))
			fast := st.Clone()
			for i := range fast.Bodies {
				for k := range 3 {
					fast.Bodies[i].Omega[k] += r.NormFloat64()
				}
			}
			if used.At(fast) != nil { // the velocities open loops
				require.NoError(t, used.At(st))
			}
			if _, err = used.StateSpace(o); c.family == "chain" {
				require.NoError(t, err)
			}
			in := used.NewDirections(11)
			for k := range 11 {
				for i := range st.Bodies {
					in.Body(k, i).Angular[k%3] = r.NormFloat64()
				}
			}
			if err := used.ForwardTo(used.NewChanges(11), in, derive.Options{AsGiven: true}); c.family == "chain" {
				require.NoError(t, err)
			}
			require.NoError(t, used.At(st))
			got, err := used.StateSpace(o)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s %d", c.family, c.n)
		}
	}
}
