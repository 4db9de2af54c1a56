package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// blocks returns the blocks of a page in a language.
func blocks(page, language string) (list []string) {
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(page, -1) {
		list = append(list, m[1])
	}
	return list
}

// fields splits a command line at blanks outside of quotes.
func fields(line string) (list []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		list = append(list, m[1]+m[2])
	}
	return list
}

// same compares two texts word by word: numbers to their third digit, those that are rounding by that alone.
func same(t *testing.T, want, got, command string) {
	t.Helper()
	counts := regexp.MustCompile(` after \d+ steps?( and \d+\s+restarts?)?|, from\s+any\s+of\s+\d+\s+starts`) // of a method that may become better
	a, b := strings.Fields(counts.ReplaceAllString(want, "")), strings.Fields(counts.ReplaceAllString(got, ""))
	require.Len(t, b, len(a), "%s\nprints\n%s", command, got)
	for i := range a {
		x, ex := strconv.ParseFloat(a[i], 64)
		y, ey := strconv.ParseFloat(b[i], 64)
		if ex != nil || ey != nil {
			require.Equal(t, a[i], b[i], "%s\nprints\n%s", command, got)
			continue
		}
		require.LessOrEqual(t, math.Abs(x-y), 2e-3*math.Abs(x)+1e-9, "%s\nprints\n%s", command, got)
	}
}

// TestTutorial runs the tutorial of inverse kinematics: its files are
// those of the example, and its commands print what it says.
func TestTutorial(t *testing.T) {
	check.Long(t)
	text, err := os.ReadFile("../../docs/tutorial-ik.md")
	require.NoError(t, err)
	page := string(text)
	files, err := filepath.Glob("../../examples/reach/*.json")
	require.NoError(t, err)
	dir := t.TempDir()
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		if filepath.Base(file) != "stewart.json" { // which the program writes
			assert.Contains(t, blocks(page, "json"), string(b), "%s is not in the tutorial as it is", file)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), b, 0o600))
	}
	source, err := os.ReadFile(filepath.Join(filepath.Dir(files[0]), "main.go"))
	require.NoError(t, err)
	// internal/arch runs the programs. The platform of the first one is that of the example.
	_, platform, ok := strings.Cut(blocks(page, "go")[0], "// corner ")
	require.True(t, ok)
	platform, _, ok = strings.Cut(platform, "\nfunc main() {")
	require.True(t, ok)
	assert.Contains(t, string(source), platform)
	t.Chdir(dir)
	assert.Greater(t, runPage(t, page), 6)
}

// runPage runs the commands of a page, which print what it says, and returns how many there are.
func runPage(t *testing.T, page string) (runs int) {
	t.Helper()
	for _, block := range blocks(page, "console") {
		for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			args := fields(command)
			if args[0] != "rung" {
				continue
			}
			runs++
			r := rungRun(args[1:]...)
			same(t, want, r.Out+r.Err, command)
		}
	}
	return runs
}

// TestTutorialGround runs the tutorial of the ground: what it says of the model is there, its commands print what it
// says, and the rover is where it says.
func TestTutorialGround(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	text, err := os.ReadFile("../../docs/tutorial-ground.md")
	require.NoError(t, err)
	page := string(text)
	dir := t.TempDir()
	folder := filepath.Join("..", "..", "examples", "rover")
	files := map[string]string{}
	for _, name := range []string{"rover.json", "hills.png"} {
		b, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		files[name] = string(b)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	for _, part := range blocks(page, "json") {
		assert.Contains(t, files["rover.json"], strings.TrimSpace(part))
	}
	t.Chdir(dir)
	assert.Equal(t, 6, runPage(t, page))
	for _, name := range []string{"hills.svg", "relief.png", "view.png", "side.png", "drive.png", "row.svg", "contacts.csv"} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Greater(t, info.Size(), int64(10000), name)
	}
	assert.Equal(t, "time,contact,event\n", readText(t, "events.csv"), "no wheel leaves the ground")
	fast, exact := lastPlace(t, "rover.csv"), lastPlace(t, "exact.csv")
	assert.InDelta(t, 0.05, math.Hypot(fast[0]-exact[0], fast[1]-exact[1]), 0.005)
}

// TestTutorialCams builds the valve train from the tutorial alone, in an empty folder. Its commands print what it says, and what it says of forces,
// torques and lifts holds in the tables that they write.
func TestTutorialCams(t *testing.T) {
	check.Long(t)
	text, err := os.ReadFile("../../docs/tutorial-cams.md")
	require.NoError(t, err)
	page := string(text)
	t.Chdir(t.TempDir())
	parts := blocks(page, "json")
	require.Len(t, parts, 3)
	before, _, ok := strings.Cut(parts[0], " \"couplings\": [")
	require.True(t, ok)
	for name, text := range map[string]string{"valve.json": parts[0], "speeds.json": parts[1], "measured.json": before + parts[2] + "}\n"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	assert.Equal(t, 4, runPage(t, page))
	low, high := extremes(t, "turn.csv")
	assert.InDeltaSlice(t, []float64{333, -5.6}, low[2:], 0.3)
	assert.InDelta(t, -10.6e-3, low[1], 0.05e-3)
	assert.InDeltaSlice(t, []float64{549, 5.6}, high[2:], 0.4)
	low, high = extremes(t, "measured.csv")
	assert.InDelta(t, -10.6e-3, low[1], 0.05e-3)
	assert.InDelta(t, 0.02e-3, high[1], 0.005e-3)
	for _, name := range []string{"turn.svg", "speeds.svg"} {
		assert.Contains(t, readText(t, name), "<svg")
	}
}

// extremes returns the least and the largest value of each column of a table.
func extremes(t *testing.T, path string) (low, high []float64) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(readText(t, path)), "\n")[1:] {
		for k, cell := range strings.Split(line, ",") {
			x, err := strconv.ParseFloat(cell, 64)
			require.NoError(t, err)
			if i == 0 {
				low, high = append(low, x), append(high, x)
			}
			low[k], high[k] = min(low[k], x), max(high[k], x)
		}
	}
	return low, high
}

// lastPlace returns where the first body of a trajectory is at its end.
func lastPlace(t *testing.T, path string) (p [3]float64) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(readText(t, path)), "\n")
	cells := strings.Split(lines[len(lines)-1], ",")
	for i := range p {
		x, err := strconv.ParseFloat(cells[1+i], 64)
		require.NoError(t, err)
		p[i] = x
	}
	return p
}
