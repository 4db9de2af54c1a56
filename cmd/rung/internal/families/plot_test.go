package families

import (
	"testing"

	"github.com/rung-mbd/rung/bench/growth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlotNeedsRecords(t *testing.T) {
	require.Error(t, WritePlot(nil, nil, "svg"))
}

// TestLineOf names a line with its growth, where there is one.
func TestLineOf(t *testing.T) {
	one := growth.Record{Family: "ladder", Method: sparseMethod, Bodies: 10, TotalNs: 1000}
	two := one
	two.Bodies, two.TotalNs = 100, 100000
	assert.Equal(t, "ladder, sparse", lineOf([]growth.Record{one}).Name)
	assert.Equal(t, "ladder, sparse: n^2.00", lineOf([]growth.Record{one, two}).Name)
}
