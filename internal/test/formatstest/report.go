package formatstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
)

// Sound fails the test if the report of a file has errors, or if its counts and its lines do not agree on losses.
func Sound(t testing.TB, report *source.Report) {
	t.Helper()
	require.False(t, report.Failed())
	require.Zero(t, report.Counts.Refused)
	require.Equal(t, report.Dropped() > 0, report.Counts.Dropped > 0, "%d losses, %+v", report.Dropped(), report.Counts)
}
