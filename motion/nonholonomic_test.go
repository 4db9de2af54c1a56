package motion_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
)

// TestNonholonomic: methods that find poses by the rows of the joints refuse nonholonomic rows, with the first joint that has some.
func TestNonholonomic(t *testing.T) {
	p, err := rung.NewPlan(modeltest.Rolling(0), kkt.Options{})
	require.NoError(t, err)
	st := p.Initial()
	n := 6 * p.Mechanism().NumBodies()
	newton := motion.NewNewton(p)
	_, rattle := motion.NewRattle(p, motion.RattleOptions{})
	_, balance := motion.NewBalance(p, motion.BalanceOptions{})
	_, alpha := runs.NewMover(p, &runs.Options{Integrator: runs.GeneralizedAlpha})
	_, allow := newton.Allow(make([]float64, n), st)
	for name, err := range map[string]error{
		"rattle": rattle, "force-balance": balance, "generalized-alpha": alpha, "allow": allow,
		"linearize": newton.Linearize(st, 1, 1, 0),
		"correct":   newton.Correct(make([]float64, n), make([]float64, newton.Rows()), st, make([]float64, n), make([]float64, newton.Rows()), 1),
		"follower":  motion.NewFollower(p).Start(context.Background()),
	} {
		require.ErrorIs(t, err, mechanism.ErrNonholonomic, name)
		require.ErrorContains(t, err, `joint "j0"`, name)
	}
	require.ErrorIs(t, rattle, motion.ErrUnsupported)
	require.ErrorIs(t, balance, motion.ErrUnsupported)
}
