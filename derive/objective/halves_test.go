package objective_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/motion/runs"
)

// rolling is a ball of 1 kg that rolls on a plane. Its slip has a time constant of 0.36 ms, which RK4 takes with steps up to 1.01 ms.
const rolling = `{"format": "rung-model/1", "name": "ball", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "ball", "mass": 1, "inertia": {"xx": 0.004, "yy": 0.004, "zz": 0.004}, "pose": {"position": [0, 0, 0.0995095]},
  "velocity": {"linear": [0.1, 0, 0], "angular": [0, 1, 0]}}],
 "terrains": [{"name": "ground", "type": "plane", "normal": [0, 0, 1]}],
 "forces": [{"name": "foot", "type": "contact", "body": "ball", "terrain": "ground", "shape": {"type": "sphere", "radius": 0.1},
  "normal": {"stiffness": 2e4}, "friction": {"type": "coulomb", "coefficient": 0.8, "slip_speed": 0.01}}]}`

// TestStepsTooLong: steps beyond the stability of their method for the friction of a ball that rolls go on as if nothing was, as its slip is
// zero, or friction saturates. Their gradient grows with each of them, and says so; so do steps that are chosen by their error, of which
// there is none. Steps a twentieth shorter are right, and say nothing.
func TestStepsTooLong(t *testing.T) {
	const until = 0.12
	const want = 5.0 / 7 * until * until / 2 // a ball that rolls weighs 7/5 of one that slides
	for _, c := range []struct {
		run     runs.Options
		tooLong bool
	}{
		{runs.Options{Integrator: runs.RungeKutta4, Step: 0.0005}, false},
		{runs.Options{Integrator: runs.RungeKutta4, Step: 0.001}, false},
		{runs.Options{Integrator: runs.RungeKutta4, Step: 0.00105}, true},
		{runs.Options{Integrator: runs.RungeKutta4, Step: 0.0012}, true},
		{runs.Options{Tolerance: 1e-12}, true},
	} {
		c.run.Until = until
		o := &objective.Objective{At: objective.AtRun, Run: c.run, Terms: terms("ball.px"), Parameters: by("gravity[0]")}
		r, err := of(t, o, rolling)
		require.NoError(t, err)
		got := r.Parameters[0].Gradient
		t.Logf("%v %v: %v, unstable %v, growth %v", c.run.Integrator, c.run.Step, got, r.Run.Unstable, r.Run.Growth)
		require.Equal(t, c.tooLong, r.Run.TooLong(), "%v, growth %v", got, r.Run.Growth)
		if c.tooLong {
			require.Greater(t, got, 2*want)
			continue
		}
		require.Zero(t, r.Run.Unstable)
		require.InEpsilon(t, want, got, 5e-3, "the slip of the first milliseconds")
	}
}

// TestSlopesTell: what differentiates the runs of a study says of which runs its gradients are far from the motion's: of steps that are too
// long, and of steps over corners that are not taken apart.
func TestSlopesTell(t *testing.T) {
	stopped := swinging(t, "")
	for _, c := range []struct {
		model string
		run   runs.Options
		want  string
	}{
		{rolling, runs.Options{Integrator: runs.RungeKutta4, Step: 0.001}, ""},
		{rolling, runs.Options{Integrator: runs.RungeKutta4, Step: 0.00105}, "steps are too long"},
		{stopped, runs.Options{Integrator: runs.RungeKutta4, Step: 0.005, Until: 1}, "of one side at corners"},
		{stopped, runs.Options{Integrator: runs.GeneralizedAlpha, Step: 0.005, Until: 1}, "of the steps over corners"},
	} {
		c.run.Until = max(c.run.Until, 0.12)
		text, columns, takes, paths := []byte(c.model), []string{"joint.pin1.q"}, []string{"final"}, []string{"gravity[0]"}
		if c.model == rolling {
			columns[0] = "ball.px"
		}
		slopes, err := objective.Slopes(text, nil, c.run, columns, takes, paths)
		require.NoError(t, err)
		_, doubts, err := slopes(t.Context(), text)
		require.NoError(t, err)
		if c.want == "" {
			require.Empty(t, doubts)
		}
		require.Contains(t, doubts, c.want, "%v %v", c.run.Integrator, c.run.Step)
		_, err = objective.Slopes(text, nil, c.run, columns, []string{"mean"}, paths)
		require.ErrorContains(t, err, `$.terms[0].take`)
	}
}

// TestStepsOfPrescribedMotion: steps of a linkage whose crank is driven are not too long. Its cotangents are rounding at the joints, and
// differ from step to step.
func TestStepsOfPrescribedMotion(t *testing.T) {
	b, err := os.ReadFile("../../examples/hoeken/hoeken.json")
	require.NoError(t, err)
	run := runs.Options{Until: 1, Integrator: runs.RungeKutta4, Step: 0.02}
	o := &objective.Objective{At: objective.AtRun, Run: run, Terms: terms("coupler.py"), Parameters: by("joints[B].successor_frame.position[0]")}
	o.Terms[0].Take, o.Terms[0].Power, o.Terms[0].Target = objective.Integral, 2, 4
	r, err := of(t, o, string(b))
	require.NoError(t, err)
	require.Zero(t, r.Run.Unstable)
}

// TestShortStepsTooLong: runs of a few steps say that they are too long, too: nothing was said of those of a dozen or fewer, whose gradient
// was off by all of it and more, and then of those of four or fewer. One step makes it three times as large, which is told and no more.
func TestShortStepsTooLong(t *testing.T) {
	for _, steps := range []int{1, 2, 3, 4, 5, 6, 8, 9, 12, 13, 16, 17} {
		for _, c := range []struct {
			step    float64
			tooLong bool
		}{{0.0009, false}, {0.0013, true}} {
			run := runs.Options{Integrator: runs.RungeKutta4, Step: c.step, Until: float64(steps) * c.step}
			o := &objective.Objective{At: objective.AtRun, Run: run, Terms: terms("ball.vx"), Parameters: by("gravity[0]")}
			r, err := of(t, o, rolling)
			require.NoError(t, err)
			t.Logf("%d of %v: %v, unstable %v", steps, c.step, r.Parameters[0].Gradient, r.Run.Unstable)
			require.Equal(t, steps, int(r.Run.Steps))
			require.Equal(t, c.tooLong, r.Run.Unstable > 1)
			require.Equal(t, c.tooLong && steps > 1, r.Run.TooLong())
		}
	}
}
