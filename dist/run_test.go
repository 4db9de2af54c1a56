package dist_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/disttest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

const (
	runStep = 1e-3
	runEnd  = 0.1
)

var errKilled = errors.New("killed")

// run is disttest.Run, in which one of the ranks stops with errKilled after a number of steps unless that is 0.
func run(c dist.Comm, m *model.Model, base string, steps int) (map[int64][3]float64, float64, error) {
	return disttest.Run(c, m, disttest.Course{Step: runStep, End: runEnd, Every: 10, Base: base}, func(done int) error {
		if done == steps && c.Rank() == steps%c.Size() {
			return errKilled // some ranks have saved this step by then, others not
		}
		return nil
	})
}

// A run on ranks follows that of one process; the halo is the same bits as the bodies that it stands for.
func TestRun(t *testing.T) {
	m, err := bench.Generate("ladder", 60, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	alone := sim.New(mech, sim.NewRungeKutta(mech, &sim.Baumgarte{Dynamics: motion.NewDynamics(kkt.NewPlan(mech, kkt.Options{}))}, sim.RungeKutta4(), sim.Tolerance{}),
		mech.Initial(), sim.Options{Projector: sim.NoProjector, Step: runStep})
	require.NoError(t, alone.Run(runEnd))
	dir := t.TempDir()
	for _, ranks := range []int{1, 2, 5} {
		all := make([]map[int64][3]float64, ranks)
		require.NoError(t, dist.Run(ranks, func(c dist.Comm) (err error) {
			all[c.Rank()], _, err = run(c, m, filepath.Join(dir, fmt.Sprint("whole", ranks)), 0)
			return err
		}))
		merged := map[int64][3]float64{}
		for _, part := range all {
			for b, x := range part {
				if y, ok := merged[b]; ok {
					require.Equal(t, y, x, "body %d on two ranks", b)
				}
				merged[b] = x
				check.CloseVec(t, x[:], alone.State().Bodies[b].Position[:], 1e-11, 1, "body %d on %d ranks", b, ranks)
			}
		}
	}
}

// A run that is killed goes on from the checkpoints in common, bit for bit.
func TestResume(t *testing.T) {
	m, err := bench.Generate("ladder", 40, 1)
	require.NoError(t, err)
	const ranks = 3
	began := make([]float64, ranks)
	dir := t.TempDir()
	whole, parts := make([]map[int64][3]float64, ranks), make([]map[int64][3]float64, ranks)
	require.NoError(t, dist.Run(ranks, func(c dist.Comm) (err error) {
		whole[c.Rank()], _, err = run(c, m, filepath.Join(dir, "whole"), 0)
		return err
	}))
	for _, steps := range []int{7, 10, 11, 35, 60, 61} {
		base := filepath.Join(dir, "killed")
		require.ErrorIs(t, dist.Run(ranks, func(c dist.Comm) error {
			_, _, err := run(c, m, base, steps)
			return err
		}), errKilled)
	}
	require.NoError(t, dist.Run(ranks, func(c dist.Comm) (err error) {
		parts[c.Rank()], began[c.Rank()], err = run(c, m, filepath.Join(dir, "killed"), 0)
		return err
	}))
	assert.Equal(t, whole, parts)
	for _, x := range began {
		assert.InDelta(t, 0.06, x, 1e-9, "the last checkpoint in common")
	}
	// A file that is cut off is an error on all ranks, not a run from the beginning.
	name := filepath.Join(dir, "killed.rank1.0")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, text[:len(text)/2], 0o600))
	err = dist.Run(ranks, func(c dist.Comm) error {
		_, _, err := run(c, m, filepath.Join(dir, "killed"), 0)
		return err
	})
	require.ErrorContains(t, err, "killed.rank1.0")
}
