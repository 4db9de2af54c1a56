package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/schema"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// mustFit requires a document to be what its schema, as the command prints it, says.
func mustFit(t *testing.T, name, document string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(ok(t, "schema", name)))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	id := doc.(map[string]any)["$id"].(string)
	require.Equal(t, "urn:rung:rung-"+name+":1", id)
	require.NoError(t, c.AddResource(id, doc))
	s, err := c.Compile(id)
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	require.NoError(t, err, document)
	require.NoError(t, s.Validate(value), document)
	value.(map[string]any)["else"] = 1
	require.Error(t, s.Validate(value), "a field too many")
}

// TestDocumentsFitTheirSchemas runs every subcommand that prints a document, with results and
// with failures.
func TestDocumentsFitTheirSchemas(t *testing.T) {
	golden := func(name string) string { return filepath.Join(reference, "golden", name+".model.json") }
	out := filepath.Join(t.TempDir(), "out.json")
	for name, runs := range map[string][][]string{
		"model":    {{"generate", "stewart", "1", "-o", "-"}},
		"result":   {{"accel", golden("four-bar"), "--json"}, {"accel", golden("bricard-6r"), "--json", "--method", "tree-lambda"}},
		"analysis": {{"analyze", golden("n-four-bar-3"), "--json"}, {"analyze", golden("bricard-6r"), "--json"}},
		"assembly": {{"assemble", golden("four-bar"), "-o", out, "--json"}},
		"inverse": {
			{"inverse", golden("four-bar"), "--actuated", "p1", "--json"},
			{"inverse", golden("rbda-8-3"), "--actuated", "joint1", "--json"},
		},
		"equilibrium": {
			{"equilibrium", golden("four-bar"), "-o", out, "--json"},
			{"equilibrium", golden("single-body"), "-o", out, "--steps", "20", "--json"},
		},
		"modes":      {{"modes", golden("springs"), "--json"}, {"modes", golden("springs"), "--undamped", "--json"}},
		"validation": {{"validate", standardFolder, "--model", "a01", "--short", "--json"}},
		"simulation": {
			{"simulate", golden("four-bar"), "--until", "0.1", "--json", "--out", filepath.Join(t.TempDir(), "run.csv")},
			{"simulate", golden("four-bar"), "--until", "0.1", "--step", "0.01", "--integrator", "rk4", "--json", "--out", filepath.Join(t.TempDir(), "run.csv")},
		},
		"bench": {
			{"bench", "--family", "ladder", "--sizes", "5,10", "--method", "sparse,tree-direct", "--min-seconds", "0", "--json"},
			{"bench", golden("four-bar"), "--method", "sparse,tree-direct", "--min-seconds", "0", "--json"},
		},
	} {
		for _, args := range runs {
			t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
				r := rungRun(args...)
				require.NotEqual(t, shell.ExitUse, r.status, r.err)
				mustFit(t, name, r.out)
			})
		}
	}
}

func TestSchemaCommand(t *testing.T) {
	require.Equal(t, ok(t, "schema", "model"), ok(t, "schema"))
	for _, name := range schema.Names() {
		require.True(t, json.Valid([]byte(ok(t, "schema", name))), name)
	}
	r := rungRun("schema", "car")
	require.Equal(t, shell.ExitUse, r.status)
	require.Equal(t, `rung: no schema of "car"; there are those of `+strings.Join(schema.Names(), ", ")+"\n", r.err)
	require.NotEmpty(t, bytes.TrimSpace([]byte(ok(t, "schema", "--help"))))
}
