package study_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/study"
)

// TestZeroDraws: a study made in Go without a number of draws has one at each point of its grid.
func TestZeroDraws(t *testing.T) {
	s := &study.Study{Parameters: []study.Parameter{{Law: study.Values, List: []float64{3, 4, 5}}, {Law: study.Uniform, Low: 1, High: 2}}}
	for _, sampling := range []study.Sampling{study.Random, study.LatinHypercube, study.Halton, study.Sobol} {
		s.Sampling = sampling
		require.Equal(t, 3, s.Runs())
		d, v := s.NewDraws(), make([]float64, 2)
		for i := range s.Runs() {
			d.ValuesTo(v, i)
			require.Equal(t, float64(3+i), v[0])
			require.True(t, v[1] >= 1 && v[1] <= 2)
		}
	}
}

// TestMisuse: what the caller could know is a panic with a constant text.
func TestMisuse(t *testing.T) {
	s := &study.Study{Draws: -1}
	require.PanicsWithValue(t, "study: negative number of draws", func() { s.Runs() })
	require.PanicsWithValue(t, "study: negative number of draws", func() { s.NewDraws() })
	require.Equal(t, "Sampling(9)", study.Sampling(9).String())
	require.Equal(t, "Take(-1)", study.Take(-1).String())
}
