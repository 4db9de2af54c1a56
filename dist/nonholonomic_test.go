package dist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
)

// TestNonholonomic: pieces do not close poses without rows of velocities, and so refuse these, on one rank too.
func TestNonholonomic(t *testing.T) {
	m := modeltest.Rolling(0)
	err := dist.Run(1, func(c dist.Comm) error {
		_, err := dist.NewPlan(c, m, dist.Options{})
		return err
	})
	require.ErrorIs(t, err, dist.ErrUnsupported)
	require.ErrorIs(t, err, mechanism.ErrNonholonomic)
	require.ErrorContains(t, err, `joint "j0"`)
}
