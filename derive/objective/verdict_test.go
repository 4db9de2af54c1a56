package objective_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/motion/runs"
)

// checked returns the checked gradient of an objective.
func checked(t *testing.T, p *objective.Problem, wrong float64) *objective.Result {
	t.Helper()
	r, err := p.Gradient(context.Background())
	require.NoError(t, err)
	for k := range r.Parameters {
		x := &r.Parameters[k]
		x.Gradient *= wrong
		for i := range x.Terms {
			x.Terms[i] *= wrong
		}
	}
	require.NoError(t, p.Check(context.Background(), r))
	return r
}

// TestCheckRepeatsSteps: a run with a poor tolerance is repeated with its own steps, so that differences agree with its gradient but for
// projection. A gradient with an error of 1e-3 is caught. Without the repetition it would be lost in the error of other steps.
func TestCheckRepeatsSteps(t *testing.T) {
	for method, tolerance := range map[runs.Integrator]float64{runs.DormandPrince: 1e-7, runs.GeneralizedAlpha: 1e-5} {
		o := &objective.Objective{
			At: objective.AtRun, Run: runs.Options{Until: 0.5, Tolerance: tolerance, Integrator: method}, Terms: terms("rocker.vx"),
			Parameters: append(by("bodies[crank].mass"), by("gravity[1]")...),
		}
		p := problemOf(t, o, text(t, "four-bar"), 0.5)
		r := checked(t, p, 1)
		for _, x := range r.Parameters {
			require.NotNil(t, x.Differences, x.Unchecked)
			assert.Equal(t, objective.Agrees, x.Verdict, "%v %s: %v, %v ± %v", method, x.Name, x.Gradient, *x.Differences, *x.DifferencesError)
			assert.InEpsilon(t, x.Gradient, *x.Differences, 1e-5, x.Name)
		}
		assert.GreaterOrEqual(t, r.Differenced, int64(2+2*4))
		assert.LessOrEqual(t, r.Differenced, int64(2+2*16))
		for _, x := range checked(t, p, 1+1e-3).Parameters {
			assert.Equal(t, objective.Disagrees, x.Verdict, "%v %s", method, x.Name)
		}
	}
}

// touching is a ball on a rail at the edge of its stop.
const touching = `{"format": "rung-model/1", "name": "ball", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "ball", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0, 0, 0.5]}}],
 "joints": [{"name": "rail", "type": "prismatic", "predecessor": "world", "successor": "ball",
  "limits": [{"lower": LOWER, "stop": {"stiffness": 1e5}}]}]}`

// TestCheckAtStop: where a stop just touches, differences have a corner and cannot tell; off it they agree, and a wrong gradient is caught.
func TestCheckAtStop(t *testing.T) {
	for lower, want := range map[string]string{
		"0.5": objective.CannotTell, "0.50001": objective.CannotTell, "0.55": objective.Agrees, "0.45": objective.Agrees,
	} {
		o := &objective.Objective{At: objective.AtState, Terms: terms("ball.accz"), Parameters: by("joints[rail].limits[0].lower")}
		p := problemOf(t, o, strings.Replace(touching, "LOWER", lower, 1), 0)
		x := checked(t, p, 1).Parameters[0]
		require.NotNil(t, x.Differences, x.Unchecked)
		assert.Equal(t, want, x.Verdict, "%s: %v, %v ± %v", lower, x.Gradient, *x.Differences, *x.DifferencesError)
		if lower == "0.55" {
			assert.Equal(t, objective.Disagrees, checked(t, p, 1+1e-6).Parameters[0].Verdict)
		}
	}
}
