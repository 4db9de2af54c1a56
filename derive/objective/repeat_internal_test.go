package objective

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion/runs"
)

// TestStepsInParts: a run that repeats steps and whose states do not fit in memory repeats them once more for its integrals. It once took
// steps of another length there, and the check of an adaptive run with integrals ended or lost its repetition.
func TestStepsInParts(t *testing.T) {
	ctx := context.Background()
	for method, tolerance := range map[runs.Integrator]float64{runs.DormandPrince: 1e-13, runs.GeneralizedAlpha: 1e-6} {
		g := alphaProblem(t, "four-bar", runs.Options{Until: 0.5, Tolerance: tolerance}, []string{"joint.p2.q"}, "gravity[1]")
		g.o.Run.Integrator = method
		c, err := g.run(ctx)
		require.NoError(t, err)
		steps := g.past.ends
		whole := c.pieces[0].Bytes()
		require.Greater(t, len(steps), 100, method.String())
		t.Logf("%v: %d steps, %d bytes", method, len(steps), whole)
		value := func(memory int64) *Result {
			p, err := g.With(g.Values())
			require.NoError(t, err)
			p.past.repeats, p.memory = steps, memory
			r, err := p.Value(ctx)
			require.NoError(t, err)
			assert.Equal(t, int64(len(steps)), r.Run.Steps)
			return r
		}
		assert.Equal(t, value(0), value(whole/2), method.String())
	}
}
