package objective_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
)

const whole = `{"$schema": "x", "format": "rung-objective/1", "model": "m.json", "at": "run",
 "run": {"until": 0.5, "integrator": "dopri5", "tolerance": 1e-9},
 "terms": [{"name": "x", "column": "crank.px"}, {"column": "joint.A.qd", "take": "integral", "power": 2, "weight": 0.1, "target": 3}],
 "parameters": [{"path": "bodies[crank].mass"}, {"name": "both", "paths": ["bodies[a].mass", "bodies[b].mass"]}],
 "initial": true}`

// fits reports whether a document fits the schema.
func fits(t *testing.T, s *jsonschema.Schema, text string) bool {
	t.Helper()
	return schematest.Validate(t, s, text) == nil
}

// TestRead reads each field.
func TestRead(t *testing.T) {
	o, err := objective.Read(strings.NewReader(whole), "o.json")
	require.NoError(t, err)
	assert.True(t, fits(t, schematest.Compile(t, objective.Schema()), whole))
	assert.Equal(t, &objective.Objective{
		Model: "m.json", At: objective.AtRun, Run: runs.Options{Until: 0.5, Tolerance: 1e-9},
		Terms: []objective.Term{
			{Name: "x", Column: "crank.px", Weight: 1, Power: 1},
			{Name: "joint.A.qd", Column: "joint.A.qd", Take: objective.Integral, Weight: 0.1, Target: 3, Power: 2},
		},
		Parameters: []objective.Parameter{
			{Name: "bodies[crank].mass", Paths: []string{"bodies[crank].mass"}}, {Name: "both", Paths: []string{"bodies[a].mass", "bodies[b].mass"}},
		},
		Initial: true,
	}, o)
}

// TestReadRefused: each problem is reported with its place and value, and violates the schema if the schema can express it.
func TestReadRefused(t *testing.T) {
	s := schematest.Compile(t, objective.Schema())
	for _, c := range []struct {
		old, new, want string
		fits           bool
	}{
		{`objective/1`, `study/1`, `o.json: $.format: is not "rung-objective/1" (value "rung-study/1")`, false},
		{`"at": "run"`, `"at": "rest"`, `o.json: $.at: must be one of state, closed, equilibrium, modes, run, reach (value "rest")`, false},
		{`"at": "run"`, `"at": "state"`, `o.json: $.run: is of no use: at is state`, true},
		{`"run": {"until": 0.5, "integrator": "dopri5", "tolerance": 1e-9},`, ``, `o.json: $.run: missing field: at is run`, true},
		{`dopri5`, `heun`, `o.json: $.run.integrator: must be one of dopri5, rk4, generalized-alpha, rattle (value "heun")`, false},
		{`dopri5`, `rattle`, `o.json: $.run.step: missing field: rattle has no error control`, false},
		{`dopri5`, `rk4`, `o.json: $.run.step: missing field: rk4 has no error control`, false},
		{`"tolerance": 1e-9`, `"rho": 1`, `o.json: $.run.rho: is of generalized-alpha, not of dopri5 (value 1)`, false},
		{`"integrator": "dopri5"`, `"integrator": "generalized-alpha", "rho": 1`, `o.json: $.run.rho: is not from 0 to below 1 (value 1)`, false},
		{`"tolerance": 1e-9`, `"tolerance": 0`, `o.json: $.run.tolerance: is not above 0 (value 0)`, false},
		{`"until": 0.5,`, `"until": 0.5, "ends_at": {"value": 1},`, `o.json: $.run.ends_at.column: missing field`, false},
		{
			`"until": 0.5,`, `"until": 0.5, "ends_at": {"column": "a.px", "value": 1, "direction": "up"},`,
			`o.json: $.run.ends_at.direction: must be one of either, rising, falling (value "up")`, false,
		},
		{`"until": 0.5,`, ``, `o.json: $.run.until: missing field`, false},
		{`"column": "crank.px"`, `"column": ""`, `o.json: $.terms[0].column: is empty`, false},
		{`, "column": "crank.px"`, ``, `o.json: $.terms[0].column: missing field`, false},
		{`integral`, `sum`, `o.json: $.terms[1].take: must be one of final, integral, data, min, max (value "sum")`, false},
		{`"power": 2`, `"power": 0`, `o.json: $.terms[1].power: is not from 1 to 20 (value 0)`, false},
		{`"name": "x"`, `"name": "joint.A.qd"`, `o.json: $.terms[1]: is that of $.terms[0] (value "joint.A.qd")`, true},
		{`"target": 3`, `"sigma": 3`, `o.json: $.terms[1].sigma: is of data: take is integral`, true},
		{
			`"take": "integral", "power": 2, "weight": 0.1, "target": 3`, `"take": "data"`,
			`o.json: $.terms[1].data: missing field: take is data`, false,
		},
		{`"take": "integral", "power": 2, "weight": 0.1`, `"take": "data", "data": "d.csv"`, `o.json: $.terms[1].target: is of no use`, true},
		{
			`"take": "integral", "power": 2, "weight": 0.1, "target": 3`, `"take": "data", "data": "d.csv", "sigma": 0`,
			`o.json: $.terms[1].sigma: is not above 0 (value 0)`, false,
		},
		{
			`"take": "integral", "power": 2, "weight": 0.1, "target": 3`, `"take": "data", "data": "d.csv", "weight": -1`,
			`o.json: $.terms[1].weight: is below 0, and data are to be met (value -1)`, true,
		},
		{`mass"}, {`, `mass", "bounds": [2, 1]}, {`, `o.json: $.parameters[0].bounds: is not below 1 (value 2)`, true},
		{`mass"}, {`, `mass", "bounds": [2]}, {`, `o.json: $.parameters[0].bounds: wrong length 1, must have 2 entries`, false},
		{`mass"}, {`, `mass", "bounds": [1, 2], "at_most": 3}, {`, `o.json: $.parameters[0].bounds: excludes at_least and at_most`, false},
		{
			`"initial": true`, `"constraints": [{"column": "crank.px", "at_least": 1, "at_most": 2}]`,
			`o.json: $.constraints[0].at_least: is not one condition: at_least, at_most or equals (value 2)`, false,
		},
		{
			`"initial": true`, `"constraints": [{"column": "crank.px", "take": "data", "at_least": 1}]`,
			`o.json: $.constraints[0].take: is for terms (value data)`, false,
		},
		{`"initial": true`, `"runs": [{"until": 1, "terms": [{"column": "a.px"}]}]`, `o.json: $.runs: excludes run and terms`, false},
		{
			whole, `{"format": "rung-objective/1", "model": "m.json", "at": "run", "parameters": [{"path": "time"}],
			"runs": [{"until": 1, "set": [{"path": "time", "value": 1}], "terms": [{"column": "a.px"}]}, {"name": "1", "until": 1, "terms": []}]}`,
			`o.json: $.runs[1].terms: is empty`, false,
		},
		{
			whole, `{"format": "rung-objective/1", "model": "m.json", "at": "run", "parameters": [{"path": "time"}],
			"runs": [{"until": 1, "set": [{"path": "time", "value": 1}], "terms": [{"column": "a.px"}]},
			{"name": "1", "until": 1, "terms": [{"column": "b.px"}]}]}`,
			`o.json: $.runs[0].set[0].path: is that of $.parameters[0] (value "time")`, true,
		},
		{
			whole, `{"format": "rung-objective/1", "model": "m.json", "at": "run",
			"runs": [{"until": 1, "terms": [{"column": "a.px"}]}, {"name": "1", "until": 1, "terms": [{"column": "b.px"}]}]}`,
			`o.json: $.runs[1]: is that of $.runs[0] (value "1")`, true,
		},
		{`{"path": "bodies[crank].mass"}`, `{"name": "p"}`, `o.json: $.parameters[0].path: missing field`, false},
		{`bodies[a].mass`, `bodies[crank].mass`, `o.json: $.parameters[1]: is that of $.parameters[0] (value "bodies[crank].mass")`, true},
		{`"paths": ["bodies[a].mass", "bodies[b].mass"]`, `"paths": []`, `o.json: $.parameters[1].paths: is empty`, false},
		{`"initial": true`, `"initials": true`, `o.json: $.initials: unknown field, did you mean initial? (value true)`, false},
		{
			whole, `{"format": "rung-objective/1", "model": "m.json", "at": "state", "terms": [{"column": "a.px", "take": "integral"}]}`,
			`o.json: $.terms[0].take: is for runs: at is state (value integral)`, true,
		},
		{whole, `[]`, `o.json: $: is not an object, so not a rung-objective/1 document (value a list)`, false},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		require.NotEqual(t, whole, text)
		o, err := objective.Read(strings.NewReader(text), "o.json")
		assert.Nil(t, o, c.new)
		assert.ErrorAs(t, err, new(*model.Problems), c.new)
		assert.ErrorContains(t, err, c.want)
		if !c.fits {
			assert.False(t, fits(t, s, text), c.new)
		}
	}
}

// FuzzRead: no document makes the reader panic, and accepted documents fit the schema.
func FuzzRead(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add(whole)
	f.Add(`{"format": "rung-objective/1", "model": "m.json", "at": "modes", "terms": [{"column": "mode.1.re"}]}`)
	f.Add(`{"format": "rung-objective/1", "model": "m.json", "at": "run", "runs": [{"name": "a", "until": 1, "every": 0.1,
	 "set": [{"path": "gravity[1]", "value": 0}], "terms": [{"column": "a.px", "take": "data", "data": "d.csv", "from": "x", "sigma": 0.1}]}],
	 "parameters": [{"path": "bodies[a].mass", "bounds": [1, 2]}, {"path": "bodies[b].mass", "at_least": 0}]}`)
	f.Add(`{"format": "rung-objective/1", "model": "m.json", "at": "run", "run": {"until": 1}, "terms": [{"column": "a.px", "take": "max"}],
	 "constraints": [{"column": "a.py", "take": "min", "at_least": 0.3}]}`)
	s := schematest.Compile(f, objective.Schema())
	f.Fuzz(func(t *testing.T, text string) {
		o, err := objective.Read(strings.NewReader(text), "f")
		if err != nil {
			if o != nil || !errors.As(err, new(*model.Problems)) {
				t.Fatalf("%v, %v", o, err)
			}
			return
		}
		require.True(t, fits(t, s, text), text)
	})
}

func ExampleRead() {
	o, err := objective.Read(strings.NewReader(`{"format": "rung-objective/1", "model": "m.json", "at": "run", "run": {"until": 1},
	 "terms": [{"column": "tip.px", "power": 2, "target": 0.3}], "parameters": [{"path": "bodies[arm].mass"}]}`), "reach.json")
	fmt.Println(o.At, o.Run.Until, o.Terms[0].Column, o.Parameters[0].Name, err)
	// Output: run 1 tip.px bodies[arm].mass <nil>
}
