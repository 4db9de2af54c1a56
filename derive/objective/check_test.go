package objective_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/motion/runs"
)

// TestCheckGoesOn: a number that cannot be changed to both sides has no differences but a reason; the others have differences.
func TestCheckGoesOn(t *testing.T) {
	o := &objective.Objective{
		At: objective.AtRun, Run: runs.Options{Until: 0.05, Step: 0.005, Integrator: runs.RungeKutta4}, Terms: terms("link1.px"),
		Parameters: append(by("bodies[0].inertia.zz"), by("bodies[0].mass")...),
	}
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(text(t, "pendulum")), &m))
	m["bodies"].([]any)[0].(map[string]any)["inertia"] = map[string]float64{"xx": 0.1, "yy": 0.1, "zz": 0.2} // of a plate
	plate, err := json.Marshal(m)
	require.NoError(t, err)
	p := problemOf(t, o, string(plate), 0.05)
	r, err := p.Gradient(context.Background())
	require.NoError(t, err)
	require.NoError(t, p.Check(context.Background(), r))
	assert.Nil(t, r.Parameters[0].Differences)
	assert.Contains(t, r.Parameters[0].Unchecked, "at 0.2008")
	assert.Contains(t, r.Parameters[0].Unchecked, "inertia")
	require.NotNil(t, r.Parameters[1].Differences)
	assert.InDelta(t, r.Parameters[1].Gradient, *r.Parameters[1].Differences, 1e-8)
	assert.Empty(t, r.Parameters[1].Unchecked)

	ctx, end := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	end(cause)
	require.ErrorIs(t, p.Check(ctx, r), cause)
}

// TestNearlyZero: a coordinate and a number that rounding has left at 1e-17 have the steps of zero, so that the differences for modes and
// of Check give the derivative at zero.
func TestNearlyZero(t *testing.T) {
	const tol = 1e-7 // error of differences of order 4
	column := []objective.Term{{Name: "im", Column: "mode.1.im", Weight: 1, Power: 1}}
	place, force := "joints[p2].predecessor_frame.position[1]", "gravity[0]"
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(text(t, "eq-four-bar")), &m))
	frame := m["joints"].([]any)[1].(map[string]any)["predecessor_frame"].(map[string]any)
	var want []float64
	for _, x := range []float64{0, 1e-17, -1e-13, 1e-10} {
		frame["position"].([]any)[1], m["gravity"].([]any)[0] = x, x*1e-3
		b, err := json.Marshal(m)
		require.NoError(t, err)
		for _, at := range []objective.At{objective.AtModes, objective.AtEquilibrium} {
			o := &objective.Objective{At: at, Terms: column, Parameters: append(by(place), by(force)...)}
			if at == objective.AtEquilibrium {
				o.Terms = terms("coupler.px")
			}
			p := problemOf(t, o, string(b), 1)
			r, err := p.Gradient(context.Background())
			require.NoError(t, err)
			require.NoError(t, p.Check(context.Background(), r))
			for k, x := range r.Parameters {
				require.NotNil(t, x.Differences, x.Unchecked)
				assert.InDelta(t, x.Gradient, *x.Differences, tol, x.Name)
				if at == objective.AtModes && len(want) < len(r.Parameters) {
					want = append(want, x.Gradient)
				}
				if at == objective.AtModes {
					assert.InDelta(t, want[k], x.Gradient, tol, x.Name)
				}
			}
		}
	}
	assert.Greater(t, math.Abs(want[0]), 0.1)
}

// TestCheckOfStates: states of changed models are closed before differences are taken, as the state follows in the gradient.
func TestCheckOfStates(t *testing.T) {
	const tol = 1e-8 // error of differences of order 4
	o := &objective.Objective{At: objective.AtState, Terms: terms("rocker.vx"), Parameters: append(
		by("joints[p3].predecessor_frame.position[0]"), by("bodies[rocker].com[1]")...)}
	p := problemOf(t, o, text(t, "four-bar"), 0)
	r, err := p.Gradient(context.Background())
	require.NoError(t, err)
	require.NoError(t, p.Check(context.Background(), r))
	for _, x := range r.Parameters {
		require.NotNil(t, x.Differences, x.Unchecked)
		assert.InDelta(t, *x.Differences, x.Gradient, tol, x.Name)
	}
	assert.NotZero(t, r.Parameters[0].Gradient)
	longer, err := p.With([]float64{r.Parameters[0].Value * 1.1, r.Parameters[1].Value})
	require.NoError(t, err)
	r, err = longer.Gradient(context.Background())
	require.NoError(t, err)
	require.NoError(t, longer.Check(context.Background(), r))
	assert.InDelta(t, *r.Parameters[0].Differences, r.Parameters[0].Gradient, tol)
}

// TestTiedExtremes: if several rows have the extreme of a column, as of a constant one, the gradient is one-sided, and the result says so.
func TestTiedExtremes(t *testing.T) {
	for column, tied := range map[string]bool{"link1.px": true, "joint.pin1.q": false} {
		o := &objective.Objective{
			At: objective.AtRun, Run: runs.Options{Until: 0.05, Step: 0.005, Integrator: runs.RungeKutta4}, Terms: terms(column),
			Parameters: by("joints[pin1].successor_frame.position[1]"),
		}
		o.Terms[0].Take = objective.Max
		r, err := problemOf(t, o, text(t, "pendulum"), 0.05).Gradient(context.Background())
		require.NoError(t, err)
		if !tied {
			assert.Empty(t, r.Run.Kinks, column)
			continue
		}
		require.Len(t, r.Run.Kinks, 1)
		assert.Equal(t, objective.Kink{Name: o.Terms[0].Name, What: "extreme", Count: 9}, r.Run.Kinks[0])
	}
}

// TestOrientationNumbers: numbers of orientations of a model and of a task have differences with q/|q|, of runs and of modes. A problem
// with other values of them has derivatives by the numbers that it was given.
func TestOrientationNumbers(t *testing.T) {
	const tol = 1e-6 // error of differences of order 4, of runs and of eigenvalues
	path := "joints[pin1].predecessor_frame.orientation[3]"
	for at, column := range map[objective.At]string{
		objective.AtState: "link1.accx", objective.AtRun: "link1.px", objective.AtModes: "mode.1.im",
	} {
		o := &objective.Objective{At: at, Terms: terms(column), Parameters: by(path)}
		if at == objective.AtRun {
			o.Run = runs.Options{Until: 0.05, Step: 0.005, Integrator: runs.RungeKutta4}
		}
		p := problemOf(t, o, text(t, "pendulum"), 0.05)
		for _, value := range []float64{0, 0.4} {
			with, err := p.With([]float64{value})
			require.NoError(t, err)
			r, err := with.Gradient(context.Background())
			require.NoError(t, err)
			at := func(x float64) float64 {
				q, err := p.With([]float64{x})
				require.NoError(t, err)
				r, err := q.Value(context.Background())
				require.NoError(t, err)
				return r.Value
			}
			const h = 1e-3
			want := (4*(at(value+h/2)-at(value-h/2))/h - (at(value+h)-at(value-h))/(2*h)) / 3
			require.NotZero(t, want)
			assert.InDelta(t, want, r.Parameters[0].Gradient, tol*math.Max(1, math.Abs(want)), "%v %v", column, value)
		}
	}
	o := &objective.Objective{At: objective.AtState, Terms: terms("link1.accx"), Parameters: by(path)}
	o.Parameters[0].Paths = append(o.Parameters[0].Paths, "gravity[0]")
	_, err := problemOf(t, o, text(t, "pendulum"), 0).With([]float64{0.4})
	require.ErrorContains(t, err, "changes an orientation together with other numbers")
}
