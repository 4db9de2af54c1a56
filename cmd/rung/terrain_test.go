package main

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
)

// terrainReport is what the tests read of rung-terrain/1.
type terrainReport struct {
	Name      string
	Nodes     [2]int
	Origin    [2]float64
	Heights   struct{ Lowest, Highest, Mean, RMS float64 }
	Slopes    struct{ Largest, RMS float64 }
	Roughness float64
	Places    []struct {
		Height   float64
		Gradient [2]float64
		Normal   [3]float64
	}
	Warnings []string
}

func terrainJSON(t *testing.T, args ...string) (r terrainReport) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(ok(t, append([]string{"terrain", "--json"}, args...)...)), &r))
	return r
}

// TestTerrainMake makes, converts and reads back one field in all formats.
func TestTerrainMake(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	grid := []string{"--spacing", "0.5,0.25", "--origin=-3,1"}
	want := terrainJSON(t, append([]string{"random", "--size", "16x12", "--rms", "0.2", "--length", "2", "--seed", "42", "-o", at("a.csv"), "--at=0.3,2.1"}, grid...)...)
	require.Equal(t, [2]int{16, 12}, want.Nodes)
	require.InDelta(t, 0.2, want.Heights.RMS, 1e-14)
	require.InDelta(t, 0, want.Heights.Mean, 1e-15)
	require.LessOrEqual(t, want.Roughness, want.Heights.RMS)
	ok(t, append([]string{"terrain", at("a.csv"), "-o", at("b.csv"), "--points"}, grid...)...)
	ok(t, "terrain", at("b.csv"), "--layout", "points", "-o", at("c.obj"))
	require.Equal(t, 16*12, strings.Count(readText(t, at("c.obj")), "v "))
	got := terrainJSON(t, at("b.csv"), "--layout", "points", "--at", "0.3,2.1")
	require.Equal(t, want.Heights, got.Heights)
	require.InDelta(t, want.Places[0].Height, got.Places[0].Height, 1e-14)
	lo, hi := jsonNumber(want.Heights.Lowest), jsonNumber(want.Heights.Highest)
	ok(t, append([]string{"terrain", at("a.csv"), "-o", at("d.png")}, grid...)...)
	got = terrainJSON(t, append([]string{at("d.png"), "--lowest=" + lo, "--highest=" + hi, "--at=0.3,2.1"}, grid...)...)
	require.InDelta(t, want.Places[0].Height, got.Places[0].Height, 1e-5)
	require.InDelta(t, want.Slopes.Largest, got.Slopes.Largest, 1e-3)
	text := ok(t, append([]string{"terrain", at("a.csv"), "-o", "-"}, grid...)...)
	require.Equal(t, readText(t, at("a.csv")), text)
	r := rungWith(text, append([]string{"terrain", "-", "--json"}, grid...)...)
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
}

func jsonNumber(x float64) string {
	b, _ := json.Marshal(x)
	return string(b)
}

// TestTerrainFunction: numbers by hand.
func TestTerrainFunction(t *testing.T) {
	r := terrainJSON(t, "function", "3*x + x*y", "--size", "5x4", "--origin", "1,2", "--add", "4*y - x*y", "--at", "2,2", "--at=-9,9")
	require.InDelta(t, 11, r.Heights.Lowest, 1e-12)
	require.InDelta(t, 35, r.Heights.Highest, 1e-12)
	require.InDelta(t, 23, r.Heights.Mean, 1e-12)
	require.InDelta(t, 5, r.Slopes.Largest, 1e-12)
	require.InDelta(t, 0, r.Roughness, 1e-6)
	require.InDelta(t, 14, r.Places[0].Height, 1e-12)
	require.InDeltaSlice(t, []float64{3, 4}, r.Places[1].Gradient[:], 1e-12)
	r = terrainJSON(t, "function", "1/(x-0.5*16/32)", "--size", "9x9", "--spacing", "1", "--origin", "0,0") // a probe meets x = 0.25
	require.Len(t, r.Warnings, 1)
	require.Contains(t, r.Warnings[0], "at x 0.25, y 0")
	text := ok(t, "terrain", "function", "x^2", "--at", "1,2")
	clitest.RequireColumns(t, text)
	for _, says := range []string{"z = x^2: 61 × 61 nodes", "0 to 60 m, spacing 1 m", "0 to 3600 m", "largest 120 (89.5°)", "gradient"} {
		require.Contains(t, text, says)
	}
}

// TestTerrainPictures draws maps and reliefs in both formats.
func TestTerrainPictures(t *testing.T) {
	check.Long(t)
	if !picture.Drawn {
		t.Skip("built with the tag small")
	}
	dir := t.TempDir()
	for _, ending := range picture.Endings {
		plot, relief := filepath.Join(dir, "map"+ending), filepath.Join(dir, "relief"+ending)
		ok(t, "terrain", "random", "--size", "20x10", "--plot", plot, "--gradient", "--relief", relief, "--normals")
		for _, path := range []string{plot, relief} {
			text := readText(t, path)
			if ending == ".png" {
				img, err := png.Decode(strings.NewReader(text))
				require.NoError(t, err)
				assert.Greater(t, img.Bounds().Dx(), 400)
				continue
			}
			assert.True(t, strings.Contains(text, ">gaussian random ground, seed 1<"))
		}
	}
}

// TestTerrainBad: what is wrong is said in lines of their own, with the status of bad use.
func TestTerrainBad(t *testing.T) {
	dir := t.TempDir()
	ragged := filepath.Join(dir, "field.csv")
	require.NoError(t, os.WriteFile(ragged, []byte("1,2,3,4\n1,2,3\n1,2,3,4\n1,2,x,4\n"), 0o600))
	small := filepath.Join(dir, "small.csv")
	require.NoError(t, os.WriteFile(small, []byte("1,2\n3,4\n"), 0o600))
	cut := filepath.Join(dir, "cut.png")
	require.NoError(t, os.WriteFile(cut, []byte("\x89PNG\r\n\x1a\n\x00\x00"), 0o600))
	for _, c := range []struct {
		says   string
		status int
		args   []string
	}{
		{ragged + ":4:5: not a finite number (value \"x\")\n" + ragged + ":2: 3 heights, other lines have 4\n", shell.ExitUse, []string{ragged}},
		{"rung: " + small + ": 2 × 2 nodes; interpolation spline needs 4 × 4 at least\n", shell.ExitUse, []string{small}},
		{cut + ": not a PNG picture\n", shell.ExitUse, []string{cut}},
		{"rung: " + filepath.Join(dir, "no.csv") + ": no such file or directory\n", shell.ExitUse, []string{filepath.Join(dir, "no.csv")}},
		{`rung: expression, character 3: expected a number, x, y, pi, a function, a sign or "(", found the end`, shell.ExitUse, []string{"function", "x+"}},
		{"rung: --add: expression, character 1: ", shell.ExitUse, []string{"random", "--add", "z"}},
		{"rung: missing FILE, random or function", shell.ExitUse, nil},
		{"rung: missing EXPRESSION", shell.ExitUse, []string{"function"}},
		{`rung: unexpected argument "y"; write the expression in quotes`, shell.ExitUse, []string{"function", "x", "y"}},
		{"rung: field.txt: terrains are random, function, or files ending in .csv or .png", shell.ExitUse, []string{"field.txt"}},
		{"rung: --rms does not belong to a CSV file", shell.ExitUse, []string{small, "--rms", "1"}},
		{"rung: --spacing does not belong to a CSV file of points", shell.ExitUse, []string{small, "--layout", "points", "--spacing", "1"}},
		{"rung: --size does not belong to a PNG file", shell.ExitUse, []string{cut, "--size", "3x3"}},
		{`rung: --size: nodes along x and y such as 61x61 are wanted (value "61")`, shell.ExitUse, []string{"random", "--size", "61"}},
		{"rung: --size: 65536 × 65536 nodes; a grid has 2³¹ at most", shell.ExitUse, []string{"random", "--size", "65536x65536"}},
		{"rung: --size 30000x30000: function takes 7.2 GB, more than 2.15 GB: choose fewer nodes, or make the terrain in parts\n", shell.ExitUse, []string{"function", "x", "--size", "30000x30000"}},
		{"rung: --size 16000x16000: function takes 4.1 GB, more than 2.15 GB: ", shell.ExitUse, []string{"function", "x", "--size", "16000x16000", "--add", "y"}},
		{"rung: --size 3x20000000: random takes 5.6 GB, more than 2.15 GB: ", shell.ExitUse, []string{"random", "--size", "3x20000000"}},
		{`rung: --at: two numbers such as 1.5,-2 are wanted (value "1")`, shell.ExitUse, []string{"random", "--at", "1"}},
		{`rung: no layout "lines"; there are matrix, points`, shell.ExitUse, []string{small, "--layout", "lines"}},
		{"rung: hurst is not between 0 and 1 (value 2)", shell.ExitUse, []string{"random", "--kind", "fractal", "--hurst", "2"}},
		{"rung: the spacing along x is not above 0 and finite (value 0)\nthe spacing along y is not", shell.ExitUse, []string{"random", "--spacing", "0"}},
		{"rung: a.txt: heights are written to files ending in .csv, .png or .obj", shell.ExitUse, []string{"random", "-o", "a.txt"}},
		{"rung: --gradient needs a map to stand in: --plot FILE", shell.ExitUse, []string{"random", "--gradient"}},
		{"rung: --at 99,0: off the terrain\n", shell.ExitFailed, []string{"random", "--at", "99,0"}},
		{"rung: the height is not finite, or it has no finite slope at x 0, y 0\n", shell.ExitFailed, []string{"function", "1/x"}},
	} {
		r := rungRun(append([]string{"terrain"}, c.args...)...)
		assert.Equal(t, c.status, r.Status, c.says)
		assert.True(t, strings.HasPrefix(r.Err, c.says), "%q, not %q", r.Err, c.says)
		assert.Empty(t, r.Out)
	}
}
