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
	value, slope := o.Terms[1].Value(5)
	assert.InDelta(t, 0.4, value, 1e-15)
	assert.InDelta(t, 0.4, slope, 1e-15)
}

// TestReadRefused: what is wrong is told with its place and value, and does not fit the schema where that can say it.
func TestReadRefused(t *testing.T) {
	s := schematest.Compile(t, objective.Schema())
	for _, c := range []struct {
		old, new, want string
		fits           bool
	}{
		{`objective/1`, `study/1`, `o.json: $.format: is not "rung-objective/1" (value "rung-study/1")`, false},
		{`"at": "run"`, `"at": "rest"`, `o.json: $.at: must be one of state, closed, equilibrium, modes, run (value "rest")`, false},
		{`"at": "run"`, `"at": "state"`, `o.json: $.run: is of no use: at is state`, true},
		{`"run": {"until": 0.5, "integrator": "dopri5", "tolerance": 1e-9},`, ``, `o.json: $.run: missing field: at is run`, true},
		{`dopri5`, `rattle`, `o.json: $.run.integrator: must be one of dopri5, rk4 (value "rattle")`, false},
		{`dopri5`, `rk4`, `o.json: $.run.step: missing field: rk4 has no error control`, false},
		{`"tolerance": 1e-9`, `"rho": 1`, `o.json: $.run.rho: is of generalized-alpha, not of dopri5 (value 1)`, false},
		{`"tolerance": 1e-9`, `"tolerance": 0`, `o.json: $.run.tolerance: is not above 0 (value 0)`, false},
		{`"until": 0.5,`, ``, `o.json: $.run.until: missing field`, false},
		{`"column": "crank.px"`, `"column": ""`, `o.json: $.terms[0].column: is empty`, false},
		{`, "column": "crank.px"`, ``, `o.json: $.terms[0].column: missing field`, false},
		{`integral`, `sum`, `o.json: $.terms[1].take: must be one of final, integral (value "sum")`, false},
		{`"power": 2`, `"power": 0`, `o.json: $.terms[1].power: is not from 1 to 20 (value 0)`, false},
		{`"name": "x"`, `"name": "joint.A.qd"`, `o.json: $.terms[1]: is that of $.terms[0] (value "joint.A.qd")`, true},
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

// FuzzRead: no document makes the reader panic, and what it takes fits the schema.
func FuzzRead(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add(whole)
	f.Add(`{"format": "rung-objective/1", "model": "m.json", "at": "modes", "terms": [{"column": "mode.1.re"}]}`)
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
