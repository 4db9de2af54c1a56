package adjoint

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
)

// TestMeetsWithoutNumber: a NaN in the end of a Runge–Kutta step is an error, whichever bodies come after it.
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

// TestGapWithoutNumber: a NaN in the gap of a RATTLE step is an error, whichever bodies come after it.
func TestGapWithoutNumber(t *testing.T) {
	m, err := mechanism.New(modeltest.Composites(1, 3, 0))
	require.NoError(t, err)
	s := &rattleStep[int]{mech: m, ratesStep: ratesStep[int]{length: m.TypicalLength()}}
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
