package sweep_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
)

// gradientTol is the error of differences of order 4 of runs over 2e-3, relative to the largest of them.
const gradientTol = 1e-8

// openSlopes is open for a study with gradients.
func openSlopes(t *testing.T, s *study.Study) *sweep.Sweep {
	t.Helper()
	of := source(t)
	of.Slopes = objective.Slopes
	w, err := sweep.New(s, "study", of)
	require.NoError(t, err)
	return w
}

// TestGradients compares the gradients of a row with differences of the rows beside it: of closed starts, at the end and of extremes.
func TestGradients(t *testing.T) {
	const h = 2e-3
	for _, integrator := range []string{"rk4", "dopri5", "generalized-alpha"} {
		t.Run(integrator, func(t *testing.T) {
			s := &study.Study{
				Run: study.Run{Until: 0.2, Step: 0.01, Every: 0.02, Integrator: integrator},
				Parameters: []study.Parameter{{
					Name: "crank", Path: "joints[A].predecessor_frame.position[0]", List: []float64{1 - h, 1 - h/2, 1, 1 + h/2, 1 + h},
				}},
				Outputs: []study.Output{
					{Name: "last", Column: "joint.O.q", Take: study.Final}, {Name: "least", Column: "coupler.vx", Take: study.Min},
				},
				Gradients: []string{"crank", "gravity[1]"},
			}
			w := openSlopes(t, s)
			list, err := w.Run(context.Background(), sweep.Options{})
			require.NoError(t, err)
			for i := range 2 {
				y := func(k int) float64 { return list[k].Outputs[i] }
				want := (8*(y(3)-y(1)) - (y(4) - y(0))) / (6 * h)
				require.Len(t, list[2].Gradients, 4)
				tol := gradientTol
				if integrator == "generalized-alpha" {
					tol = alphaTol
				}
				require.InDelta(t, want, list[2].Gradients[2*i], tol*max(1, want, -want), s.Outputs[i].Name)
			}
			many, err := w.Run(context.Background(), sweep.Options{Threads: 3})
			require.NoError(t, err)
			require.Equal(t, list, many)
			s.Gradients = nil
			without, err := open(t, s).Run(context.Background(), sweep.Options{})
			require.NoError(t, err)
			for i := range list {
				require.Equal(t, without[i].Outputs, list[i].Outputs)
			}
		})
	}
}

// alphaTol is the same of generalized-alpha, whose gradients at shorter steps are nearer (docs/derivatives.md).
const alphaTol = 1e-4

// TestNoGradients: a run that has none is done all the same, and tells why. What a study must not ask for has its place.
func TestNoGradients(t *testing.T) {
	base := func() *study.Study {
		return &study.Study{
			Run:        study.Run{Until: 0.05, Step: 0.01, Every: 0.05, Integrator: "rk4"},
			Parameters: []study.Parameter{{Name: "up", Path: "joints[A].successor_frame.position[2]", List: []float64{0, 0.001}}},
			Outputs:    []study.Output{{Name: "last", Column: "joint.O.q", Take: study.Final}},
			Gradients:  []string{"up"},
		}
	}
	list, err := openSlopes(t, base()).Run(context.Background(), sweep.Options{})
	require.NoError(t, err)
	require.NoError(t, list[0].Err)
	require.Nil(t, list[0].Gradients)
	require.ErrorContains(t, list[0].GradientErr, "breaks a loop")
	require.Error(t, list[1].Err)
	require.NoError(t, list[1].GradientErr)
	for _, c := range []struct {
		want   string
		change func(s *study.Study)
	}{
		{`$.run.integrator: has no gradients; rk4 has (value "rollout-rk4")`, func(s *study.Study) {
			s.Run.Integrator = study.RolloutRungeKutta4
			s.Parameters[0].Path = "bodies[crank].mass"
		}},
		{`$.run.method: has no gradients; sparse has (value "tree-direct")`, func(s *study.Study) {
			s.Run.Method = "tree-direct"
		}},
		{`$.gradients[0]: no parameter: "bodies[cranks].mass": derive: bodies has no entry "cranks"`, func(s *study.Study) {
			s.Gradients = []string{"bodies[cranks].mass"}
		}},
		{`$.outputs[0].column: no such output: "energy.kinetic"`, func(s *study.Study) {
			s.Outputs[0].Column = "energy.kinetic"
		}},
		{`$.run.integrator: has no gradients; dopri5, rk4, generalized-alpha, rattle have (value "force-balance")`, func(s *study.Study) {
			s.Run.Integrator = "force-balance"
		}},
		{`$.run.stabilize: has no gradients; projection, none have (value "baumgarte")`, func(s *study.Study) {
			s.Run.Stabilize = "baumgarte"
		}},
		{`$.gradients: are of outputs, and there are none`, func(s *study.Study) {
			s.Outputs, s.Trajectories = nil, []string{"joint.O.q"}
		}},
	} {
		s := base()
		c.change(s)
		of := source(t)
		of.Slopes = objective.Slopes
		_, err := sweep.New(s, "study", of)
		assert.ErrorContains(t, err, c.want)
	}
	_, err = sweep.New(base(), "study", source(t))
	require.ErrorContains(t, err, "study: $.gradients: need Source.Slopes")
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	cancel(stop)
	_, err = openSlopes(t, base()).Run(ctx, sweep.Options{})
	require.ErrorIs(t, err, stop)
}
