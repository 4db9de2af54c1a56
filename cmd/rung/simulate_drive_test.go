package main

import (
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
)

// TestSimulateDrive drives all vehicles by force balance, and draws them from all sides.
func TestSimulateDrive(t *testing.T) {
	check.Long(t)
	wheels := map[string]string{"rover": "fl0", "rocker-bogie": "wheell0_0", "road-train": "rr0", "tracked": "wheelr_1"}
	for family, wheel := range wheels {
		t.Run(family, func(t *testing.T) {
			dir := t.TempDir()
			file := func(name string) string { return filepath.Join(dir, name) }
			ok(t, "simulate", generated(t, family, "1"), "--until", "2", "--integrator", "force-balance", "--step", "0.02", "--out", file("a.csv"),
				"--view", file("v.svg"), "--gradient", "--side", file("s.svg"), "--relief", file("r.png"), "--plot", file("p.svg"))
			view := readText(t, file("v.svg"))
			for _, word := range []string{family + "-1, 0 to 2 s, outlines every 0.2 s", "x, m", "y, m", wheel} {
				assert.True(t, strings.Contains(view, ">"+word+"<"), word)
			}
			side := readText(t, file("s.svg"))
			for _, word := range []string{family + "-1, from the right, true scale", "ground left", "ground right", "along the track, m", "0 s"} {
				assert.True(t, strings.Contains(side, ">"+word+"<"), word)
			}
			assert.False(t, strings.Contains(view+side, "NaN"))
			img, err := png.Decode(strings.NewReader(readText(t, file("r.png"))))
			require.NoError(t, err)
			assert.Greater(t, img.Bounds().Dx(), 400)
			assert.Equal(t, 102, strings.Count(readText(t, file("a.csv")), "\n"))
		})
	}
}

// TestSimulateDriveUse: pictures of drives need wheels, and force-balance steps a step.
func TestSimulateDriveUse(t *testing.T) {
	rover := generated(t, "rover", "1")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--view, --side and --relief draw wheels on a terrain: the model has no contact", []string{golden("four-bar"), "--view", "a.svg"}},
		{"--gradient needs a view to stand in: --view FILE", []string{rover, "--gradient", "--side", "a.svg"}},
		{"a.jpg: pictures end in .svg or .png", []string{rover, "--relief", "a.jpg"}},
		{"a.svg: the picture would replace this file", []string{rover, "--view", "a.svg", "--side", "a.svg"}},
		{"force-balance has no error control: give --step", []string{rover, "--integrator", "force-balance"}},
		{"force-balance has a spanning tree of its own: --method is not for it", []string{rover, "--integrator", "force-balance", "--step", "0.02", "--method", "tree-direct"}},
		{"force-balance has no accelerations to feed violations back in: --stabilize baumgarte is not for it", []string{rover, "--integrator", "force-balance", "--step", "0.02", "--stabilize", "baumgarte"}},
	} {
		r := rungRun(append([]string{"simulate", "--until", "1"}, c.args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, c.want)
		assert.Contains(t, r.Err, c.want)
	}
}
