package formatstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
)

// Sound holds that the report of a file that was read has no errors, and that its counts say of losses what its lines do.
func Sound(t testing.TB, report *source.Report) {
	t.Helper()
	require.False(t, report.Failed())
	require.Zero(t, report.Counts.Refused)
	require.Equal(t, report.Dropped() > 0, report.Counts.Dropped > 0, "%d losses, %+v", report.Dropped(), report.Counts)
}
