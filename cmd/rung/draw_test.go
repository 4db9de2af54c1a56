package main

import (
	"bytes"
	"encoding/json"
	"image/gif"
	"os"
	"path/filepath"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn makes a model and a run of it in a folder.
func drawn(t *testing.T) (model, run string) {
	t.Helper()
	folder := t.TempDir()
	model, run = filepath.Join(folder, "model.json"), filepath.Join(folder, "run.csv")
	ok(t, "generate", "scissor", "2", "-o", model)
	ok(t, "simulate", model, "--until", "0.2", "--every", "0.05", "-o", run)
	return model, run
}

// The MCAP of a run has a message of transforms a row, at the time of the row.
func TestDrawMCAP(t *testing.T) {
	model, run := drawn(t)
	out := filepath.Join(filepath.Dir(model), "run.mcap")
	ok(t, "draw", model, "--run", run, "-o", out)
	data, err := os.ReadFile(out)
	require.NoError(t, err)
	r, err := mcap.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	defer r.Close()
	it, err := r.Messages()
	require.NoError(t, err)
	var times []float64
	for {
		_, channel, m, err := it.NextInto(nil)
		if err != nil {
			break
		}
		assert.True(t, json.Valid(m.Data))
		if channel.Topic == "/tf" {
			times = append(times, float64(m.LogTime)/1e9)
		}
	}
	assert.InDeltaSlice(t, []float64{0, 0.05, 0.1, 0.15, 0.2}, times, 1e-9)
}

// A GIF plays the run as long as the flags say.
func TestDrawGIF(t *testing.T) {
	check.Long(t)
	model, run := drawn(t)
	out := filepath.Join(filepath.Dir(model), "run.gif")
	for _, c := range []struct {
		frames, ticks, width int
		args                 []string
	}{
		{5, 24, 600, nil}, // of six pictures two show one row
		{5, 50, 320, []string{"--fps", "10", "--seconds", "0.4", "--size", "320x240"}},
		{3, 75, 320, []string{"--fps", "4", "--seconds", "0.5", "--size", "320x240", "--passes", "2"}},
	} {
		ok(t, append([]string{"draw", model, "--run", run, "-o", out}, c.args...)...)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		g, err := gif.DecodeAll(bytes.NewReader(data))
		require.NoError(t, err)
		ticks := 0
		for _, d := range g.Delay {
			ticks += d
		}
		assert.Equal(t, []int{c.frames, c.ticks, c.width}, []int{len(g.Image), ticks, g.Config.Width}, "%v", c.args)
	}
}

// The page of a run in a file has its rows.
func TestDrawHTML(t *testing.T) {
	model, run := drawn(t)
	out := filepath.Join(filepath.Dir(model), "run.html")
	ok(t, "draw", model, "--run", run, "-o", out)
	data, err := os.ReadFile(out)
	require.NoError(t, err)
	for _, part := range []string{"frame?block=0", "reactions?block=0", "times", "report", "series?column=energy.kinetic"} {
		assert.Contains(t, string(data), "data-path=\""+part+"\"")
	}
}

// What cannot be drawn is refused with the reason, and no file is left.
func TestDrawRefused(t *testing.T) {
	model, run := drawn(t)
	folder := filepath.Dir(model)
	late := filepath.Join(folder, "late.csv")
	text, err := os.ReadFile(run)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(late, bytes.Replace(text, []byte("\n0,"), []byte("\n-1,"), 1), 0o644))
	for _, c := range []struct {
		status int
		text   string
		args   []string
	}{
		{shell.ExitUse, "give -o FILE", []string{"draw", model}},
		{shell.ExitUse, "what is drawn ends in .svg, .png, .gif, .glb, .mcap, .html", []string{"draw", model, "-o", filepath.Join(folder, "x.bag")}},
		{shell.ExitUse, "want AZIMUTH,ELEVATION", []string{"draw", model, "-o", filepath.Join(folder, "x.svg"), "--from", "NaN,30"}},
		{shell.ExitUse, "--at 99: the trajectory goes from 0 to 0.2 s", []string{"draw", model, "--run", run, "--at", "99", "-o", filepath.Join(folder, "x.svg")}},
		{shell.ExitUse, "a picture that moves needs --run TRAJECTORY", []string{"draw", model, "-o", filepath.Join(folder, "x.gif")}},
		{shell.ExitUse, "--at is for a picture that stands still", []string{"draw", model, "--run", run, "--at", "0", "-o", filepath.Join(folder, "x.gif")}},
		{shell.ExitUse, "--fps is for a picture that moves, -o FILE.gif", []string{"draw", model, "--fps", "5", "-o", filepath.Join(folder, "x.png")}},
		{shell.ExitUse, "--fps 0: want more than 0, and at most 50", []string{"draw", model, "--run", run, "--fps", "0", "-o", filepath.Join(folder, "x.gif")}},
		{shell.ExitUse, "--seconds NaN: want a time", []string{"draw", model, "--run", run, "--seconds", "NaN", "-o", filepath.Join(folder, "x.gif")}},
		{shell.ExitUse, "--passes -1: want 0 to 65536", []string{"draw", model, "--run", run, "--passes", "-1", "-o", filepath.Join(folder, "x.gif")}},
		{shell.ExitFailed, "takes 6.75e+12 pixels, more than 1.07e+09 pixels: choose smaller or fewer pictures",
			[]string{"draw", model, "--run", run, "--seconds", "1e6", "-o", filepath.Join(folder, "x.gif")}},
		{shell.ExitUse, "no such file", []string{"draw", model, "-o", filepath.Join(folder, "no", "x.svg")}},
		{shell.ExitFailed, "time -1 s is not from 0", []string{"draw", model, "--run", late, "-o", filepath.Join(folder, "x.mcap")}},
	} {
		r := rungRun(c.args...)
		assert.Equal(t, c.status, r.Status, "%v: %s", c.args, r.Err)
		assert.Contains(t, r.Err, c.text)
	}
	left, err := filepath.Glob(filepath.Join(folder, "x.*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
