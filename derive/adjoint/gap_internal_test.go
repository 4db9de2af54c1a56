package adjoint

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
)

// TestMeetsWithoutNumber: an end that is no number ends a step of a Runge–Kutta method, whatever bodies follow.
func TestMeetsWithoutNumber(t *testing.T) {
	m, err := mechanism.New(modeltest.Composites(1, 3, 0))
	require.NoError(t, err)
	for i := range m.NumBodies() {
		at, end := m.Initial(), m.Initial()
		end.Time++
		s := &step[int]{mech: m, length: m.TypicalLength(), end: *m.Initial()}
		_, err := meets(m, s, at, end)
		require.NoError(t, err)
		s.end.Bodies[i].Velocity[1] = math.NaN()
		gap, err := meets(m, s, at, end)
		require.True(t, math.IsNaN(gap), "body %d", i)
		e := new(StepError)
		require.ErrorAs(t, err, &e)
		require.Equal(t, i, e.Body)
	}
}

// TestGapWithoutNumber: a distance that is no number ends a step of RATTLE, whatever bodies follow.
func TestGapWithoutNumber(t *testing.T) {
	m, err := mechanism.New(modeltest.Composites(1, 3, 0))
	require.NoError(t, err)
	s := &rattleStep[int]{mech: m}
	for i := range m.NumBodies() {
		off := make([]float64, 6*m.NumBodies())
		_, err := s.gapOf(off, 1)
		require.NoError(t, err)
		off[6*i] = math.NaN()
		gap, err := s.gapOf(off, 1)
		require.True(t, math.IsNaN(gap), "body %d", i)
		e := new(StepError)
		require.ErrorAs(t, err, &e)
		require.Equal(t, i, e.Body)
	}
}
