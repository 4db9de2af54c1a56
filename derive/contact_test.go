package derive_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/study"
)

// pressed is a ball and a wheel pressed into the ground, which slide, roll and spin.
const pressed = `{"format": "rung-model/1", "name": "pressed", "gravity": [0, 0, -9.81],
 "bodies": [
  {"name": "ball", "mass": 2, "inertia": {"xx": 1, "yy": 1.2, "zz": 1.1}, "com": [0.02, 0.01, 0.03], "pose": {"position": [0, 0, 0.095]},
   "velocity": {"linear": [0.3, -0.2, -0.1], "angular": [0.5, 2, 0.7]}},
  {"name": "wheel", "mass": 1, "inertia": {"xx": 1, "yy": 1.2, "zz": 1.1}, "pose": {"position": [2, 0, 0.29]},
   "velocity": {"linear": [0.3, 0.2, -0.1], "angular": [0.1, 2, 0.7]}}],
 "terrains": [{"name": "ground", "type": "plane", "normal": [0.1, 0, 1]}],
 "forces": [
  {"name": "foot", "type": "contact", "body": "ball", "terrain": "ground", "shape": {"type": "sphere", "radius": 0.1},
   "normal": {"stiffness": 2e4, "exponent": 1.5, "dissipation": 0.4},
   "friction": {"type": "coulomb", "coefficient": 0.7, "slip_speed": 0.1},
   "rolling": {"coefficient": 0.02, "speed": 0.5}, "drilling": {"coefficient": 0.03, "speed": 0.5}},
  {"name": "tread", "type": "contact", "body": "wheel", "terrain": "ground", "contacts": "distributed", "samples": 64,
   "shape": {"type": "disc", "radius": 0.3}, "normal": {"law": "linear", "stiffness": 3e3, "damping": 30},
   "friction": {"type": "coulomb", "coefficient": [0.7, 0.5], "slip_speed": 0.1}}
 ]}`

// TestContactParameters compares derivatives by the numbers of contacts with differences, and requires an error that names the number where
// there is none.
func TestContactParameters(t *testing.T) {
	m, err := model.Read(strings.NewReader(pressed), "m.json")
	require.NoError(t, err)
	text, err := json.Marshal(m)
	require.NoError(t, err)
	inputs, err := study.NewInputs(text, m.Name)
	require.NoError(t, err)
	d, st := closed(t, m)
	tried := 0
	for _, x := range inputs.All() {
		if !strings.HasPrefix(x.Path, "forces") && !strings.HasPrefix(x.Path, "terrains") {
			continue
		}
		p, err := d.Parameter(x.Path)
		if err != nil {
			require.ErrorIs(t, err, derive.ErrParameter, x.Path)
			require.NotContains(t, x.Path, "stiffness")
			continue
		}
		tried++
		parameterSlope(t, m, d, st, inputs, x, p)
	}
	require.Equal(t, 19, tried)
	for old, x := range map[string][3]string{
		`"coefficient": [0.7, 0.5]`: {`"coefficient": [0.7, 0.7]`, "forces[tread].friction.coefficient[1]", "are equal, where the force has a corner"},
		`"exponent": 1.5`:           {`"exponent": 1`, "forces[foot].normal.exponent", "end of its range"},
		`"dissipation": 0.4`:        {`"dissipation": 0`, "forces[foot].normal.damping", "is for the linear law and for soil"},
		`"radius": 0.3`:             {`"radius": 0.3`, "forces[tread].shape.tyre_radius", "is for a torus"},
		`"disc"`:                    {`"disc"`, "forces[tread].friction.long.b", "no such number"},
	} {
		m, err := model.Read(strings.NewReader(strings.Replace(pressed, old, x[0], 1)), "m.json")
		require.NoError(t, err)
		d, _ := closed(t, m)
		_, err = d.Parameter(x[1])
		require.ErrorContains(t, err, x[2], x[1])
		require.ErrorIs(t, err, derive.ErrParameter)
	}
}

// TestContactJustTouches: in a contact so shallow that a small part of its depth is rounding of the radius or of the height of the ground,
// there is no derivative by these. It was wrong by a factor of 7.
func TestContactJustTouches(t *testing.T) {
	text := strings.Replace(pressed, `"normal": [0.1, 0, 1]`, `"normal": [0, 0, 1]`, 1)
	text = strings.Replace(text, `{"stiffness": 2e4, "exponent": 1.5, "dissipation": 0.4}`, `{"law": "linear", "stiffness": 2e4}`, 1)
	for depth, there := range map[float64]bool{1e-3: true, 1e-11: true, 1e-15: false} {
		m, err := model.Read(strings.NewReader(text), "m.json")
		require.NoError(t, err)
		m.Bodies[0].Com, m.Bodies[0].Velocity = [3]float64{}, model.Velocity{}
		m.Bodies[0].Pose.Position[2] = 0.1 - depth
		for _, path := range []string{"forces[foot].shape.radius", "terrains[ground].point[2]"} {
			d, st := closed(t, m)
			p, err := d.Parameter(path)
			require.NoError(t, err)
			require.NoError(t, d.At(st))
			in, out := d.NewDirections(1), d.NewChanges(1)
			in.AddParameter(0, p, 1)
			if err = d.ForwardTo(out, in, derive.Options{}); !there {
				require.ErrorIs(t, err, derive.ErrNoDerivatives, path)
				continue
			}
			require.NoError(t, err)
			require.InEpsilon(t, 2e4/2, out.Body(0, 0).ComAcceleration[2], 1e-3, path)
		}
	}
}

// TestContactBesideCorner: next to the speed at which damping holds the force of a contact at zero, derivatives by its numbers are the
// one-sided ones. Differences used to cross the corner: the derivative by the damping was anything between zero and the correct one.
func TestContactBesideCorner(t *testing.T) {
	const (
		stiffness, exponent, damping, depth, mass = 2e4, 1.5, 40.0, 1e-3, 2.0
		tol                                       = 1e-7 // relative to the derivative: one-sided differences of order 6
	)
	text := strings.Replace(pressed, `"normal": [0.1, 0, 1]`, `"normal": [0, 0, 1]`, 1)
	text = strings.Replace(text, `{"stiffness": 2e4, "exponent": 1.5, "dissipation": 0.4}`,
		`{"law": "linear", "stiffness": 2e4, "exponent": 1.5, "damping": 40}`, 1)
	elastic := stiffness * math.Pow(depth, exponent)
	for _, beside := range []float64{1e-1, 1e-2, 1e-4, 1e-8, -1e-8, -1e-4, -1e-2} {
		m, err := model.Read(strings.NewReader(text), "m.json")
		require.NoError(t, err)
		speed := elastic / damping * (1 - beside)
		m.Bodies[0].Com, m.Bodies[0].Velocity = [3]float64{}, model.Velocity{Linear: [3]float64{0, 0, speed}}
		m.Bodies[0].Pose.Position[2] = 0.1 - depth
		for path, want := range map[string]float64{
			"forces[foot].normal.damping":   -speed / mass,
			"forces[foot].normal.stiffness": elastic / stiffness / mass,
			"forces[foot].normal.exponent":  elastic * math.Log(depth) / mass,
		} {
			if beside < 0 {
				want = 0
			}
			d, st := closed(t, m)
			p, err := d.Parameter(path)
			require.NoError(t, err)
			require.NoError(t, d.At(st))
			in, out := d.NewDirections(1), d.NewChanges(1)
			in.AddParameter(0, p, 1)
			require.NoError(t, d.ForwardTo(out, in, derive.Options{}), "%s, %v", path, beside)
			require.InDelta(t, want, out.Body(0, 0).ComAcceleration[2], tol*math.Abs(elastic), "%s, %v", path, beside)
		}
	}
}
