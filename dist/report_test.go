package dist_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// Rows, rank, mobility and the number of redundant rows are those of one process, on all ranks, and every redundant row
// has a name that is there. Reactions are unique, or there is a reason why pieces do not say which are.
func TestReport(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
	}{{"ladder", 40}, {"nfourbar", 10}, {"revolute-net", 3}, {"gear-train", 6}, {"random", 20}, {"chain", 9}, {"nfourbar", 7}} {
		m, err := bench.Generate(c.family, c.n, 1)
		require.NoError(t, err)
		if c.n == 7 {
			m.Joints[3].Armature = []float64{0.1} // of a revolute joint
		}
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		alone := kkt.NewPlan(mech, kkt.Options{}).NewSolver()
		require.NoError(t, alone.Solve(mech.Initial()))
		want, err := alone.Report()
		require.NoError(t, err)
		names := map[string]bool{}
		for i := range mech.NumConstraints() {
			names[mech.ConstraintName(i)] = true
		}
		for _, ranks := range []int{1, 2, 5} {
			var first *dist.Report
			require.NoError(t, dist.Run(ranks, func(comm dist.Comm) error {
				s, st, err := solver(comm, m)
				if err != nil {
					return err
				}
				if err := s.Solve(st); err != nil {
					return err
				}
				r, err := s.Report()
				if err != nil {
					return err
				}
				assert.Equal(t, [5]int{mech.NumBodies(), want.Rows, want.Rank, want.Redundant, want.Mobility},
					[5]int{r.Bodies, r.Rows, r.Rank, r.Redundant, r.Mobility}, "%s on %d ranks", c.family, ranks)
				for _, row := range r.RedundantRows {
					assert.True(t, names[row.Name], row.Name)
				}
				assert.Equal(t, want.Redundant == 0, r.Unique)
				if !r.Unique {
					assert.ErrorIs(t, r.Undetermined, dist.ErrUnsupported)
				}
				if comm.Rank() == 0 {
					first = r
				}
				return nil
			}))
			assert.Len(t, first.RedundantRows, want.Redundant)
		}
	}
}
