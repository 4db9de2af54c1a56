package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
)

// TestSweepPlot: the picture is the one that the study asks for, or the
// columns; it tells how many runs failed, and shares are drawn together.
func TestSweepPlot(t *testing.T) {
	check.Long(t)
	const crank = `{"name": "crank", "path": "joints[A].predecessor_frame.position[0]", `
	dir := sweepFolder(t, 1)
	at := func(name string) string { return filepath.Join(dir, name) }
	study := func(name, sampling, parameters string) string {
		text := `{"format": "rung-study/1", "model": "m.json", "run": {"until": 0.02, "step": 0.01, "integrator": "rk4"}, ` + sampling + `
		 "parameters": [` + parameters + `], "outputs": [{"column": "joint.O.q", "take": "max"}, {"name": "E", "column": "energy.kinetic", "take": "final"}]}`
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o666))
		return at(name)
	}
	line := study("line.json", "", crank+`"values": [1, 6, 2, 3]}`)
	grid := study("grid.json", "", crank+`"grid": {"from": 1, "to": 6, "count": 6}}, {"path": "bodies[coupler].mass", "values": [5, 4, 8, 2]}`)
	drawn := study("drawn.json", `"sampling": {"type": "random", "draws": 30, "seed": 1},`, crank+`"uniform": [1, 1.2]}, {"path": "gravity[1]", "unit": "<g>", "uniform": [-9, -8]}`)
	draw := func(study string, more ...string) string {
		ok(t, append([]string{"sweep", study, "--quiet", "--plot", at("p.svg")}, more...)...)
		text := readText(t, at("p.svg"))
		assert.True(t, strings.Contains(text, "<svg") && !strings.Contains(text, "NaN"))
		return text
	}
	has := func(text string, words ...string) {
		for _, word := range words {
			assert.True(t, strings.Contains(text, ">"+word+"<"), word) // Contains would print the picture
		}
	}
	has(draw(line, "-o", at("line.parquet")), "4 runs, 1 failed, a cross for each at the lower edge", "crank, m", "joint.O.q.max, rad")
	has(draw(grid, "-o", at("grid.parquet")), "24 runs, 8 failed; hatched: all failed", "crank, m", "bodies[coupler].mass, kg", "joint.O.q.max, rad")
	for _, i := range []string{"0", "1", "2"} {
		ok(t, "sweep", drawn, "-o", at(i+".parquet"), "--index", i, "--of", "3", "--quiet")
	}
	text := draw(drawn, "--from", at("2.parquet")+","+at("0.parquet"))
	has(text, "20 runs, 10 of the study not there", "joint.O.q.max, rad", "runs")
	assert.True(t, strings.Contains(text, ">mean "))
	has(draw(drawn, "--from", at("0.parquet")+","+at("1.parquet")+","+at("2.parquet"), "--plot-columns", "crank,gravity[1],E"), "30 runs", "crank, m", "gravity[1], &lt;g&gt;", "E, J")
	ok(t, "sweep", drawn, "--from", at("0.parquet"), "--plot", at("p.png"), "--plot-columns", "gravity[1],E")
	img, err := png.Decode(strings.NewReader(readText(t, at("p.png"))))
	require.NoError(t, err)
	assert.Greater(t, img.Bounds().Dx(), 400)

	for want, args := range map[string][]string{
		"--from needs --plot FILE":                                                    {drawn, "--from", at("0.parquet")},
		"--plot-columns needs --plot FILE":                                            {drawn, "-o", at("x.parquet"), "--plot-columns", "E"},
		"--from draws and runs nothing":                                               {drawn, "-o", at("x.parquet"), "--from", at("0.parquet"), "--plot", at("p.svg")},
		"p.pdf: pictures end in .svg or .png":                                         {drawn, "-o", at("x.parquet"), "--plot", at("p.pdf")},
		`the runs have no numbers "F"; there are crank, gravity[1], joint.O.q.max, E`: {drawn, "-o", at("x.parquet"), "--plot", at("p.svg"), "--plot-columns", "F"},
		`--plot-columns has "E" twice`:                                                {drawn, "-o", at("x.parquet"), "--plot", at("p.svg"), "--plot-columns", "E,E"},
		`--plot-columns has 4 names; a picture has at most 3`:                         {drawn, "-o", at("x.parquet"), "--plot", at("p.svg"), "--plot-columns", "E,crank,gravity[1],joint.O.q.max"},
		"run 0 is there twice":                                                        {drawn, "--from", at("0.parquet") + "," + at("0.parquet"), "--plot", at("p.svg")},
		`line.parquet has no column "gravity[1]"`:                                     {drawn, "--from", at("line.parquet"), "--plot", at("p.svg")},
		"run 0 is of another study: it has":                                           {study("other.json", `"sampling": {"type": "random", "draws": 30, "seed": 2},`, crank+`"uniform": [1, 1.2]}, {"path": "gravity[1]", "uniform": [-9, -8]}`), "--from", at("0.parquet"), "--plot", at("p.svg")},
		"m.json: ":                                                                    {drawn, "--from", at("m.json"), "--plot", at("p.svg")},
		"none.parquet: no such file or directory":                                     {drawn, "--from", at("none.parquet"), "--plot", at("p.svg")},
		"the file would replace the model":                                            {drawn, "--from", at("0.parquet"), "--plot", at("m.svg")},
	} {
		if strings.HasPrefix(want, "the file") {
			require.NoError(t, os.Symlink(at("m.json"), at("m.svg")))
		}
		r := rungRun(append([]string{"sweep"}, args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, want)
		assert.Contains(t, r.Err, want)
		assert.NoFileExists(t, at("x.parquet"), want)
	}
	none := study("none.json", "", crank+`"values": [6, 7]}`)
	r := rungRun("sweep", none, "-o", at("none.parquet"), "--plot", at("none.svg"))
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, `nothing to draw: no run has "crank" and "joint.O.q.max"`)
	assert.FileExists(t, at("none.parquet"))
	assert.NoFileExists(t, at("none.svg"))
}

// TestSweepCurves draws columns of trajectories, a curve a run, over
// time and over each other, of the sweep and of shares.
func TestSweepCurves(t *testing.T) {
	check.Long(t)
	dir := sweepFolder(t, 10)
	at := func(name string) string { return filepath.Join(dir, name) }
	has := func(words ...string) {
		text := readText(t, at("p.svg"))
		for _, word := range words {
			assert.True(t, strings.Contains(text, ">"+word+"<"), word)
		}
		assert.False(t, strings.Contains(text, "NaN"))
	}
	ok(t, sweepArgs(dir, "a", "--quiet", "--plot", at("p.svg"), "--plot-curves", "joint.O.q,joint.A.q")...)
	has("16 runs, 4 of the study without rows", "joint.O.q, rad", "joint.A.q, rad", "mean")
	for _, i := range []string{"0", "1"} {
		ok(t, sweepArgs(dir, i, "--quiet", "--index", i, "--of", "2")...)
	}
	ok(t, sweepArgs(dir, "one", "--quiet", "--index", "1", "--of", "20")...) // the run with which a table ends may begin the next
	both, one := at("0-paths.parquet")+","+at("1-paths.parquet"), at("one-paths.parquet")
	ok(t, "sweep", at("s.json"), "--from", both, "--plot", at("p.svg"), "--plot-curves", "joint.O.q")
	has("time, s", "joint.O.q, rad")
	for want, args := range map[string][]string{
		"--plot-curves needs --plot FILE, and is not for --plot-columns": {"--from", both, "--plot-curves", "joint.O.q"},
		"--plot-curves has 3 names; a curve has at most 2":               {"--from", both, "--plot", at("p.svg"), "--plot-curves", "joint.O.q,joint.A.q,joint.B.q"},
		`the study keeps no trajectory "crank.px"; there are joint.O.q`:  {"--from", both, "--plot", at("p.svg"), "--plot-curves", "crank.px"},
		"run 1 is there twice":                   {"--from", both + "," + at("0-paths.parquet"), "--plot", at("p.svg"), "--plot-curves", "joint.O.q"},
		one + ": run 1 is there twice":           {"--from", one + "," + one, "--plot", at("p.svg"), "--plot-curves", "joint.O.q"},
		"is no table of rung-run-trajectories/1": {"--from", at("a.parquet"), "--plot", at("p.svg"), "--plot-curves", "joint.O.q"},
	} {
		r := rungRun(append([]string{"sweep", at("s.json")}, args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, want)
		assert.Contains(t, r.Err, want)
	}
}
