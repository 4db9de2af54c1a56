package objective_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/motion/runs"
)

// bouncing is the ball of dropped without its rope.
func bouncing(law string) string {
	text := strings.Replace(dropped, "LAW", law, 1)
	return text[:strings.Index(text, ",\n  {\"name\": \"rope\"")] + "\n ]}"
}

// TestCornersOfContacts: a gradient over the touches of a ball is that of differences of runs with a fine tolerance. It was off by 2 % with
// a tolerance of 1e-9, as stages of a step over a corner are on either side of it, and more than once over with fixed steps. Steps that are
// not taken apart say so.
func TestCornersOfContacts(t *testing.T) {
	until := check.Few(2, 1.45) // both have two bounces
	fine := runs.Options{Until: until, Tolerance: 1e-12}
	for _, law := range check.Some([]string{`, "dissipation": 0.1`, ``}, 2) {
		text := bouncing(law)
		problem := func(run runs.Options) *objective.Problem {
			o := &objective.Objective{At: objective.AtRun, Run: run, Terms: terms("ball.pz", "ball.vz"), Parameters: by("bodies[0].mass")}
			o.Parameters = append(o.Parameters, by("gravity[2]")...)
			o.Terms = append(o.Terms, objective.Term{Name: "data", Column: "ball.pz", Take: objective.Data, File: "data/wave.csv", From: "y", Weight: 1})
			return problemOf(t, o, text, until)
		}
		want := make([]float64, 2)
		for k := range want {
			want[k] = difference(t, problem(fine), k, 2e-4*math.Abs(problem(fine).Values()[k]))
		}
		for _, c := range []struct {
			run runs.Options
			tol float64
		}{
			{runs.Options{Until: until, Tolerance: 1e-9}, 1e-5}, {runs.Options{Until: until, Tolerance: 1e-7}, 2e-4},
			{runs.Options{Until: until, Integrator: runs.RungeKutta4, Step: 0.0005}, 4e-3},
			{runs.Options{Until: until, Integrator: runs.GeneralizedAlpha, Step: 0.001}, math.Inf(1)},
		} {
			p := problem(c.run)
			r, err := p.Gradient(context.Background())
			require.NoError(t, err)
			require.Len(t, r.Run.Kinks, 1)
			assert.GreaterOrEqual(t, r.Run.Kinks[0].Count, int64(4))
			assert.Equal(t, c.run.Integrator == runs.GeneralizedAlpha, r.Run.Kinks[0].Rough)
			if math.IsInf(c.tol, 1) {
				continue
			}
			list, err := p.Value(context.Background())
			require.NoError(t, err)
			assert.InEpsilon(t, r.Value, list.Value, 1e-9)
			residuals, err := p.Residuals(context.Background(), true)
			require.NoError(t, err)
			for k := range want {
				slope := 0.0
				for i := range residuals {
					slope += residuals[i].Misfit * residuals[i].Slopes[k]
				}
				assert.InDelta(t, r.Parameters[k].Terms[2], slope, 1e-10*math.Abs(slope), "back and forwards")
				assert.InEpsilon(t, want[k], r.Parameters[k].Gradient, c.tol, "%s, %+v", r.Parameters[k].Name, c.run)
			}
		}
	}
}
