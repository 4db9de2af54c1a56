//go:build !small

package simulate

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSweepTooLarge: numbers whose extent is not finite are refused
// with their run and column; a picture of them has no axis.
func TestSweepTooLarge(t *testing.T) {
	axisOf := func(name string, value ...float64) *axis { return &axis{name: name, label: name, value: value} }
	for _, axes := range [][]*axis{
		{axisOf("y", 1, -1.7e308, 1.7e308)},
		{axisOf("x", 1, 2, 3), axisOf("y", 1, -1.7e308, 1.7e308)},
		{axisOf("x", 1, 2, 3), axisOf("y", 1, -1.7e308, 1.7e308), axisOf("z", 1, 1, 1)},
	} {
		var b bytes.Buffer
		err := (&sweepPicture{axes: axes}).write(&b, "svg")
		require.Error(t, err)
		assert.Equal(t, `run 1 has "y" -1.7e+308, a picture has room for numbers up to 1e+300`, err.Error())
	}
	for _, x := range []float64{1e300, 5e-324, 0} {
		var b bytes.Buffer
		require.NoError(t, (&sweepPicture{axes: []*axis{axisOf("y", -x, x, math.NaN())}}).write(&b, "svg"))
		assert.NotContains(t, b.String(), "NaN")
	}
}
