package objective_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/motion/runs"
)

// alphaRun is an objective over a run of generalized-α.
func alphaRun(column, last string, o runs.Options, paths ...string) *objective.Objective {
	o.Integrator = runs.GeneralizedAlpha
	p := &objective.Objective{
		At: objective.AtRun, Run: o,
		Terms: []objective.Term{
			{Name: "end", Column: column, Weight: 1, Power: 1},
			{Name: "speed", Column: last + ".vx", Weight: 1, Power: 1},
			{Name: "turn", Column: last + ".qx", Weight: 1, Power: 1},
			{Name: "data", Column: column, Take: objective.Data, File: "data/wave.csv", From: "y", Sigma: 0.3, Weight: 2},
			{Name: "sum", Column: last + ".py", Take: objective.Integral, Weight: 1, Power: 2, Target: 2},
			{Name: "shake", Column: last + ".accx", Take: objective.Integral, Weight: 0.01, Power: 2},
		},
	}
	for _, path := range paths {
		p.Parameters = append(p.Parameters, objective.Parameter{Name: path, Paths: []string{path}})
	}
	return p
}

// TestAlphaDifference compares gradients of runs by generalized-α with fixed steps with differences of the same runs. With data there are
// steps of other lengths in between. Velocities are not projected: projected velocities scatter with the age of the matrix that projects
// them, by the size of the offset.
func TestAlphaDifference(t *testing.T) {
	const (
		h, tol = 1e-3, 1e-7
		short  = 2e-6 // with data, whose times cut steps short: accelerations have the rounding of poses divided by the square of the step
	)
	for name, c := range map[string]struct {
		column string
		paths  []string
	}{
		"pendulum":     {"joint.pin1.q", []string{"bodies[0].mass"}},
		"driven-mixed": {"joint.m2.q0", []string{"bodies[0].mass", "bodies[1].com[0]"}},
		"springs":      {"joint.close.q3", []string{"bodies[1].mass", "forces[0].stiffness"}},
		"four-bar":     {"joint.p2.q", []string{"bodies[coupler].mass", "bodies[coupler].com[1]", "gravity[1]"}},
		"gear-pair":    {"joint.ja.q", []string{"bodies[0].mass"}},
	} {
		if testing.Short() && name != "four-bar" {
			continue
		}
		for how, x := range map[string]struct {
			stabilize runs.Stabilization
			data      bool
			tol       float64
		}{
			"projected": {runs.Projection, false, tol}, "raw": {runs.None, false, tol}, "raw, data": {runs.None, true, short},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				m := text(t, name)
				o := alphaRun(c.column, lastBody(t, m), runs.Options{Until: 0.1, Step: 0.004, Stabilization: x.stabilize}, c.paths...)
				o.Terms = slices.DeleteFunc(o.Terms, func(t objective.Term) bool { return t.Take == objective.Data && !x.data })
				p := problemOf(t, o, m, 0.1)
				r, err := p.Gradient(context.Background())
				require.NoError(t, err)
				for k := range r.Parameters {
					want := difference(t, p, k, h*max(1e-1, math.Abs(r.Parameters[k].Value)))
					assert.InDelta(t, want, r.Parameters[k].Gradient, x.tol*max(1, math.Abs(want)), r.Parameters[k].Name)
				}
			})
		}
	}
}
