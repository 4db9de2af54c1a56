package objective_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/motion/runs"
)

// rolling is a ball of 1 kg that rolls on a plane. Its slip has a time constant of 0.36 ms, for which RK4 is stable with steps up to 1.01
// ms.
const rolling = `{"format": "rung-model/1", "name": "ball", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "ball", "mass": 1, "inertia": {"xx": 0.004, "yy": 0.004, "zz": 0.004}, "pose": {"position": [0, 0, 0.0995095]},
  "velocity": {"linear": [0.1, 0, 0], "angular": [0, 1, 0]}}],
 "terrains": [{"name": "ground", "type": "plane", "normal": [0, 0, 1]}],
 "forces": [{"name": "foot", "type": "contact", "body": "ball", "terrain": "ground", "shape": {"type": "sphere", "radius": 0.1},
  "normal": {"stiffness": 2e4}, "friction": {"type": "coulomb", "coefficient": 0.8, "slip_speed": 0.01}}]}`

// TestStepsTooLong: with steps beyond the stability of their method for the friction of a rolling ball the run looks normal, as its slip is
// zero or friction saturates. The gradient grows with each step, and the result says so, also for adaptive steps, whose error estimate is
// zero. With steps a twentieth shorter the gradient is correct, and nothing is reported.
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

// TestSlopesTell: the gradients of a study report runs for which they are far from the derivatives of the motion: steps that are too long,
// and steps over corners that are not taken apart.
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

// TestStepsOfPrescribedMotion: steps of a linkage with a driven crank are not reported as too long. Its cotangents are rounding on the
// joints, and scatter from step to step.
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

// TestShortStepsTooLong: runs of a few steps that are too long are reported, too. Runs of a dozen steps or fewer were once not reported,
// although their gradient was completely wrong, and then runs of four or fewer. A run of one step has a gradient three times too large; its
// factor is reported, but it does not count as too long.
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
