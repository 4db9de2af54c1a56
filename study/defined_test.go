package study_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/study"
)

// TestUndefined: draws of a study in Go that says nothing, or something that there is not, are a panic and no other study.
func TestUndefined(t *testing.T) {
	uniform := study.Parameter{Law: study.Uniform, High: 1}
	many := make([]study.Parameter, 200)
	for i := range many {
		many[i] = uniform
	}
	for text, s := range map[string]study.Study{
		"study: unknown law":                                       {Parameters: []study.Parameter{{Law: 9}}},
		"study: parameter without values":                          {Parameters: []study.Parameter{{Law: study.Values}}},
		"study: unknown take":                                      {Outputs: []study.Output{{Take: 7}}},
		"study: unknown sampling":                                  {Sampling: 7, Draws: 2, Parameters: []study.Parameter{uniform}},
		"study: negative number of draws":                          {Draws: -1},
		"study: more parameters or draws than Sobol's points have": {Sampling: study.Sobol, Draws: 2, Parameters: many},
	} {
		require.PanicsWithValue(t, text, func() { s.NewDraws() })
	}
	long := study.Study{Sampling: study.Sobol, Draws: study.MaxRuns + 1, Parameters: []study.Parameter{uniform}}
	require.Panics(t, func() { long.NewDraws() })
	long.Draws = study.MaxRuns
	require.NotPanics(t, func() { long.NewDraws() })
}
