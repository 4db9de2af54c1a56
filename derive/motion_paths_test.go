package derive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/model"
)

// sliders has a slider that a motion drives, and a slider that an actuator pushes; MOTION stands for each motion.
const sliders = `{"format": "rung-model/1", "name": "driven", "bodies": [
  {"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}, {"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
 "joints": [{"name": "ja", "type": "prismatic", "predecessor": "world", "successor": "a", "motion": [MOTION]},
  {"name": "jb", "type": "prismatic", "predecessor": "world", "successor": "b"}],
 "forces": [{"name": "push", "type": "actuator", "joint": "jb", "law": "torque", "value": MOTION}]}`

// TestMotionPaths: a path to a number that a motion of its kind does not have is refused, and all others lead to a derivative.
func TestMotionPaths(t *testing.T) {
	all := []string{
		"offset", "amplitude", "frequency", "phase", "coefficients[0]", "coefficients[2]", "coefficients[3]", "values[0]", "values[11]",
		"values[12]", "rates[0]", "rates[1]", "rates[2]", "rates[10]", "value", "rate", "accelerations[0]", "accelerations[2]",
		"accelerations[3]", "",
	}
	const spline = `{"kind": "spline", "times": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "values": [1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2]`
	for motion, has := range map[string]string{
		`{"kind": "harmonic", "offset": 1, "amplitude": 2, "frequency": 0.5, "phase": 1}`: "offset amplitude frequency phase",
		`{"kind": "polynomial", "coefficients": [1, 2, 3]}`:                               "coefficients[0] coefficients[2]",
		spline + `, "ends": "clamped", "rates": [0.5, 0]}`:                                "values[0] values[11] rates[0] rates[1]",
		spline + `}`: "values[0] values[11]",
		`{"kind": "table", "times": [0, 1, 2], "accelerations": [1, 0, 1], "value": 1, "rate": 2}`: "value rate accelerations[0] accelerations[2]",
	} {
		m, err := model.Read(strings.NewReader(strings.ReplaceAll(sliders, "MOTION", motion)), "m.json")
		require.NoError(t, err)
		for _, prefix := range []string{"joints[ja].motion[0]", "forces[push].value"} {
			for _, name := range all {
				path := prefix + "." + name
				if name == "" {
					path = prefix
				}
				d, st := closed(t, m)
				p, err := d.Parameter(path)
				if name == "" || !strings.Contains(" "+has+" ", " "+name+" ") {
					require.ErrorIs(t, err, derive.ErrParameter, "%s of %s", path, motion)
					continue
				}
				require.NoError(t, err, "%s of %s", path, motion)
				in, out := d.NewDirections(1), d.NewChanges(1)
				in.AddParameter(0, p, 1)
				in.SetFollow(0, true)
				require.NoError(t, d.At(st))
				require.NoError(t, d.ForwardTo(out, in, derive.Options{}), "%s of %s", path, motion)
			}
		}
	}
}
