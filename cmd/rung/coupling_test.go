package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/model"
)

// TestCouplings runs the subcommands on a belt, one of whose couplings is redundant.
func TestCouplings(t *testing.T) {
	path := generated(t, "belt", "4")
	r := accelJSON(t, path)
	require.Len(t, r.Couplings, 4)
	require.Equal(t, 1, r.Constraints.Redundant)
	require.Len(t, r.Constraints.RedundantCouplings, 1)
	require.Empty(t, r.Constraints.RedundantJoints)
	require.False(t, r.Couplings[0].MultiplierUnique)
	require.False(t, r.Solve.Reduced)
	require.NotEmpty(t, r.Solve.WhyWhole)

	text := strings.Join(strings.Fields(ok(t, "accel", path)), " ")
	require.Contains(t, text, "1 row: coupling "+r.Constraints.RedundantCouplings[0])
	require.Contains(t, text, "undetermined in 4 of 4 couplings")
	require.Contains(t, text, "multiplier")

	text = strings.Join(strings.Fields(ok(t, "analyze", path)), " ")
	require.Contains(t, text, "4 loops")
	require.Contains(t, text, "coupling "+r.Constraints.RedundantCouplings[0]+" left out: nothing is redundant then")

	out := filepath.Join(t.TempDir(), "out.json")
	for name, args := range map[string][]string{
		"result":     {"accel", path, "--json"},
		"analysis":   {"analyze", path, "--json"},
		"assembly":   {"assemble", path, "-o", out, "--json"},
		"modes":      {"modes", path, "--json"},
		"inverse":    {"inverse", path, "--actuated", "b1", "--json"},
		"simulation": {"simulate", path, "--until", "0.1", "--json", "--out", filepath.Join(t.TempDir(), "run.csv")},
		"bench":      {"bench", "--family", "gear-train", "--sizes", "5,10", "--min-seconds", "0", "--json"},
	} {
		d := rungRun(args...)
		require.Zero(t, d.Status, "%v: %s", args, d.Err)
		clitest.MustFit(t, name, d.Out)
	}

	for _, method := range []string{"tree-direct", "tree-lambda", "tree-projection"} {
		d := rungRun("accel", path, "--method", method, "--json")
		require.Zero(t, d.Status, "%s: %s", method, d.Err)
		clitest.MustFit(t, "result", d.Out)
	}
}

// TestMultiplierColumns of a run, and the errors of the flag.
func TestMultiplierColumns(t *testing.T) {
	path := generated(t, "gear-train", "3")
	lines := strings.Split(ok(t, "simulate", path, "--until", "0.02", "--step", "0.01", "--integrator", "rk4", "--bodies", "g0", "--wrenches", "b1", "--multipliers", "m2,m1"), "\n")
	require.True(t, strings.HasSuffix(lines[0], "b1.moment.z,m2.multiplier,m1.multiplier"), lines[0])
	require.Len(t, strings.Split(lines[1], ","), len(strings.Split(lines[0], ",")))
	for says, list := range map[string]string{"no coupling": "m9", "given twice": "m1,m1"} {
		r := rungRun("simulate", path, "--until", "1", "--multipliers", list)
		require.Equal(t, shell.ExitUse, r.Status)
		require.Contains(t, r.Err, says)
	}
}

// TestCouplingUnmet: a coupling that cannot be closed is named, in the document too.
func TestCouplingUnmet(t *testing.T) {
	path := generated(t, "gear-train", "2")
	m, err := model.ReadFile(path)
	require.NoError(t, err)
	again := m.Couplings[0] // with a square, as the reader finds out what lines contradict
	other := again.Terms[1]
	again.Name, again.Offset, again.Terms = "other", again.Offset+0.1, again.Terms[:1]
	again.Polynomial = &model.CouplingPolynomial{Of: other.Coupled, Coefficients: []float64{0, -other.Factor, 1e-9}}
	m.Couplings = append(m.Couplings, again)
	require.NoError(t, model.WriteFile(path, m))
	out := filepath.Join(t.TempDir(), "out.json")
	r := rungRun("assemble", path, "-o", out, "--json")
	require.Equal(t, shell.ExitFailed, r.Status)
	require.Contains(t, r.Err, "coupling")
	clitest.MustFit(t, "assembly", r.Out)
	var doc struct {
		Unmet struct{ Joint, Coupling, Unit string }
	}
	require.NoError(t, json.Unmarshal([]byte(r.Out), &doc))
	require.Contains(t, []string{"m1", "other"}, doc.Unmet.Coupling)
	require.Empty(t, doc.Unmet.Joint)
	require.Equal(t, "rad", doc.Unmet.Unit)
	_, err = os.Stat(out)
	require.ErrorIs(t, err, os.ErrNotExist)
}
