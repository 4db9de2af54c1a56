package main

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sim"
)

// driven writes the falling rover of reference/ground with a motor and
// bristles to a folder, on a terrain of a file there.
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

// TestSimulateGround: files of contacts and events, and those of a run
// that was interrupted twice are the same byte for byte.
func TestSimulateGround(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	path := driven(t, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	integrators := []string{"dopri5", "generalized-alpha"}
	for _, integrator := range integrators {
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
	check.Long(t)
	dir := t.TempDir()
	path := driven(t, dir)
	r := rungRun("simulate", path, "--until", "1", "--contacts", filepath.Join(dir, "x.txt"))
	assert.Contains(t, r.Err, "ends in .csv")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "field.csv"), []byte("0 0 0 0\n0 0 x 0\n0 0 0\n0 0 0 0\n"), 0o600))
	r = rungRun("simulate", path, "--until", "1")
	assert.Contains(t, r.Err, `$.terrains[0].file: `+filepath.Join(dir, "field.csv")+`:2:5: not a finite number (value "x")`)
	assert.Contains(t, r.Err, `field.csv:3: 3 heights, other lines have 4`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "field.csv"), []byte(strings.Repeat("0 0 0 0\n", 4)), 0o600))
	text := strings.Replace(readText(t, path), `"origin":[-10,-10]`, `"origin":[50,50]`, 1)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	r = rungRun("simulate", path, "--until", "1")
	assert.Contains(t, r.Err, `rung: `+path+`: force "contact1": off the terrain: body "wheel1" at (0.2854, 0.5277, 0.2498), t = 0 s`)
	// Whatever the steps are, what has happened comes first: contact, body, place and time.
	short := filepath.Join(dir, "edge.json")
	edge(t, short)
	methods := [][]string{{"dopri5"}, {"force-balance", "--step", "0.02"}, {"generalized-alpha"}, {"rk4", "--step", "0.0005"}}
	for _, method := range methods {
		r = rungRun(append([]string{"simulate", short, "--until", "3", "--out", filepath.Join(dir, "edge.csv"), "--integrator"}, method...)...)
		assert.Equal(t, shell.ExitFailed, r.Status)
		last := r.Err[strings.LastIndex(r.Err, "rung: "):]
		assert.Regexp(t, `^rung: `+regexp.QuoteMeta(short)+`: force "tyre_f[lr]0": off the terrain: body "[^"]+" at \(0\.[0-9]+, -?0\.[0-9]+, 0\.[0-9]+\), t = [0-9.]+ s`, last, method[0])
		assert.NotContains(t, last, "too small")
	}
}

// TestGroundFilesWithoutContacts: files of contacts are refused where there are none, and no file is left.
func TestGroundFilesWithoutContacts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	model := check.Reference(t, "golden", "pendulum.model.json")
	for _, flag := range []string{"--contacts", "--events"} {
		r := rungRun("simulate", model, "--until", "1", flag, path)
		assert.Equal(t, 2, r.Status)
		assert.Contains(t, r.Err, "the model has no contact")
		assert.NoFileExists(t, path)
	}
}

// block writes a block that slides down a slope on three feet, on
// terrains of which the last counts, and returns the path.
func block(t *testing.T, slope float64, terrains ...map[string]any) string {
	t.Helper()
	sin, cos := math.Sincos(slope)
	at := func(along, up float64) []float64 { return []float64{along*cos + up*sin, 0, up*cos - along*sin} }
	forces := []any{}
	for i, foot := range [][]float64{{0.2, 0, -0.1}, {-0.2, 0.2, -0.1}, {-0.2, -0.2, -0.1}} {
		forces = append(forces, map[string]any{"name": []string{"front", "left", "right"}[i], "type": "contact", "body": "block", "terrain": terrains[len(terrains)-1]["name"],
			"shape": map[string]any{"type": "sphere", "radius": 0.05, "center": foot}, "normal": map[string]any{"stiffness": 1e5, "dissipation": 3},
			"friction": map[string]any{"type": "coulomb", "coefficient": 0.6, "slip_speed": 0.01}})
	}
	data, err := json.Marshal(map[string]any{"format": "rung-model/1", "name": "block", "terrains": terrains, "joints": []any{}, "forces": forces,
		"bodies": []any{map[string]any{"name": "block", "mass": 3, "com": []float64{0, 0, 0}, "inertia": map[string]any{"xx": 0.05, "yy": 0.06, "zz": 0.07, "xy": 0, "xz": 0, "yz": 0},
			"pose":     map[string]any{"position": at(0, 0.151), "orientation": []float64{math.Cos(slope / 2), 0, math.Sin(slope / 2), 0}},
			"velocity": map[string]any{"linear": at(1, 0), "angular": []float64{0, 0, 0}}}}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "block.json")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// TestSimulateContactEnergy: the summary has what contacts took, and what is left of the change of energy; and how fast
// a block creeps that has come to rest, v_s·tan α/√(μ² − tan²α).
func TestSimulateContactEnergy(t *testing.T) {
	check.Long(t)
	const slope, mu, slip = 0.3, 0.6, 0.01
	path := block(t, slope, map[string]any{"name": "slope", "type": "plane", "normal": []float64{math.Sin(slope), 0, math.Cos(slope)}})
	out := filepath.Join(t.TempDir(), "out.csv")
	var s simulate.Simulation
	require.NoError(t, json.Unmarshal([]byte(ok(t, "simulate", path, "--until", "1.5", "--out", out, "--json")), &s))
	require.NotNil(t, s.Energy.Contacts)
	require.NotNil(t, s.Energy.Balance)
	require.NotNil(t, s.Creep)
	assert.Greater(t, *s.Energy.Contacts, 3.0)
	assert.InDelta(t, 0, *s.Energy.Balance, 1e-6**s.Energy.Contacts)
	assert.InDelta(t, slip*math.Tan(slope)/math.Sqrt(mu*mu-math.Tan(slope)*math.Tan(slope)), s.Creep.Speed, 1e-6)
	assert.Equal(t, slip, s.Creep.Slip)
	assert.Empty(t, s.Warnings)
	r := rungRun("simulate", path, "--until", "1.5", "--out", out)
	text := strings.Join(strings.Fields(r.Err), " ")
	assert.Contains(t, text, "contacts took")
	assert.Contains(t, text, "which lets it creep with 0.00602 m/s (slip speed 0.01 m/s)")

	// While it slides, nothing creeps.
	r = rungRun("simulate", path, "--until", "0.1", "--out", out)
	assert.NotContains(t, r.Err, "creep")
	assert.Contains(t, r.Err, "contacts took")
}

// TestSimulateGroundWarnings: kinks under implicit steps, and places without a height.
func TestSimulateGroundWarnings(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	flat := map[string]any{"name": "flat", "type": "grid", "origin": []float64{-4, -4}, "spacing": []float64{4, 4}, "interpolation": "linear",
		"heights": [][]float64{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}
	edge := map[string]any{"name": "edge", "type": "function", "expression": "0*sqrt(x+9)"}
	both := map[string]any{"name": "both", "type": "sum", "parts": []string{"flat", "edge"}}
	const kinks, gap = "interpolation linear has kinks", "the height is not finite"
	for _, c := range []struct {
		name            string
		path, method    string
		kinked, missing bool
	}{
		{"linear, explicit", block(t, 0, flat), "dopri5", false, false},
		{"linear, implicit", block(t, 0, flat), "generalized-alpha", true, false},
		{"function without an end", block(t, 0, edge), "dopri5", false, true},
		{"sum, whose extent is that of the grid", block(t, 0, flat, edge, both), "generalized-alpha", true, false},
	} {
		r := rungRun("simulate", c.path, "--until", "0.01", "--out", out, "--integrator", c.method)
		require.Zero(t, r.Status, r.Err)
		text := strings.Join(strings.Fields(r.Err), " ")
		assert.Equal(t, c.kinked, strings.Contains(text, kinks), "%s: %s", c.name, r.Err)
		assert.Equal(t, c.missing, strings.Contains(text, gap), "%s: %s", c.name, r.Err)
	}
}

// onSand writes a rover on dry sand that leaves ruts.
func onSand(t *testing.T, path string) {
	t.Helper()
	ok(t, "generate", "rover", "1", "-o", path)
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(readText(t, path)), &m))
	for _, f := range m["forces"].([]any) {
		if f := f.(map[string]any); f["type"] == "contact" {
			f["friction"] = map[string]any{"type": "soil", "preset": "dry sand", "width": 0.12, "ruts": true}
			f["normal"] = map[string]any{"damping": 200}
		}
	}
	data, err := json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// TestSimulateRuts: a run that was interrupted twice has the files of one that was not, and its checkpoint the same
// ruts; the picture from the side shows the ground with them.
func TestSimulateRuts(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	onSand(t, at("sand.json"))
	args := []string{"simulate", at("sand.json"), "--until", "1.2", "--every", "0.02", "--integrator", "force-balance", "--step", "0.01"}
	files := func(name string) []string {
		return []string{"--out", at(name + ".csv"), "--contacts", at(name + "-contacts.csv"), "--checkpoint", at(name + ".ckpt")}
	}
	ok(t, append(append(args, files("whole")...), "--side", at("side.svg"))...)
	kept := append(args[1:len(args):len(args)], files("part")...)
	stopped(t, 40, kept[0], kept[1:]...)
	stopped(t, 30, kept[0], append(kept[1:len(kept):len(kept)], "--resume")...)
	ok(t, append([]string{"simulate"}, append(kept, "--resume")...)...)
	for _, name := range []string{".csv", "-contacts.csv"} {
		assert.Equal(t, readText(t, at("whole"+name)), readText(t, at("part"+name)), name)
	}
	ruts := func(name string) any {
		c, err := sim.ReadCheckpoint(at(name + ".ckpt"))
		require.NoError(t, err)
		return c.Ruts
	}
	require.NotEmpty(t, ruts("whole"))
	assert.Equal(t, ruts("whole"), ruts("part"))

	// Of other frictions ruts are refused.
	path := driven(t, dir)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(readText(t, path), `"hold":`, `"ruts":true,"hold":`, 1)), 0o600))
	r := rungRun("simulate", path, "--until", "1")
	assert.Equal(t, 2, r.Status)
	assert.Contains(t, r.Err, "$.forces[0].friction.ruts: ")
}

// killedGround tells the test binary to be the process that TestSimulateGroundKilled ends, and where to write.
const killedGround = "RUNG_TEST_KILLED_GROUND"

// TestSimulateGroundKilled ends a process at whatever it is doing. Until then files of contacts and events that were
// there stay as they were; the run that goes on from the checkpoint has them whole, and they take their places.
func TestSimulateGroundKilled(t *testing.T) {
	check.Long(t)
	args := func(dir, name string, until float64, more ...string) []string {
		at := func(ending string) string { return filepath.Join(dir, name+ending) }
		return append([]string{"simulate", filepath.Join(dir, "rover.json"), "--until", strconv.FormatFloat(until, 'g', -1, 64), "--every", "0.0005",
			"--out", at(".csv"), "--contacts", at("-contacts.csv"), "--events", at("-events.csv")}, more...)
	}
	if dir := os.Getenv(killedGround); dir != "" {
		cmd := simulate.Command(&simulate.Flags{Between: time.Millisecond})
		cmd.SetArgs(args(dir, "out", 1e4, "--checkpoint", filepath.Join(dir, "ckpt"))[1:])
		cmd.SetErr(io.Discard)
		_ = cmd.ExecuteContext(t.Context())
		os.Exit(shell.ExitDone)
	}
	const old = "an older file\n"
	before := []bool{true, false}
	for _, there := range before {
		dir := t.TempDir()
		driven(t, dir)
		files := []string{filepath.Join(dir, "out-contacts.csv"), filepath.Join(dir, "out-events.csv")}
		if there {
			for _, f := range files {
				require.NoError(t, os.WriteFile(f, []byte(old), 0o600))
			}
		}
		ckpt := filepath.Join(dir, "ckpt")
		cmd := exec.Command(os.Args[0], "-test.run=^TestSimulateGroundKilled$")
		cmd.Env = append(os.Environ(), killedGround+"="+dir)
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool {
			c, err := sim.ReadCheckpoint(ckpt)
			return err == nil && c.Rows > 500
		}, 20*time.Second, time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		if there {
			for _, f := range files {
				assert.Equal(t, old, readText(t, f))
			}
		}
		c, err := sim.ReadCheckpoint(ckpt)
		require.NoError(t, err)
		until := math.Ceil(10*c.Time+0.1) / 10
		ok(t, args(dir, "out", until, "--checkpoint", ckpt, "--resume")...)
		ok(t, args(dir, "whole", until)...)
		for _, ending := range []string{".csv", "-contacts.csv", "-events.csv"} {
			assert.Equal(t, readText(t, filepath.Join(dir, "whole"+ending)), readText(t, filepath.Join(dir, "out"+ending)), ending)
		}
		require.Greater(t, strings.Count(readText(t, files[1]), ",touch\n"), 2)
		left, err := filepath.Glob(filepath.Join(dir, "*.rung-*"))
		require.NoError(t, err)
		assert.Empty(t, left)
	}

	// Without a checkpoint, what was there stays, and it is said where the lines are.
	dir := t.TempDir()
	path := driven(t, dir)
	contacts := filepath.Join(dir, "out-contacts.csv")
	require.NoError(t, os.WriteFile(contacts, []byte(old), 0o600))
	r := stopped(t, 40, path, args(dir, "out", 1)[2:]...)
	assert.Equal(t, old, readText(t, contacts))
	assert.Contains(t, r.Err, contacts+" is as it was, the lines so far are in "+contacts+".rung-new")
	assert.True(t, strings.HasPrefix(readText(t, contacts+".rung-new"), "time,contact1.depth,"))
}

// edge writes a rover that drives off a level terrain, at x = 0.4 m.
func edge(t *testing.T, path string) {
	t.Helper()
	ok(t, "generate", "rover", "1", "-o", path)
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(readText(t, path)), &m))
	row := []float64{0, 0, 0, 0}
	ground := m["terrains"].([]any)[0].(map[string]any)
	m["terrains"] = []any{map[string]any{"name": ground["name"], "type": "grid", "origin": []float64{-2, -2}, "spacing": []float64{0.8, 1.5}, "heights": [][]float64{row, row, row, row}}}
	data, err := json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// TestGroundFilesOfARun: a run goes on only with the contacts and events that it has written, and says which file has others,
// which stays as it is.
func TestGroundFilesOfARun(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	path := driven(t, dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	args := func(until string, more ...string) []string {
		return append([]string{"simulate", path, "--until", until, "--every", "0.01", "--quiet", "--out", at("x.csv"), "--contacts", at("c.csv"), "--events", at("e.csv"), "--checkpoint", at("k")}, more...)
	}
	ok(t, args("0.3")...)
	for _, name := range []string{"c.csv", "e.csv"} {
		right := readText(t, at(name))
		last := strings.LastIndexByte(strings.TrimSuffix(right, "\n"), '\n') + 1
		require.Positive(t, last, name)
		for says, wrong := range map[string]string{
			"lines, the checkpoint goes on behind": right[:last],
			"that of the lines of the run":         right[:last+2] + string(right[last+2]^1) + right[last+3:],
		} {
			require.NoError(t, os.WriteFile(at(name), []byte(wrong), 0o600))
			r := rungRun(args("0.4", "--resume")...)
			assert.Equal(t, shell.ExitUse, r.Status)
			assert.Contains(t, r.Err, "rung: "+at(name)+": ")
			assert.Contains(t, r.Err, says)
			assert.True(t, wrong == readText(t, at(name)), "it is not changed")
		}
		require.NoError(t, os.Remove(at(name)))
		r := rungRun(args("0.4", "--resume")...)
		assert.Equal(t, shell.ExitUse, r.Status)
		assert.Equal(t, "rung: "+at(name)+": no such file or directory\n", r.Err)
		require.NoError(t, os.WriteFile(at(name), []byte(right), 0o600))
	}
	ok(t, args("0.4", "--resume")...)
}
