//go:build !small

package picture

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLogPanel: the axis is one that can be drawn where all values are the same.
func TestLogPanel(t *testing.T) {
	for _, drift := range []float64{1e-18, 3e-12, 1e-10, 2} {
		c := Chart{X: []float64{0, 1, 2}}
		p, err := c.logPanel(&Panel{Log: true, Curves: []Curve{{"drift", []float64{drift, drift, drift}}}})
		require.NoError(t, err)
		require.Greater(t, p.Y.Max, p.Y.Min, "drift %v", drift)
		assert.LessOrEqual(t, p.Y.Min, math.Log10(drift))
		assert.GreaterOrEqual(t, p.Y.Max, math.Log10(drift))
		assert.InDelta(t, 1, p.Y.Max-p.Y.Min, 1e-6)
		require.Less(t, len(powers{}.Ticks(p.Y.Min, p.Y.Max)), 4)
	}
}

// TestWholeTicks: steps are marked at whole numbers, not too many of them.
func TestWholeTicks(t *testing.T) {
	for hi, want := range map[float64][]string{
		0.5: {"0"}, 1: {"0", "1"}, 3: {"0", "1", "2", "3"}, 12: {"0", "2", "4", "6", "8", "10", "12"}, 523: {"0", "100", "200", "300", "400", "500"},
	} {
		var labels []string
		for _, tick := range (wholes{}).Ticks(0, hi) {
			labels = append(labels, tick.Label)
		}
		assert.Equal(t, want, labels)
	}
}

// TestRoom: an axis of values that differ by rounding alone shows one value, and not its rounding.
func TestRoom(t *testing.T) {
	lo, hi := room(0.9-1e-12, 0.9+1e-12, 0.05)
	assert.InDelta(t, 0.855, lo, 1e-9)
	assert.InDelta(t, 0.945, hi, 1e-9)
	lo, hi = room(-5e-12, 5e-12, 0.05) // as of a drift
	assert.InDelta(t, -5.5e-12, lo, 1e-15)
	assert.InDelta(t, 5.5e-12, hi, 1e-15)
}
