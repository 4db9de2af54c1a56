package motion

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
)

// TestRattlePassWorkIsBounded: a pass that takes too long ends soon after passWork evaluations. The step is a damped one then, with
// others to come, or an error where none may be.
func TestRattlePassWorkIsBounded(t *testing.T) {
	check.Long(t)
	m, err := bench.Generate("scissor", 8, 1)
	require.NoError(t, err)
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	for _, damp := range []bool{true, false} {
		r, err := NewRattle(p, RattleOptions{Tolerance: 1e-8, Damp: damp})
		require.NoError(t, err)
		st := p.Initial()
		_, err = r.Try(st, st.Time+1e-3)
		require.NoError(t, err)
		const h = 8 // s, through the flat pose several times
		r.end.Time = st.Time + h
		before := r.stats.Evaluations
		require.ErrorIs(t, r.pass(), errPassWork)
		require.Greater(t, r.stats.Evaluations-before, int64(passWork))
		require.Less(t, r.stats.Evaluations-before, int64(passWork+50))

		last, next := new([rattleTail]float64), new([rattleTail]float64)
		next[rattleSpell] = -passSpell
		way, err := r.step(h, last, next)
		if !damp {
			require.ErrorIs(t, err, errPassWork)
			continue
		}
		require.Equal(t, damped, way)
		require.Positive(t, next[rattleSpell], "damped steps to come")
		require.Equal(t, next[rattleSpan], next[rattleSpell])
	}
}
