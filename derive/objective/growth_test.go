package objective_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/motion/runs"
)

// TestGrowth: gradients of chaotic runs are reported as growing exponentially, with any method, and gradients of regular mechanisms are
// not, however long they run. In a short test the double pendulum runs for 12 s and the others for at most 4 s.
func TestGrowth(t *testing.T) {
	double := modeltest.Arm(2) // falls from its horizontal pose
	double.Gravity = [3]float64{0, -9.81}
	b, err := json.Marshal(double)
	require.NoError(t, err)
	for _, x := range []struct {
		name, text, column, path string
		until                    float64
		chaotic, loops           bool
	}{
		{"double pendulum, long", string(b), "l1.px", "bodies[l0].mass", check.Few(20.0, 12), true, false},
		{"double pendulum, short", string(b), "l1.px", "bodies[l0].mass", 1, false, false},
		{"pendulum", text(t, "pendulum"), "link1.px", "bodies[link1].mass", 20, false, false},
		{"four-bar", text(t, "run-four-bar"), "", "", 20, false, true},
		{"slider-crank", text(t, "run-slider-crank"), "", "", 20, false, true},
		{"top", text(t, "run-top"), "", "", 20, false, false},
		{"stewart", text(t, "stewart-6ups"), "", "", 2, false, true},
	} {
		for _, run := range []runs.Options{
			{Tolerance: 1e-8}, {Integrator: runs.RungeKutta4, Step: 5e-3}, {Integrator: runs.GeneralizedAlpha, Step: 5e-3},
			{Integrator: runs.Rattle, Step: 5e-3},
		} {
			if x.loops && (run.Integrator == runs.Rattle || testing.Short() && run.Integrator == runs.RungeKutta4) {
				continue // some steps of RATTLE are damped, and refused
			}
			run.Until = x.until
			if !x.chaotic {
				run.Until = min(x.until, check.Few(x.until, 4))
			}
			t.Run(x.name+" "+run.Integrator.String(), func(t *testing.T) {
				var m struct{ Bodies []struct{ Name string } }
				require.NoError(t, json.Unmarshal([]byte(x.text), &m))
				column, path := x.column, x.path
				if column == "" {
					name := m.Bodies[len(m.Bodies)-1].Name
					column, path = name+".px", "bodies["+name+"].mass"
				}
				o := &objective.Objective{At: objective.AtRun, Run: run, Terms: terms(column), Parameters: by(path)}
				r, err := of(t, o, x.text)
				require.NoError(t, err)
				t.Logf("growth %.3g", r.Run.Growth)
				require.Equal(t, x.chaotic, r.Run.Exponential(), "growth %v", r.Run.Growth)
				require.GreaterOrEqual(t, r.Run.Growth, 1.0)
			})
		}
	}
}

// TestCorners: a gradient over corners of the laws of cams agrees with differences, as cotangents are projected onto the joints, and the
// corners are reported with the names of the couplings.
func TestCorners(t *testing.T) {
	const tol = 1e-4
	valves := check.Few(2, 1)
	m, err := bench.Generate("valve-train", valves, 1)
	require.NoError(t, err)
	b, err := json.Marshal(m)
	require.NoError(t, err)
	o := &objective.Objective{
		At: objective.AtRun, Run: runs.Options{Until: 0.08, Tolerance: 1e-9}, Terms: terms("joint.b0.qd"),
		Parameters: check.Some([]objective.Parameter{
			{Name: "valve", Paths: []string{"bodies[i0].mass"}}, {Name: "torque", Paths: []string{"joints[b0].force[0]"}},
		}, 2),
	}
	p := problemOf(t, o, string(b), 1)
	r, err := p.Gradient(t.Context())
	require.NoError(t, err)
	for k := range r.Parameters {
		h := 1e-4 * math.Abs(p.Values()[k])
		want := difference(t, p, k, h)
		t.Logf("%s: %.8g, by differences %.8g", r.Parameters[k].Name, r.Parameters[k].Gradient, want)
		require.InEpsilon(t, want, r.Parameters[k].Gradient, tol, r.Parameters[k].Name)
	}
	names, want := map[string]bool{}, map[string]bool{}
	for _, k := range r.Run.Kinks {
		require.Equal(t, "law", k.What)
		names[k.Name] = true
	}
	for i := range valves {
		for _, side := range []string{"ci", "ce"} {
			want[fmt.Sprintf(`coupling "%s%d"`, side, i)] = true
		}
	}
	require.Equal(t, want, names)
}
