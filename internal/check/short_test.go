package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// TestRandom: a whole run takes so many times as many cases as the environment says, a short one those that it has.
func TestRandom(t *testing.T) {
	t.Setenv("RUNG_MORE", "")
	require.Equal(t, check.Few(20, 3), check.Random(20, 3))
	t.Setenv("RUNG_MORE", "7")
	require.Equal(t, check.Few(140, 3), check.Random(20, 3))
	require.Equal(t, 7, check.More())
	for _, text := range []string{"0", "-1", "ten", "1e1", "10001"} {
		t.Setenv("RUNG_MORE", text)
		require.Panics(t, func() { check.More() }, text)
	}
}
