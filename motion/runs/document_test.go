package runs_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// TestDocument: what a document has is read back.
func TestDocument(t *testing.T) {
	for _, o := range []runs.Options{
		{},
		{Until: 2, Every: 0.1, Integrator: runs.RungeKutta4, Step: 1e-3, Method: motion.TreeDirect, Stabilization: runs.None, Start: sim.AsItIs, Columns: []string{"*.px", "a b"}},
		{Integrator: runs.GeneralizedAlpha, Annihilate: true, Tolerance: 1e-5, Bodies: []string{"a"}, Wrenches: []string{"b"}, Multipliers: []string{"c"}, Start: sim.Close},
		{Integrator: runs.GeneralizedAlpha, Rho: 0.3},
	} {
		var b bytes.Buffer
		require.NoError(t, o.Write(&b))
		back, err := runs.Read(&b, "run.json")
		require.NoError(t, err)
		assert.Equal(t, &o, back)
	}
	o := runs.Options{Integrator: runs.Rattle, Step: 1, Rattle: motion.RattleOptions{Damp: true}}
	require.EqualError(t, o.Write(new(bytes.Buffer)), "motion/runs: a document has no Rattle")
	o = runs.Options{Step: -1}
	require.ErrorAs(t, o.Write(new(bytes.Buffer)), new(*runs.OptionError))

	// JSON has no such names: they would come back as others.
	for field, o := range map[string]runs.Options{
		"Columns": {Columns: []string{"time", "a\xffb"}}, "Bodies": {Bodies: []string{"a", "a\xffb"}},
		"Wrenches": {Wrenches: []string{"a", "a\xffb"}}, "Multipliers": {Multipliers: []string{"a", "a\xffb"}},
	} {
		var out bytes.Buffer
		require.EqualError(t, o.Write(&out), "motion/runs: "+field+`: name 1, "a\xffb", is not valid UTF-8`)
		require.Empty(t, out.String())
	}
}

// TestDocumentRuns: options that were read run as those that were written in Go.
func TestDocumentRuns(t *testing.T) {
	o, err := runs.Read(strings.NewReader(`{"format": "rung-run/1", "until": 0.2, "every": 0.1, "columns": ["rod0.wz"]}`), "run.json")
	require.NoError(t, err)
	a, b := newRun(t, linkage(t), *o), newRun(t, linkage(t), runs.Options{Every: 0.1, Columns: []string{"rod0.wz"}})
	require.NoError(t, a.Run(o.Until))
	require.NoError(t, b.Run(0.2))
	assert.Len(t, a.Rows(), 3)
	assert.Equal(t, b.Rows(), a.Rows())
}

// TestOptionsWithoutFormat: options of a program may leave the format out, and have nothing else that a document has not.
func TestOptionsWithoutFormat(t *testing.T) {
	want, err := runs.Read(strings.NewReader(`{"format": "rung-run/1", "until": 0.2, "step": 0.1}`), "r.json")
	require.NoError(t, err)
	for _, text := range []string{`{"until": 0.2, "step": 0.1}`, `{"format": "rung-run/1", "until": 0.2, "step": 0.1}`} {
		got, err := runs.ReadOptions([]byte(text), "options")
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	none, err := runs.ReadOptions([]byte(" \n"), "options")
	require.NoError(t, err)
	assert.Equal(t, runs.Options{}, *none)
	for text, want := range map[string]string{
		`{"format": "rung-run/2"}`: `options: $.format: is not "rung-run/1"`,
		`{"step": 1, "step": 2}`:   "options: $.step: duplicate key",
		`{} {}`:                    "options: $: there is more after the end",
		`[]`:                       "options: $: ",
	} {
		_, err := runs.ReadOptions([]byte(text), "options")
		require.ErrorContains(t, err, want, text)
	}
}

// TestDocumentProblems: everything that is wrong is found, with its place.
func TestDocumentProblems(t *testing.T) {
	for text, want := range map[string]string{
		`{"format": "rung-run/1", "until": "x", "every": 0, "integrator": "rk5", "start": "now"}`: `r.json: $.until: is not a number (value "x")
r.json: $.every: is not above 0 (value 0)
r.json: $.integrator: must be one of dopri5, rk4, generalized-alpha, force-balance, rattle (value "rk5")
r.json: $.start: must be one of refuse, close, as-it-is (value "now")`,
		`{"format": "rung-run/1", "integrator": "rk4"}`:                 `r.json: $.step: missing field: rk4 has no error control`,
		`{"format": "rung-run/1", "step": 1, "tolerance": 1}`:           `r.json: $.tolerance: excludes step: steps are fixed or chosen by their error (value 1)`,
		`{"format": "rung-run/1", "rho": 0}`:                            `r.json: $.rho: rho is of generalized-alpha, not of dopri5`,
		`{"format": "rung-run/1", "columns": ["a", ""], "bodies": [1]}`: `r.json: $.columns[1]: is empty` + "\n" + `r.json: $.bodies[0]: is not a string (value 1)`,
		`{"format": "rung-run/1", "columns": ["a"], "bodies": ["b"]}`:   `r.json: $.columns: columns chooses all columns: bodies, wrenches and multipliers are for trajectories without it`,
		`{"until": 1}`: `r.json: $.format: missing field`,
		`{"format": "rung-run/1", "trajectory": "a.csv"}`: `r.json: $.trajectory: unknown field (value "a.csv")`,
	} {
		_, err := runs.Read(strings.NewReader(text), "r.json")
		require.Error(t, err, text)
		assert.Equal(t, want, err.Error())
	}
}

// TestSchema: the schema names the fields and the names of choices that documents have.
func TestSchema(t *testing.T) {
	var schema struct {
		Properties map[string]struct {
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(runs.Schema(), &schema))
	var want []string
	for _, i := range runs.Integrators() {
		want = append(want, i.String())
	}
	assert.Equal(t, want, schema.Properties["integrator"].Enum)
	want = nil
	for _, s := range runs.Stabilizations() {
		want = append(want, s.String())
	}
	assert.Equal(t, want, schema.Properties["stabilize"].Enum)
	want = nil
	for _, m := range motion.Methods() {
		want = append(want, m.String())
	}
	assert.Equal(t, want, schema.Properties["method"].Enum)
	var b bytes.Buffer
	o := runs.Options{Until: 1, Every: 1, Integrator: runs.GeneralizedAlpha, Tolerance: 1, Rho: 0.5, Bodies: []string{"a"}, Wrenches: []string{"b"}, Multipliers: []string{"c"}}
	require.NoError(t, o.Write(&b))
	var doc map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &doc))
	for field := range doc {
		assert.Contains(t, schema.Properties, field)
	}
	assert.Len(t, schema.Properties, len(doc)+3, "$schema, step and columns besides")
}
