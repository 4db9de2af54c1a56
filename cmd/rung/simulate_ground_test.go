package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// driven writes the falling rover of reference/ground with a motor and bristles to a folder, on a terrain of a file there.
func driven(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(check.Reference(t, "ground", "rover-drop.model.json"))
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(data, &m))
	rows := strings.Repeat(strings.TrimSuffix(strings.Repeat("0 ", 6), " ")+"\n", 6)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "field.csv"), []byte(rows), 0o600))
	m["terrains"] = []any{map[string]any{"name": "ground", "type": "csv", "file": "field.csv", "origin": []float64{-10, -10}, "spacing": []float64{4, 4}}}
	forces := m["forces"].([]any)
	for _, f := range forces {
		f.(map[string]any)["friction"].(map[string]any)["hold"] = map[string]any{"travel": 0.001, "damping": 5}
	}
	joint := m["joints"].([]any)[0].(map[string]any)["name"]
	m["forces"] = append(forces, map[string]any{"name": "motor", "type": "actuator", "joint": joint, "law": "speed", "value": 1, "gain": 2, "integral": 1, "limit": 5})
	data, err = json.Marshal(m)
	require.NoError(t, err)
	path := filepath.Join(dir, "rover.json")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// TestSimulateGround: files of contacts and events, and those of a run that was interrupted twice are the same byte for byte.
func TestSimulateGround(t *testing.T) {
	dir := t.TempDir()
	path := driven(t, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, integrator := range []string{"dopri5", "generalized-alpha"} {
		args := []string{"--until", "0.6", "--every", "0.01", "--integrator", integrator}
		files := func(name string) []string {
			return []string{"--out", at(name + ".csv"), "--contacts", at(name + "-contacts.csv"), "--events", at(name + "-events.csv")}
		}
		ok(t, append(append([]string{"simulate", path}, args...), files("whole")...)...)
		kept := append(append([]string{"--checkpoint", at(integrator + ".ckpt")}, args...), files("part")...)
		stopped(t, 40, path, kept...)
		for _, name := range []string{"part-contacts.csv", "part-events.csv"} { // what a killed run may have written since its checkpoint
			text := readText(t, at(name))
			require.NoError(t, os.WriteFile(at(name), []byte(text+"0.9,1,2\n"), 0o600))
		}
		kept = append(kept, "--resume")
		stopped(t, 30, path, kept...)
		ok(t, append([]string{"simulate", path}, kept...)...)
		for _, name := range []string{".csv", "-contacts.csv", "-events.csv"} {
			assert.Equal(t, readText(t, at("whole"+name)), readText(t, at("part"+name)), name)
		}
		columns, rows := readTrajectory(t, readText(t, at("whole-contacts.csv")))
		require.Len(t, rows, 61)
		require.Equal(t, []string{"time", "contact1.depth", "contact1.px", "contact1.py"}, columns[:4])
		require.Equal(t, "motor.torque", columns[len(columns)-1])
		require.NotZero(t, rows[60][8])
		columns, rows = readTrajectory(t, readText(t, at("whole.csv")))
		require.Equal(t, "motor.torque", columns[len(columns)-1])
		require.Less(t, rows[60][len(columns)-1], 5.0)
		events := readText(t, at("whole-events.csv"))
		require.True(t, strings.HasPrefix(events, "time,contact,event\n"))
		require.Greater(t, strings.Count(events, ",touch\n"), 2)
		require.Greater(t, strings.Count(events, ",leave\n"), 2)
	}
}

// TestGroundMessages: what is wrong with a terrain's file, and where a run leaves the terrain.
func TestGroundMessages(t *testing.T) {
	dir := t.TempDir()
	path := driven(t, dir)
	r := rungRun("simulate", path, "--until", "1", "--contacts", filepath.Join(dir, "x.txt"))
	assert.Contains(t, r.err, "ends in .csv")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "field.csv"), []byte("0 0 0 0\n0 0 x 0\n0 0 0\n0 0 0 0\n"), 0o600))
	r = rungRun("simulate", path, "--until", "1")
	assert.Contains(t, r.err, `$.terrains[0].file: `+filepath.Join(dir, "field.csv")+`:2:5: not a finite number (value "x")`)
	assert.Contains(t, r.err, `field.csv:3: 3 heights, other lines have 4`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "field.csv"), []byte(strings.Repeat("0 0 0 0\n", 4)), 0o600))
	text := strings.Replace(readText(t, path), `"origin":[-10,-10]`, `"origin":[50,50]`, 1)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	r = rungRun("simulate", path, "--until", "1")
	assert.Contains(t, r.err, `force "contact1": body "wheel1" at (`)
	assert.Contains(t, r.err, "off the terrain")
}

// TestGroundFilesWithoutContacts: files of contacts are refused where there are none, and no file is left.
func TestGroundFilesWithoutContacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	model := check.Reference(t, "golden", "pendulum.model.json")
	for _, flag := range []string{"--contacts", "--events"} {
		r := rungRun("simulate", model, "--until", "1", flag, path)
		assert.Equal(t, 2, r.status)
		assert.Contains(t, r.err, "the model has no contact")
		assert.NoFileExists(t, path)
	}
}
