//rung:race
package dist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
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
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	s := kkt.NewPlan(mech, kkt.Options{}).NewSolver()
	require.NoError(t, s.Solve(mech.Initial()))
	want := make([]float64, 6*len(m.Bodies))
	s.AccelerationsTo(want)
	for _, ranks := range []int{1, 2} {
		require.NoError(t, dist.Run(ranks, func(c dist.Comm) error {
			d, st, err := solver(c, m)
			if err != nil {
				return err
			}
			if err := d.Solve(st); err != nil {
				return err
			}
			a := make([]float64, 6*d.Plan().Mechanism().NumBodies())
			d.AccelerationsTo(a)
			for i, b := range d.Plan().Piece().Body[:d.Plan().Piece().Own] {
				check.CloseVec(t, a[6*i:6*i+6], want[6*b:6*b+6], 1e-12, 100, "body %d on %d ranks", b, ranks)
			}
			return d.Close()
		}))
	}
}
