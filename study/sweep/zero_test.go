package sweep_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
)

// arms are two arms on the world with torsion springs, dampers and rotors, each of which a run may have without.
const arms = `{"format": "rung-model/1", "name": "arms", "gravity": [0, 0, -9.81],
 "bodies": [
  {"name": "a", "mass": 1, "com": [0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}},
  {"name": "b", "mass": 2, "com": [0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}, "pose": {"position": [0, 1, 0]}}],
 "joints": [
  {"name": "A", "type": "revolute", "predecessor": "world", "successor": "a", "stiffness": [3], "rest": [0.2], "damping": [0.1], "armature": [0.2]},
  {"name": "B", "type": "revolute", "predecessor": "world", "successor": "b", "predecessor_frame": {"position": [0, 1, 0]},
   "stiffness": [5], "rest": [9], "damping": [0.1], "turns": [1]}]}`

// TestNothingOfASpring: a rollout whose spring, damper or rotor is zero in some runs does these as rk4 does, or fails them by
// name. The springs of other joints keep their turns.
func TestNothingOfASpring(t *testing.T) {
	for _, c := range []struct{ path, failure string }{
		{path: "joints[A].stiffness[0]"}, {path: "joints[A].damping[0]"}, {path: "joints[A].rest[0]"},
		{"joints[A].armature[0]", "armature 0"},
	} {
		for _, column := range []string{"joint.B.q", "b.px"} {
			t.Run(fmt.Sprint(c.path, " ", column), func(t *testing.T) {
				results := map[string][]sweep.Result{}
				for _, integrator := range []string{"rk4", study.RolloutRungeKutta4} {
					s := &study.Study{
						Run:        study.Run{Until: 0.5, Step: 0.01, Every: 0.05, Integrator: integrator},
						Parameters: []study.Parameter{{Name: "x", Path: c.path, Law: study.Values, List: []float64{0.3, 0}}},
						Outputs:    []study.Output{{Name: "last", Column: column, Take: study.Final}},
					}
					w, err := sweep.New(s, "study", sweep.Source{Text: []byte(arms), Name: "arms"})
					require.NoError(t, err)
					results[integrator], err = w.Run(context.Background(), sweep.Options{})
					require.NoError(t, err)
				}
				for i, r := range results[study.RolloutRungeKutta4] {
					if i == 1 && c.failure != "" {
						require.ErrorContains(t, r.Err, c.failure)
						continue
					}
					require.NoError(t, r.Err)
					assert.InDelta(t, results["rk4"][i].Outputs[0], r.Outputs[0], sameMotion)
				}
			})
		}
	}
}

// sameMotion is what fifty steps of one method differ by where joints are closed at other times: a part of their error.
const sameMotion = 1e-8
