package simulate

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSimulateCurves thins a long run out: the largest drift stays.
func TestSimulateCurves(t *testing.T) {
	c := &curves{energy: 1, stride: 1, chosen: []int{0}, names: []string{"time"}}
	const rows, peak = 10 * curvePoints, 12345
	for i := range rows {
		drift := 1e-15
		if i == peak {
			drift = 1
		}
		c.Add([]float64{float64(i), 1, 2, drift, drift / 2})
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

// TestPlotWithoutDrift: a drift of nothing is one that a logarithmic axis can show.
func TestPlotWithoutDrift(t *testing.T) {
	c := &curves{points: [][]float64{{0, 1, 2, 0, 0}, {1, 1, 2, 3e-12, 0}}}
	assert.Equal(t, []float64{leastDrift, 3e-12}, c.drift(curvePosition))
}
