package main

import (
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSimulatePlot draws runs short and long, in both formats.
func TestSimulatePlot(t *testing.T) {
	for name, args := range map[string][]string{
		"a.svg": {"--until", "1"},
		"b.png": {"--until", "1", "--plot-columns", "crank.px,rocker.wz,p1.force.x", "--wrenches", "p1"},
		"c.SVG": {"--until", "1", "--every", "0.0001"}, // more rows than points
		"d.svg": {"--until", "1e-9", "--every", "1"},   // one row
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
		for _, word := range []string{"four-bar", "kinetic", "potential", "total", "energy, J", "drift", "crank.px", "crank.py", "crank.pz", "time, s"} {
			assert.Contains(t, text, ">"+word+"<", name)
		}
		assert.NotContains(t, text, "NaN")
	}
}

// TestSimulateCurves thins a long run out: the largest drift stays.
func TestSimulateCurves(t *testing.T) {
	c := &curves{energy: 1, stride: 1, chosen: []int{0}, names: []string{"time"}}
	const rows, peak = 10 * curvePoints, 12345
	for i := range rows {
		drift := 1e-15
		if i == peak {
			drift = 1
		}
		c.add([]float64{float64(i), 1, 2, drift, drift / 2})
	}
	assert.LessOrEqual(t, len(c.points), curvePoints)
	assert.Greater(t, len(c.points), curvePoints/4)
	largest := 0.0
	for i, p := range c.points {
		assert.Equal(t, float64(i)*float64(c.stride), p[curveTime])
		assert.Equal(t, p[curveTime], p[curveChosen])
		if p[curvePosition] == 1 {
			assert.InDelta(t, peak, p[curveTime], float64(c.stride))
		}
		largest = max(largest, p[curvePosition])
	}
	assert.Equal(t, 1.0, largest)
}

// TestPlotWithoutDrift: the axis of the drift is one that can be drawn, where there is none, or always the same.
func TestPlotWithoutDrift(t *testing.T) {
	for _, drift := range []float64{0, 1e-18, 3e-12, 1e-10, 2} {
		c := &curves{}
		for i := range 3 {
			c.points = append(c.points, []float64{float64(i), 1, 2, drift, drift})
		}
		p, err := c.driftPanel([]curve{{"drift", func(p []float64) float64 { return p[curvePosition] }}})
		require.NoError(t, err)
		require.Greater(t, p.Y.Min, 0.0, "drift %v", drift) // powers would count to infinity
		require.Greater(t, p.Y.Max, p.Y.Min)
		assert.LessOrEqual(t, p.Y.Min, max(drift, leastDrift))
		assert.GreaterOrEqual(t, p.Y.Max, drift)
		assert.InDelta(t, 10, p.Y.Max/p.Y.Min, 1e-6)
		require.Less(t, len(powers{}.Ticks(p.Y.Min, p.Y.Max)), 4)
	}
}
