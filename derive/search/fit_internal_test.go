package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/motion/runs"
)

// spring is a fit of a stiffness and a rest position of the slider-crank to a position that it cannot quite reach.
func spring(t *testing.T) *objective.Problem {
	t.Helper()
	text, err := os.ReadFile("testdata/slider-crank.model.json")
	require.NoError(t, err)
	var data strings.Builder
	data.WriteString("time,a\n")
	for i := range 5 {
		fmt.Fprintf(&data, "%v,%v\n", 0.01*float64(i+1), 0.1*float64(i))
	}
	o := &objective.Objective{At: objective.AtRun, Run: runs.Options{Until: 0.05, Step: 0.01, Integrator: runs.RungeKutta4}}
	o.Terms = []objective.Term{{Name: "a", Column: "slider.vx", Take: objective.Data, File: "d.csv", From: "a", Weight: 1}}
	for _, path := range []string{"joints[guide].stiffness[0]", "joints[guide].rest[0]"} {
		o.Parameters = append(o.Parameters, objective.Parameter{Name: path, Paths: []string{path}, Bounds: &[2]float64{0, 1000}})
	}
	p, err := objective.NewProblem(o, "o.json", objective.Source{Text: text, Name: "m.json", Data: fstest.MapFS{"d.csv": {Data: []byte(data.String())}}})
	require.NoError(t, err)
	return p
}

// TestFitWithoutSlopes: a fit that reaches a point with a value but without slopes ends there, with the reason.
func TestFitWithoutSlopes(t *testing.T) {
	p := spring(t)
	whole, err := Fit(context.Background(), p, Options{Iterations: 4}) // of some hundred
	require.NoError(t, err)
	require.Greater(t, len(whole.Iterations), 3)
	f, past, err := newFit(p, &Options{})
	require.NoError(t, err)
	calls := 0
	f.slopes = func(ctx context.Context, p *objective.Problem) ([]objective.Residual, error) {
		if calls++; calls == 3 {
			return nil, errors.New("derive: there is a corner")
		}
		return slopesOf(ctx, p)
	}
	r, err := f.begin(context.Background(), past, &Options{})
	require.NoError(t, err)
	assert.Equal(t, Stalled, r.Status)
	assert.Equal(t, "there is a corner", r.Reason)
	assert.Equal(t, whole.Iterations[:2], r.Iterations)
	for k, x := range whole.Iterations[2].Parameters {
		assert.Equal(t, x, r.Parameters[k].Value)
		assert.Nil(t, r.Parameters[k].Deviation, "nobody knows")
	}
	assert.InEpsilon(t, 2*whole.Iterations[2].Value, r.Residual.Chi2, 1e-12)
	assert.Empty(t, r.Unidentified)

	ctx, end := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	f, past, err = newFit(p, &Options{})
	require.NoError(t, err)
	calls = 0
	f.slopes = func(ctx context.Context, p *objective.Problem) ([]objective.Residual, error) {
		if calls++; calls == 3 {
			end(cause)
		}
		return slopesOf(ctx, p)
	}
	_, err = f.begin(ctx, past, &Options{})
	require.ErrorIs(t, err, cause)
}

// TestFitGoesOnWithin: iterates to continue from that cannot belong to a fit are refused, with the reason.
func TestFitGoesOnWithin(t *testing.T) {
	p := spring(t)
	for want, from := range map[string]Iteration{
		`"joints[guide].stiffness[0]" is 1001 in the last iterate to go on from, outside of its bounds, 0 and 1000`: {Parameters: []float64{1001, 1}, Damping: 1},
		`"joints[guide].rest[0]" is -1 in the last iterate to go on from, outside of its bounds, 0 and 1000`:        {Parameters: []float64{1, -1}, Damping: 1},
		`"joints[guide].rest[0]" is NaN in the last iterate`:                                                        {Parameters: []float64{1, math.NaN()}, Damping: 1},
		`the last iterate to go on from has a damping of 0`:                                                         {Parameters: []float64{1, 1}},
	} {
		_, err := Fit(context.Background(), p, Options{From: []Iteration{from}})
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, err, new(*ProblemError))
	}
}
