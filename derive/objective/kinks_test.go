package objective_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
)

// swinging is the reference pendulum with a stop, friction, and a spring given by a table at its pin.
func swinging(t *testing.T, law string) string {
	t.Helper()
	return strings.Replace(text(t, "pendulum"), `"force": [0.4],`, `"force": [0.4],
   "limits": [{"lower": -2, "upper": 0.3, "stop": {"stiffness": 2e3}}], "friction": [0.02],
   "springs": [{"kind": "table", "at": [-1, -0.1, 1], "forces": [-3, -0.1, 1.5]`+law+`}],`, 1)
}

// TestKinks counts corners of forces over a run: of a stop, of friction, and of a table of straight lines.
func TestKinks(t *testing.T) {
	run := runs.Options{Until: 3, Step: 0.005, Integrator: runs.RungeKutta4}
	o := &objective.Objective{At: objective.AtRun, Run: run, Terms: terms("link1.px"), Parameters: by("bodies[0].mass")}
	for _, law := range []string{`, "interpolation": "linear"`, ``, `, "outside": "level"`} {
		text := swinging(t, law)
		m, err := model.Read(strings.NewReader(text), "m.json")
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		rest := m.Joints[0].Rest[0]
		want := map[string]int64{}
		var last [3]bool
		begun := false
		o2 := run
		see := func(st *mechanism.State) {
			q, rate := mech.Coordinate(mechanism.Freedom{}, st)
			now := [3]bool{q > 0.3, rate > 0, q-rest > -0.1}
			if law != `, "interpolation": "linear"` {
				now[2] = q-rest > -1
			}
			for i, name := range []string{"stop", "friction", "table"} {
				if begun && now[i] != last[i] {
					want[name]++
				}
			}
			last, begun = now, true
		}
		plan := kkt.NewPlan(mech, kkt.Options{})
		see(plan.Initial())
		o2.OnStep = func(s *runs.Simulation) error { see(s.State()); return nil }
		s, err := runs.New(plan, o2)
		require.NoError(t, err)
		require.NoError(t, s.Run(run.Until))
		if law == `` {
			delete(want, "table") // it has no corners
		}
		assert.Greater(t, want["stop"], int64(1))
		assert.Greater(t, want["friction"], int64(1))
		r, err := of(t, o, text)
		require.NoError(t, err)
		got := map[string]int64{}
		for _, k := range r.Run.Kinks {
			assert.Equal(t, `joint "pin1"`, k.Name)
			got[k.What] = k.Count
		}
		assert.Equal(t, want, got, law)
		value, err := problemOf(t, o, text, 3).Value(context.Background())
		require.NoError(t, err)
		assert.Equal(t, r.Run.Kinks, value.Run.Kinks)
	}
	r, err := of(t, o, text(t, "pendulum"))
	require.NoError(t, err)
	assert.Empty(t, r.Run.Kinks)
}
