package objective_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
)

// text returns the text of a model of the reference.
func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(reference, name+".model.json"))
	require.NoError(t, err)
	return string(b)
}

// of differentiates an objective of a model.
func of(t *testing.T, o *objective.Objective, model string) (*objective.Result, error) {
	t.Helper()
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: []byte(model), Name: "m.json"})
	require.NoError(t, err)
	return p.Gradient(context.Background())
}

// changed returns the text of a model in which one number, under key in an entry of list, has changed by by.
func changed(t *testing.T, text, list string, entry int, key string, by float64) string {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	e := m[list].([]any)[entry].(map[string]any)
	e[key] = e[key].(float64) + by
	b, err := json.Marshal(m)
	require.NoError(t, err)
	return string(b)
}

func terms(columns ...string) (list []objective.Term) {
	for _, c := range columns {
		list = append(list, objective.Term{Name: c, Column: c, Weight: 1, Power: 1})
	}
	return list
}

// TestPendulum has closed forms: with the inertia I about the pin, q̈ changes by 1/I for a unit of force, and the real part of the
// eigenvalues of small vibrations by −1/(2I) for a unit of damping.
func TestPendulum(t *testing.T) {
	const tol = 1e-10
	m := text(t, "pendulum")
	o := &objective.Objective{
		At: objective.AtState, Terms: terms("joint.pin1.qdd"),
		Parameters: []objective.Parameter{{Name: "force", Paths: []string{"joints[pin1].force[0]"}}},
	}
	r, err := of(t, o, m)
	require.NoError(t, err)
	I := 1 / r.Parameters[0].Gradient
	o = &objective.Objective{
		At: objective.AtModes, Terms: terms("mode.1.frequency", "mode.1.re", "mode.1.im"),
		Parameters: []objective.Parameter{
			{Name: "k", Paths: []string{"joints[pin1].stiffness[0]"}}, {Name: "d", Paths: []string{"joints[pin1].damping[0]"}},
		},
	}
	r, err = of(t, o, m)
	require.NoError(t, err)
	re := r.Terms[1].Value
	assert.InEpsilon(t, -1/(2*I), r.Parameters[1].Terms[1], 1e-8, "the real part is −d/2I")
	omega := 2 * math.Pi * r.Terms[0].Value
	assert.InEpsilon(t, omega, math.Hypot(re, r.Terms[2].Value), tol)
}

// TestRunsDifference compares gradients of runs with fixed steps with differences of the same runs: for one parameter, two tied parameters,
// and motions that are driven.
func TestRunsDifference(t *testing.T) {
	const h, tol = 1e-4, 1e-7 // differences of order 2
	for name, column := range map[string]string{"driven-mixed": "joint.m2.q0", "springs": "joint.close.qd3", "gear-pair": "joint.ja.q"} {
		t.Run(name, func(t *testing.T) {
			m := text(t, name)
			var names struct{ Bodies []struct{ Name string } }
			require.NoError(t, json.Unmarshal([]byte(m), &names))
			last := names.Bodies[len(names.Bodies)-1].Name
			o := &objective.Objective{
				At: objective.AtRun, Run: runs.Options{Until: 0.1, Integrator: runs.RungeKutta4, Step: 0.005},
				Terms: append(terms(column, last+".qx"), objective.Term{
					Name: "way", Column: last + ".py", Take: objective.Integral, Weight: 3, Target: 0.2, Power: 2,
				}),
				Parameters: []objective.Parameter{
					{Name: "mass", Paths: []string{"bodies[" + last + "].mass"}},
					{Name: "both", Paths: []string{"bodies[0].mass", "bodies[" + last + "].mass"}},
				},
			}
			r, err := of(t, o, m)
			require.NoError(t, err)
			i := len(names.Bodies) - 1
			for k, entries := range [][]int{{i}, {0, i}} {
				var values [2][]objective.TermResult
				for side, by := range [2]float64{h, -h} {
					changedModel := m
					for _, e := range entries {
						changedModel = changed(t, changedModel, "bodies", e, "mass", by)
					}
					moved, err := of(t, o, changedModel)
					require.NoError(t, err)
					values[side] = moved.Terms
				}
				for j := range values[0] {
					want := (values[0][j].Value - values[1][j].Value) / (2 * h)
					assert.InDelta(t, want, r.Parameters[k].Terms[j], tol*max(1, math.Abs(want)), "%s by %s", o.Terms[j].Name, o.Parameters[k].Name)
				}
			}
		})
	}
}

// TestRefused: parts without derivative are errors with names.
func TestRefused(t *testing.T) {
	m := text(t, "four-bar")
	source := objective.Source{Text: []byte(m), Name: "m.json"}
	o := &objective.Objective{
		At: objective.AtRun, Terms: terms("crank.px", "crank.accq", "nobody.px"),
		Parameters: []objective.Parameter{{Name: "p", Paths: []string{"bodies[crank].weight"}}},
	}
	_, err := objective.NewProblem(o, "o.json", source)
	require.ErrorAs(t, err, new(*model.Problems))
	for _, want := range []string{"$.terms[1].column", "$.terms[2].column", "$.parameters[0]"} {
		assert.ErrorContains(t, err, want)
	}
	o = &objective.Objective{
		At: objective.AtClosed, Terms: terms("crank.px"),
		Parameters: []objective.Parameter{{Name: "out of plane", Paths: []string{"joints[p2].predecessor_frame.position[2]"}}},
	}
	_, err = of(t, o, m)
	require.ErrorIs(t, err, derive.ErrBreaksLoop)
	assert.ErrorContains(t, err, "out of plane")
	o = &objective.Objective{At: objective.AtModes, Terms: terms("mode.9.re")}
	_, err = of(t, o, text(t, "eq-four-bar"))
	require.ErrorContains(t, err, "no mode 9")
	// A pendulum without weight, spring and drive is in equilibrium at every angle.
	free := text(t, "pendulum")
	for _, c := range [][2]string{{"-9.81", "0"}, {`"stiffness": [2`, `"stiffness": [0`}, {`"force": [0.4`, `"force": [0`}} {
		require.Contains(t, free, c[0])
		free = strings.Replace(free, c[0], c[1], 1)
	}
	o = &objective.Objective{
		At: objective.AtEquilibrium, Terms: terms("joint.pin1.q"),
		Parameters: []objective.Parameter{{Name: "m", Paths: []string{"bodies[link1].mass"}}},
	}
	_, err = of(t, o, free)
	require.ErrorIs(t, err, objective.ErrNotDifferentiable)
	assert.ErrorContains(t, err, "neutral")
	assert.ErrorContains(t, err, "pin1")
}
