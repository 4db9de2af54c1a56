//go:build !small

package simulate

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/table"
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

// TestSweepCurvesOfNumbers: a row without a number, or with one that no picture has room for, is named and not drawn as something else.
func TestSweepCurvesOfNumbers(t *testing.T) {
	for _, cell := range []table.Cell{{Null: true}, {Float: math.NaN()}, {Float: math.Inf(1)}, {Float: 1e301}} {
		c := &sweepCurves{names: []string{study.RunColumn, timeColumn, "x"}, of: 1, every: 1}
		row := []table.Cell{{}, {Float: 1}, cell}
		require.ErrorContains(t, c.take(row), `run 0 has `+cellText(cell)+` for "x"`)
	}
}
