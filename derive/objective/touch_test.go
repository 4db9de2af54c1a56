package objective_test

import (
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

// dropped is a ball that falls onto the ground and bounces, while a rope holds it from above at times.
const dropped = `{"format": "rung-model/1", "name": "ball", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "ball", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0, 0, 1]}}],
 "terrains": [{"name": "ground", "type": "plane", "normal": [0, 0, 1]}],
 "forces": [
  {"name": "foot", "type": "contact", "body": "ball", "terrain": "ground", "shape": {"type": "sphere", "radius": 0.1},
   "normal": {"stiffness": 2e4LAW}},
  {"name": "rope", "type": "cable", "stiffness": 200, "rest_length": 1.5,
   "points": [{"body": "world", "point": [0, 0, 2]}, {"body": "ball", "point": [0, 0, 0]}]}
 ]}`

// TestTouches counts how often a contact touches or separates, and a cable goes slack or taut. A contact whose force jumps as it touches
// has no gradient.
func TestTouches(t *testing.T) {
	run := runs.Options{Until: 2, Step: 0.002, Integrator: runs.RungeKutta4}
	o := &objective.Objective{At: objective.AtRun, Run: run, Terms: terms("ball.pz"), Parameters: by("bodies[0].mass")}
	text := strings.Replace(dropped, "LAW", ``, 1)
	m, err := model.Read(strings.NewReader(text), "m.json")
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	want, last, begun := map[string]int64{}, [2]bool{}, false
	see := func(st *mechanism.State) {
		z := st.Bodies[0].Position[2]
		now := [2]bool{z < 0.1, 2-z > 1.5}
		for i, name := range []string{"contact", "cable"} {
			if begun && now[i] != last[i] {
				want[name]++
			}
		}
		last, begun = now, true
	}
	run.OnStep = func(s *runs.Simulation) error { see(s.State()); return nil }
	s, err := runs.New(plan, run)
	require.NoError(t, err)
	see(s.State())
	require.NoError(t, s.Run(run.Until))
	require.Greater(t, want["contact"], int64(2))
	require.Greater(t, want["cable"], int64(2))
	r, err := of(t, o, text)
	require.NoError(t, err)
	got := map[string]int64{}
	for _, k := range r.Run.Kinks {
		got[k.What] = k.Count
		assert.Equal(t, map[string]string{"contact": `force "foot"`, "cable": `force "rope"`}[k.What], k.Name)
	}
	assert.Equal(t, want, got)

	_, err = of(t, o, strings.Replace(dropped, "LAW", `, "law": "linear", "damping": 30`, 1))
	require.ErrorIs(t, err, objective.ErrNotDifferentiable)
	require.ErrorContains(t, err, `contact force "foot": its force jumps`)
	_, err = of(t, o, strings.Replace(dropped, "LAW", `, "law": "linear"`, 1))
	require.NoError(t, err, "it has a corner alone")
}
