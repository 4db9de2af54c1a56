//rung:race
package dist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Beads on curves of a plate, which may be of another rank, and cams have the accelerations of one process.
func TestBeads(t *testing.T) {
	solvedOnRanks(t, modeltest.Beads(0), 1e-11, 1, 2, 3)
	solvedOnRanks(t, modeltest.Cams(0), 1e-11, 1, 2, 3)
}

// solvedOnRanks compares the accelerations for several numbers of ranks with those of one process, up to 100·tol.
func solvedOnRanks(t *testing.T, m *model.Model, tol float64, counts ...int) {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	s := kkt.NewPlan(mech, kkt.Options{}).NewSolver()
	require.NoError(t, s.Solve(mech.Initial()))
	want := make([]float64, 6*len(m.Bodies))
	s.AccelerationsTo(want)
	for _, ranks := range counts {
		require.NoError(t, dist.Run(ranks, func(c dist.Comm) error {
			d, st, err := solver(c, m)
			if err != nil {
				return err
			}
			if err := d.Solve(st); err != nil {
				return err
			}
			a := make([]float64, 6*d.Plan().Piece().Own)
			d.AccelerationsTo(a)
			for i, b := range d.Plan().Piece().Body[:d.Plan().Piece().Own] {
				check.CloseVec(t, a[6*i:6*i+6], want[6*b:6*b+6], tol, 100, "body %d on %d ranks", b, ranks)
			}
			return d.Close()
		}))
	}
}
