package objective_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/motion/runs"
)

// TestProjectedSteps: where a run projects its states its derivatives are projected, too, backwards and forwards, and at the end. Once they
// were projected at each fourth step only, and never at the end. Where rows are redundant the run closes its stages, and gradients are off
// by the square of these displacements. Once they were off by more: steps with closed stages were taken for steps with open ones, 2e-5 with
// 20 ms of the four-bar, and (D1) did not differentiate (9) at open stages, 4e-4 with 20 ms of the slider-crank.
func TestProjectedSteps(t *testing.T) {
	const h, same = 1e-3, 1e-10
	for _, c := range []struct {
		name, column, path string
		until, step, tol   float64
	}{
		{"run-four-bar", "coupler.vx", "bodies[coupler].mass", 0.4, 0.005, 1e-7},
		{"run-four-bar", "coupler.vx", "bodies[coupler].mass", 0.4, 0.01, 1e-6},
		{"run-slider-crank", "slider.vx", "bodies[crank].mass", 0.2, 0.005, 1e-6},
		{"run-slider-crank", "slider.vx", "bodies[crank].mass", 0.2, 0.02, 1e-4},
		{"armature-four-bar", "coupler.vx", "bodies[coupler].mass", 0.4, 0.02, 1e-7},
		{"stewart-6ups", "platform.vz", "bodies[platform].mass", 0.2, 0.02, 2e-9},
	} {
		t.Run(fmt.Sprint(c.name, c.step), func(t *testing.T) {
			m := text(t, c.name)
			o := &objective.Objective{
				At: objective.AtRun, Run: runs.Options{Until: c.until, Step: c.step, Integrator: runs.RungeKutta4},
				Terms: []objective.Term{
					{Name: "data", Column: lastBody(t, m) + ".vx", Take: objective.Data, File: "data/wave.csv", From: "y", Weight: 1},
					{Name: "end", Column: c.column, Weight: 1, Power: 1},
				},
				Parameters: []objective.Parameter{{Name: "mass", Paths: []string{c.path}}, {Name: "gravity", Paths: []string{"gravity[1]"}}},
			}
			p := problemOf(t, o, m, c.until)
			r, err := p.Gradient(t.Context())
			require.NoError(t, err)
			require.Greater(t, r.Run.Projection, 1e-9)
			for k := range r.Parameters {
				want, got := difference(t, p, k, h*max(1, math.Abs(r.Parameters[k].Value))), r.Parameters[k].Gradient
				t.Logf("%s: %.10g, off by %.2g", r.Parameters[k].Name, got, got/want-1)
				assert.InEpsilon(t, want, got, c.tol, r.Parameters[k].Name)
			}
			list, err := p.ResidualSlopes(t.Context())
			require.NoError(t, err)
			slopes := make([]float64, len(r.Parameters))
			for i := range list {
				for k, s := range list[i].Slopes {
					slopes[k] += list[i].Misfit * s
				}
			}
			for k, s := range slopes {
				assert.InEpsilon(t, r.Parameters[k].Terms[0], s, same, "forwards and back by %s", r.Parameters[k].Name)
			}
		})
	}
}

// TestOpenSteps: without projection joints drift, and stages of coarse steps are off them by more. The gradient is that of what is computed
// there.
func TestOpenSteps(t *testing.T) {
	const h, tol = 1e-3, 1e-9
	for _, c := range []struct {
		name, column, path string
		until              float64
	}{
		{"run-four-bar", "coupler.vx", "bodies[coupler].mass", 0.4},
		{"run-slider-crank", "slider.vx", "bodies[rod].com[0]", 0.2},
		{"stewart-6ups", "platform.vz", "bodies[platform].com[0]", 0.2},
	} {
		m := text(t, c.name)
		o := &objective.Objective{
			At: objective.AtRun, Terms: terms(c.column), Parameters: by(c.path),
			Run: runs.Options{Until: c.until, Step: 0.02, Integrator: runs.RungeKutta4, Stabilization: runs.None},
		}
		p := problemOf(t, o, m, c.until)
		r, err := p.Gradient(t.Context())
		require.NoError(t, err)
		assert.InEpsilon(t, difference(t, p, 0, h), r.Parameters[0].Gradient, tol, c.name)
	}
}
