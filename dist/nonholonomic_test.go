//rung:race
package dist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
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

// A wheel that only touches the plate that flies under it, which may be of another rank, has the accelerations of one process.
func TestTouchingWheel(t *testing.T) {
	m := modeltest.Rolling(0)
	for i := range m.Joints {
		m.Joints[i].Predecessor = "plate"
	}
	m.Joints = m.Joints[3:4]
	require.Equal(t, joints.SlipBoth, m.Joints[0].Slip)
	solvedOnRanks(t, m, 1e-12, 1, 2)
}
