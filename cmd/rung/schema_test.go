package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/schema"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
)

// TestDocumentsFitTheirSchemas runs every subcommand that prints a document, with results and
// with failures.
func TestDocumentsFitTheirSchemas(t *testing.T) {
	golden := func(name string) string { return filepath.Join(reference, "golden", name+".model.json") }
	out := filepath.Join(t.TempDir(), "out.json")
	for name, runs := range map[string][][]string{
		"model": {{"generate", "stewart", "1", "-o", "-"}},
		"result": {
			{"accel", golden("four-bar"), "--json"},
			{"accel", golden("bricard-6r"), "--json", "--method", "tree-lambda"},
			{"accel", golden("four-bar"), "--ranks", "2", "--json"},
			{"accel", golden("springs"), "--ranks", "3", "--json"},
		},
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
		"ik-result": {
			{"ik", ikFile("stewart.model.json"), ikFile("stewart.task.json"), "--json"},
			{"ik", ikFile("fik-3r-reach.model.json"), "--reach", "link3 = 9,0,0", "--json"},
		},
		"modes": {{"modes", golden("springs"), "--json"}, {"modes", golden("springs"), "--undamped", "--json"}},
		"terrain": {
			{"terrain", "random", "--size", "5x6", "--json"},
			{"terrain", "function", "x*y", "--at", "1,2", "--json"},
		},
		"validation": {{"validate", standardFolder, "--model", "a01", "--short", "--json"}},
		"simulation": {
			{"simulate", golden("four-bar"), "--until", "0.1", "--json", "--out", filepath.Join(t.TempDir(), "run.csv")},
			{"simulate", golden("four-bar"), "--until", "0.1", "--step", "0.01", "--integrator", "rk4", "--json", "--out", filepath.Join(t.TempDir(), "run.csv")},
			{"simulate", golden("four-bar"), "--until", "0.1", "--ranks", "2", "--json", "--out", filepath.Join(t.TempDir(), "run.csv")},
		},
		"bench": {
			{"bench", "--ranks", "2", golden("four-bar"), "--min-seconds", "0", "--json"},
			{"bench", "--family", "ladder", "--sizes", "5,10", "--method", "sparse,tree-direct", "--min-seconds", "0", "--json"},
			{"bench", golden("four-bar"), "--method", "sparse,tree-direct", "--min-seconds", "0", "--json"},
		},
	} {
		for _, args := range check.Some(runs, 4) {
			t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
				r := rungRun(args...)
				require.NotEqual(t, shell.ExitUse, r.Status, r.Err)
				clitest.MustFit(t, name, r.Out)
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
	require.Equal(t, shell.ExitUse, r.Status)
	require.Equal(t, `rung: no schema of "car"; there are those of `+strings.Join(schema.Names(), ", ")+"\nRun 'rung schema --help' for usage.\n", r.Err)
	require.NotEmpty(t, bytes.TrimSpace([]byte(ok(t, "schema", "--help"))))
}
