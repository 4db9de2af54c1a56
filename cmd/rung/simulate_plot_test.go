package main

import (
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestSimulatePlot draws runs short and long, in both formats.
func TestSimulatePlot(t *testing.T) {
	check.Long(t)
	for name, args := range map[string][]string{
		"a.svg": {"--until", "1"},
		"b.png": {"--until", "1", "--plot-columns", "crank.px,rocker.wz,p1.force.x", "--wrenches", "p1"},
		"c.SVG": {"--until", "0.5", "--every", "0.0001"}, // more rows than points
		"d.svg": {"--until", "1e-9", "--every", "1"},     // one row
	} {
		path := filepath.Join(t.TempDir(), name)
		ok(t, append([]string{"simulate", golden("four-bar"), "--plot", path}, args...)...)
		text := readText(t, path)
		if strings.HasSuffix(name, ".png") {
			img, err := png.Decode(strings.NewReader(text))
			require.NoError(t, err)
			assert.Greater(t, img.Bounds().Dx(), 400)
			continue
		}
		assert.Contains(t, text, "<svg")
		for _, word := range []string{"four-bar", "kinetic", "potential", "total", "change of energy, J", "drift", "m", "time, s"} {
			assert.Contains(t, text, ">"+word+"<", name)
		}
		assert.NotContains(t, text, "NaN")
	}
}
