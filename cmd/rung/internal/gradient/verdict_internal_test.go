package gradient

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/derive/objective"
)

// TestVerdicts: the table has the differences with their error and verdict in 80 and in 40 columns. A gradient that disagrees is an error
// with its name and both values; one that differences cannot tell is none, and is said.
func TestVerdicts(t *testing.T) {
	d, e, doubt := 1.5, 1e-7, 0.3
	r := &objective.Result{Name: "m", At: "run", Differenced: 25, Parameters: []objective.ParameterResult{
		{Name: "good", Value: 2, Gradient: 1.5, Differences: &d, DifferencesError: &e, Verdict: objective.Agrees},
		{Name: "unsure", Value: 2, Gradient: 1.6, Differences: &d, DifferencesError: &doubt, Verdict: objective.CannotTell},
		{Name: "edge", Value: 2, Gradient: 1.6, Unchecked: "at 3: no"},
	}}
	require.NoError(t, disagrees(r))
	for _, columns := range []int{80, 40} {
		var b strings.Builder
		p := sheet.NewPage(&b, columns)
		printObjective(p, r)
		require.NoError(t, p.Flush())
		text := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range []string{
			"good 1.5 1.5 1e-07 agrees", "unsure 1.6 1.5 0.3 cannot tell", "edge 1.6 none unchecked", "no differences by edge: at 3: no",
			"by unsure, differences cannot tell whether the gradient is right: their error, some 0.3, or the error by projection is too large",
			"differences of 25 values",
		} {
			assert.Contains(t, text, want, columns)
		}
		for line := range strings.Lines(b.String()) {
			assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), columns, line)
		}
	}
	r.Parameters[0].Verdict, r.Parameters[0].Gradient = objective.Disagrees, 1.6
	require.EqualError(t, disagrees(r), "by good, differences disagree with the gradient: 1.5 ± 1e-07, and 1.6")
}
