package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// TestCallbackPanics: a panic of what the caller has given to a simulation reaches the caller of Run, and the next Run
// goes on to the bits of a run without it.
func TestCallbackPanics(t *testing.T) {
	r := newRig(t, freeTop())
	for _, name := range []string{"OnStep", "Sample", "Function", "Action"} {
		run := func(at string) (*sim.Simulation, bool) {
			calls, panicked := 0, false
			call := func(who string) {
				if calls++; who == at && calls > 5 && !panicked {
					panicked = true
					panic("user " + who)
				}
			}
			s := r.simulate(sim.DormandPrince(), 0, sim.Options{
				OnStep:      func(*sim.Simulation) error { call("OnStep"); return nil },
				Controllers: []sim.Controller{{Period: 0.01, Sample: func(*mechanism.State) error { call("Sample"); return nil }}},
				Events: []sim.Event{{
					Name:     "tick",
					Function: func(st *mechanism.State) float64 { call("Function"); return st.Time - 0.055 },
					Action:   func(*mechanism.State) (sim.Response, error) { call("Action"); return sim.Continue, nil },
				}},
			})
			if at != "" {
				require.PanicsWithValue(t, "user "+at, func() { _ = s.Run(0.1) })
			}
			require.NoError(t, s.Run(0.1))
			return s, panicked
		}
		want, _ := run("")
		got, panicked := run(name)
		require.True(t, panicked, name)
		require.Equal(t, want.State(), got.State(), name)
	}
}
