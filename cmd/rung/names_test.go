package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile is a name with what a terminal obeys, breaks lines, or turns text round, and that is long.
const hostile = "n\x1b[2J\x07\r\nrow\u202e\u2066\u200b"

// hostileModel writes a four-bar whose names all begin and end so.
func hostileModel(t *testing.T) string {
	t.Helper()
	m, err := rung.Open(golden("four-bar"))
	require.NoError(t, err)
	bad := map[string]string{model.World: model.World}
	name := func(s string) string { return hostile + s + strings.Repeat("long ", 200) + s + hostile }
	m.Name = name("four-bar")
	for i := range m.Bodies {
		bad[m.Bodies[i].Name] = name(m.Bodies[i].Name)
		m.Bodies[i].Name = bad[m.Bodies[i].Name]
	}
	for i := range m.Joints {
		j := &m.Joints[i]
		j.Name, j.Predecessor, j.Successor = name(j.Name), bad[j.Predecessor], bad[j.Successor]
	}
	path := filepath.Join(t.TempDir(), "hostile.json")
	require.NoError(t, model.WriteFile(path, m))
	return path
}

// TestHostileNames: whatever prints names for people cuts and escapes them, on both streams, with and
// without success.
func TestHostileNames(t *testing.T) {
	check.Long(t)
	path := hostileModel(t)
	body := hostile + "x"
	m, err := rung.Open(path)
	require.NoError(t, err)
	bodyName := m.Bodies[0].Name
	task := filepath.Join(t.TempDir(), "task.json")
	text, err := json.Marshal(ik.Task{Targets: []ik.Target{{Name: body, Type: ik.Point, Body: bodyName, Position: [3]float64{9, 9}}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(task, text, 0o600))
	for _, args := range [][]string{
		{"accel", path}, {"accel", "--method", "tree-direct", path}, {"analyze", path}, {"assemble", path, "-o", filepath.Join(t.TempDir(), "o.json")},
		{"assemble", path, "--hold", body}, {"equilibrium", path}, {"modes", path}, {"inverse", path, "--actuated", body},
		{"ik", path, "--reach", body + " = 0,0,0"}, {"ik", path, "--reach", hostile}, {"ik", path, task}, {"ik", path, "--driven", body, "--reach", bodyName + " = 9,9,0"},
		{"simulate", path, "--until", "0.001", "--bodies", body}, {"simulate", path, "--until", "0.001", "--wrenches", body},
		{"simulate", path, "--until", "0.001"}, {"matrix", path, "-o", filepath.Join(t.TempDir(), "k.mtx")}, {"bench", path, "--min-seconds", "0"},
		{"accel", hostile + ".json"}, {"accel", path, hostile}, {"accel", path, "--ordering", hostile}, {"generate", hostile, "3"},
	} {
		r := rungRun(args...)
		for _, s := range []string{"\x1b", "\x07", "\r", "\u202e", "\u2066", "\u200b"} {
			assert.NotContains(t, r.Out+r.Err, s, "%q", args)
		}
		for line := range strings.SplitSeq(r.Err, "\n") {
			assert.Less(t, len(line), 1500, "%q: %s", args, line)
		}
	}
}

// TestJSONHasWholeNames: documents for programs have names as they are.
func TestJSONHasWholeNames(t *testing.T) {
	path := hostileModel(t)
	m, err := rung.Open(path)
	require.NoError(t, err)
	var doc rung.Result
	require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", path, "--json")), &doc))
	require.Equal(t, m.Name, doc.Name)
	require.Equal(t, m.Joints[1].Name, doc.Joints[1].Name)
}

// TestOverflowIsRefused: models whose numbers overflow in eigenvalue problems are refused with the place, where one
// panicked and one ran for ever; what can be computed is.
func TestOverflowIsRefused(t *testing.T) {
	hard := filepath.Join(reference, "hard")
	settled, far := filepath.Join(hard, "sim-equilibrium-panic.json"), filepath.Join(hard, "sim-modes-hang.json")
	require.Contains(t, ok(t, "equilibrium", settled), "in equilibrium after")
	for _, method := range []string{"dense", "sparse"} {
		ok(t, "modes", settled, "--method", method)
		r := rungRun("modes", far, "--method", method)
		require.Equal(t, shell.ExitFailed, r.Status)
		require.Contains(t, r.Err, `joint "q": numbers overflow`)
	}
	r := rungRun("equilibrium", far)
	require.Equal(t, shell.ExitFailed, r.Status)
	require.Contains(t, r.Err, `joint "q"`)
}

// TestOnePrefix: a message has no names of packages in it.
func TestOnePrefix(t *testing.T) {
	m, err := rung.Open(golden("four-bar"))
	require.NoError(t, err)
	m.Bodies[0].Velocity.Angular = [3]float64{0, 0, 1e200}
	path := filepath.Join(t.TempDir(), "fast.json")
	require.NoError(t, model.WriteFile(path, m))
	for _, args := range [][]string{
		{"accel", path}, {"accel", "--method", "tree-direct", path}, {"simulate", path, "--until", "0.1"}, {"modes", "--moving", path}, {"inverse", path, "--actuated", "p1"},
	} {
		r := rungRun(args...)
		for _, p := range []string{"assemble: ", "factor: ", "joints: ", "linear: ", "mechanism: ", "sim: ", "tree: ", "rung: rung: "} {
			assert.NotContains(t, r.Err, p, "%q", args)
		}
	}
}
