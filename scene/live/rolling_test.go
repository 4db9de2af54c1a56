package live

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// TestRollingIsRefused: the methods of live sessions close poses, so that wheels that roll without slip are refused by name.
func TestRollingIsRefused(t *testing.T) {
	p, err := rung.NewPlan(modeltest.Rolling(0), rung.Options{})
	require.NoError(t, err)
	_, err = NewSession(p, p.Initial(), spatial.Vec3{}, Options{})
	require.ErrorIs(t, err, mechanism.ErrNonholonomic)
	require.ErrorContains(t, err, `joint "j0"`)
}
