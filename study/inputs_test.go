package study_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/study"
)

// TestInputsOfAll: every input of the reference models is the number of a parameter with its path, with its value, and the
// document with a value set is the one that a study makes.
func TestInputsOfAll(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(check.ModelPath(t, "four-bar")), "*.model.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range check.Some(files, 8) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		in, err := study.NewInputs(text, file)
		require.NoError(t, err)
		all := in.All()
		require.NotEmpty(t, all)
		for k := 0; k < len(all); k += len(all)/10 + 1 {
			x := all[k]
			name, err := json.Marshal(x.Path)
			require.NoError(t, err)
			s, err := study.Read(strings.NewReader(`{"format": "rung-study/1", "model": "m.json", "run": {"until": 1},
				"parameters": [{"path": `+string(name)+`, "values": [`+number(x.Value)+`]}], "outputs": [{"column": "energy.kinetic", "take": "final"}]}`), "s")
			require.NoError(t, err, x.Path)
			base, err := s.NewBase(text, "s")
			require.NoError(t, err, "%s: %s", file, x.Path)
			want, err := base.With([]float64{x.Value + 1})
			require.NoError(t, err)
			fresh, err := study.NewInputs(text, file)
			require.NoError(t, err)
			require.NoError(t, fresh.Set(x.Path, x.Value+1))
			got, err := json.Marshal(fresh)
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(got))
			require.Equal(t, x.Value+1, fresh.All()[k].Value)
		}
	}
}

func number(x float64) string {
	b, _ := json.Marshal(x)
	return string(b)
}

const inputsModel = `{"format": "rung-model/1", "name": "units", "gravity": [0, 0, -9.81], "time": 2,
 "bodies": [
  {"name": "a]b", "mass": 2, "com": [1, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}, "velocity": {"linear": [0, 0, 0], "angular": [0, 0, 3]}},
  {"name": "1", "mass": 4, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0, 5, 0], "orientation": [1, 0, 0, 0]}}],
 "joints": [
  {"name": "pin", "type": "revolute", "predecessor": "world", "successor": "a]b", "stiffness": [5], "damping": [6], "rest": [0.5], "force": [7], "armature": [0.1],
   "limits": [{"lower": -2, "upper": 2, "rate": 9, "force": 11}]},
  {"name": "slide", "type": "cylindrical", "predecessor": "a]b", "successor": "1", "stiffness": [8, 9], "damping": [1, 2]}],
 "forces": [
  {"name": "spring", "type": "spring_damper", "a": {"body": "world", "point": [0, 0, 1]}, "b": {"body": "1"}, "stiffness": 100, "damping": 3, "rest_length": 0.3},
  {"name": "push", "type": "wrench", "body": "1", "point": [0, 0, 0.5], "force": [1, 0, 0], "torque": [0, 2, 0]}],
 "visuals": [{"body": "1", "kind": "sphere", "size": [0.3]}]}`

// TestInputUnits: paths, units and values by hand.
func TestInputUnits(t *testing.T) {
	in, err := study.NewInputs([]byte(inputsModel), "units")
	require.NoError(t, err)
	got := map[string]study.Input{}
	for _, x := range in.All() {
		got[x.Path] = x
		require.NotContains(t, x.Path, "visuals")
	}
	for _, want := range []study.Input{
		{"gravity[2]", "m/s²", -9.81},
		{"time", "s", 2},
		{`bodies["a]b"].mass`, "kg", 2},
		{`bodies["a]b"].com[0]`, "m", 1},
		{`bodies["a]b"].inertia.xx`, "kg m²", 1},
		{`bodies["a]b"].velocity.angular[2]`, "rad/s", 3},
		{"bodies[1].pose.position[1]", "m", 5},
		{"bodies[1].pose.orientation[0]", "", 1},
		{"joints[pin].stiffness[0]", "N m/rad", 5},
		{"joints[pin].damping[0]", "N m s/rad", 6},
		{"joints[pin].rest[0]", "rad", 0.5},
		{"joints[pin].force[0]", "N m", 7},
		{"joints[pin].armature[0]", "kg m²", 0.1},
		{"joints[pin].limits[0].lower", "rad", -2},
		{"joints[pin].limits[0].rate", "rad/s", 9},
		{"joints[pin].limits[0].force", "N m", 11},
		{"joints[slide].stiffness[0]", "N m/rad", 8},
		{"joints[slide].stiffness[1]", "N/m", 9},
		{"joints[slide].damping[1]", "N s/m", 2},
		{"forces[spring].stiffness", "N/m", 100},
		{"forces[spring].damping", "N s/m", 3},
		{"forces[spring].rest_length", "m", 0.3},
		{"forces[spring].a.point[2]", "m", 1},
		{"forces[push].force[0]", "N", 1},
		{"forces[push].torque[1]", "N m", 2},
	} {
		require.Equal(t, want, got[want.Path])
	}

	require.NoError(t, in.Set(`$.bodies[0].mass`, 3), "by its number")
	require.NoError(t, in.Set("joints[pin].stiffness[0]", 50))
	m, err := in.Model()
	require.NoError(t, err)
	require.Equal(t, 3.0, m.Bodies[0].Mass)
	require.Equal(t, []float64{50}, m.Joints[0].Stiffness)
	require.NoError(t, in.Set("bodies[1].mass", -1))
	_, err = in.Model()
	require.ErrorContains(t, err, "$.bodies[1].mass")

	for path, says := range map[string]string{
		"bodies[1].mas":      `study: path "bodies[1].mas": the model has no "mas" in $.bodies[1], did you mean mass?`,
		"bodies[2].mass":     `the model has no entry "2" in $.bodies`,
		"bodies[1].name":     "is no number",
		"bodies[1":           `study: path "bodies[1" has a bracket that does not end`,
		"visuals[0].size[0]": "no computation looks at $.visuals[0].size[0]",
	} {
		require.ErrorContains(t, in.Set(path, 1), says)
	}
	require.EqualError(t, in.Set("time", math.NaN()), `study: "time": NaN is not finite`)
	_, err = study.NewInputs([]byte(`{"format": "rung-model/1", "bodies": 5}`), "broken")
	require.ErrorAs(t, err, new(*model.Problems))
}
