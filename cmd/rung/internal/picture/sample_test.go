//go:build !small

package picture

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRunsOfAnySize draws values that are all the same, zero, tiny and
// huge, single ones, and more points than are drawn one by one.
func TestRunsOfAnySize(t *testing.T) {
	many := make([]float64, mostPoints+1)
	for i := range many {
		many[i] = math.Sin(float64(i))
	}
	for _, x := range [][]float64{{0}, {3, 3, 3}, {1e-9, 2e-9}, {1e9, 1e9 + 1}, {-1e100, 1e100}, {5, math.Nextafter(5, 6)}, many} {
		var b bytes.Buffer
		require.NoError(t, Histogram(&b, "svg", &Sample{Title: "a", Label: "x, m", X: x}))
		require.NoError(t, Scatter(&b, "svg", &Cloud{X: x, Y: x, ZLabel: "z", Failed: []float64{7}}))
		require.NoError(t, Scatter(&b, "svg", &Cloud{X: x, Y: x, Z: x, ZLabel: "z"}))
		assert.False(t, strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf"), "%v", x[:1])
		assert.Less(t, b.Len(), 1<<20)
	}
	assert.Equal(t, [][2]int{{0, 2}, {2, 3}}, (&Cloud{X: []float64{1, 2, 5}, Failed: []float64{3}}).parts())
	assert.Equal(t, []float64{0.5, 1.5, 3, 5}, Edges([]float64{1, 2, 4}))
	edges := equal(0, 1, 4)
	for v, want := range map[float64]int{0: 0, 0.25: 1, 0.3: 1, 1: 3} {
		assert.Equal(t, want, binOf(edges, v))
	}
	mean, deviation := moments([]float64{1, 2, 3, 4})
	assert.Equal(t, 2.5, mean)
	assert.InDelta(t, math.Sqrt(5.0/3), deviation, 1e-15)
	assert.InDelta(t, 2.5, quantile([]float64{1, 2, 3, 4}, 0.5), 1e-15)
}
