package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// settled is the document of a run of rung equilibrium --json.
func settled(t *testing.T, status int, args ...string) (r answers.Equilibrium) {
	t.Helper()
	run := rungRun(append([]string{"equilibrium", "--json"}, args...)...)
	require.Equal(t, status, run.Status, run.Err)
	d := json.NewDecoder(strings.NewReader(run.Out))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r))
	return r
}

// TestEquilibrium settles models; what is written rests there for another command.
func TestEquilibrium(t *testing.T) {
	for _, name := range []string{"pendulum", "four-bar", "springs", "stewart-6ups", "bricard-6r", "type-fixed"} {
		out := filepath.Join(t.TempDir(), "out.json")
		r := settled(t, shell.ExitDone, golden(name), "-o", out)
		assert.Equal(t, "rung-equilibrium/1", r.Format)
		assert.True(t, r.Found)
		assert.Equal(t, "stable", r.Stability, name)
		assert.Positive(t, r.Steps)
		require.NotNil(t, r.Unbalanced.Relative)
		assert.LessOrEqual(t, *r.Unbalanced.Relative, 1e-9, name)
		assert.Positive(t, r.Lowest.Frequency)
		assert.InEpsilon(t, r.Lowest.Stiffness, math.Pow(2*math.Pi*r.Lowest.Frequency, 2), 1e-12)

		var a struct {
			Bodies []struct {
				Acceleration [3]float64 `json:"com_acceleration"`
			}
			Joints []struct {
				Position float64 `json:"position_residual"`
				Velocity float64 `json:"velocity_residual"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", "--json", out)), &a))
		for _, b := range a.Bodies {
			for _, x := range b.Acceleration {
				assert.LessOrEqual(t, math.Abs(x), 1e-6, name)
			}
		}
		for _, j := range a.Joints {
			assert.LessOrEqual(t, j.Position, closedTol, name)
			assert.Zero(t, j.Velocity, name)
		}
		// Nothing but the state has changed, and it stays.
		was, err := model.ReadFile(golden(name))
		require.NoError(t, err)
		is, err := model.ReadFile(out)
		require.NoError(t, err)
		for i := range is.Bodies {
			assert.Zero(t, is.Bodies[i].Velocity)
			is.Bodies[i].Pose, is.Bodies[i].Velocity = was.Bodies[i].Pose, was.Bodies[i].Velocity
		}
		assert.Equal(t, was, is, name)
		again := settled(t, shell.ExitDone, out)
		assert.LessOrEqual(t, again.Travel.Value, 1e-8, name)
		assert.LessOrEqual(t, again.Steps, 1, name)
	}
}

// TestEquilibriumStationary stays upside down where it is told to.
func TestEquilibriumStationary(t *testing.T) {
	path := upsideDown(t)
	r := settled(t, shell.ExitDone, path, "--stationary")
	assert.Equal(t, "unstable", r.Stability)
	assert.Negative(t, r.Lowest.Stiffness)
	assert.Zero(t, r.Lowest.Frequency)
	assert.Zero(t, r.Left)
	r = settled(t, shell.ExitDone, path)
	assert.Equal(t, "stable", r.Stability)
	assert.Equal(t, 1, r.Left)
	assert.Less(t, *r.Energy.After, *r.Energy.Before)
	table := ok(t, "equilibrium", path)
	assert.Contains(t, table, "1 unstable left on the way")
	clitest.RequireColumns(t, table)
	assert.Contains(t, ok(t, "equilibrium", path, "--stationary"), "growth rate")
}

// upsideDown writes a pendulum that stands on its pivot and returns its path.
func upsideDown(t *testing.T) string {
	t.Helper()
	m := model.New("upside down")
	m.Bodies = []model.Body{{
		Name: "rod", Mass: 2, Com: [3]float64{0, 0, 0.5}, Inertia: model.Inertia{XX: 1. / 6, YY: 1. / 6, ZZ: 1e-3},
		Pose: model.Pose{Orientation: [4]float64{1}},
	}}
	frame := model.Pose{Orientation: [4]float64{math.Sqrt2 / 2, math.Sqrt2 / 2}} // z along −y
	m.Joints = []model.Joint{{
		Name: "pivot", Type: model.Revolute, Predecessor: model.World, Successor: "rod",
		PredecessorFrame: frame, SuccessorFrame: frame,
	}}
	path := filepath.Join(t.TempDir(), "upside-down.json")
	require.NoError(t, model.WriteFile(path, m))
	return path
}

// TestWindingSpring twists a torsion spring by ten radians; the model that is written is in
// equilibrium when it is read again, and stays wound when it is assembled.
func TestWindingSpring(t *testing.T) {
	m := model.New("winch")
	m.Bodies = []model.Body{{Name: "drum", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{
		Name: "axle", Type: model.Cylindrical, Predecessor: model.World, Successor: "drum",
		Force: []float64{4 * 10, 0}, Stiffness: []float64{4, 1}, Rest: []float64{0, 0},
	}}
	dir := t.TempDir()
	was, is, again := filepath.Join(dir, "was.json"), filepath.Join(dir, "is.json"), filepath.Join(dir, "again.json")
	require.NoError(t, model.WriteFile(was, m))
	r := settled(t, shell.ExitDone, was, "-o", is)
	assert.Equal(t, "stable", r.Stability)
	wound, err := model.ReadFile(is)
	require.NoError(t, err)
	assert.Equal(t, []int64{2}, wound.Joints[0].Turns)
	assert.Zero(t, settled(t, shell.ExitDone, is).Steps)
	ok(t, "assemble", is, "-o", again)
	wound, err = model.ReadFile(again)
	require.NoError(t, err)
	assert.Equal(t, []int64{2}, wound.Joints[0].Turns)
}

// TestEquilibriumToStdout writes the model, and nothing else, to standard output.
func TestEquilibriumToStdout(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	table := ok(t, "equilibrium", golden("four-bar"), "-o", out)
	for _, word := range []string{"in equilibrium", "stability", "lowest frequency", "unbalanced force", "displacement"} {
		assert.Contains(t, table, word)
	}
	clitest.RequireColumns(t, table)
	r := rungRun("equilibrium", golden("four-bar"), "-o", "-")
	require.Equal(t, shell.ExitDone, r.Status)
	assert.Equal(t, table, r.Err)
	want, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, string(want), r.Out)
}

// TestNoEquilibrium names the body that falls.
func TestNoEquilibrium(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	r := settled(t, shell.ExitFailed, golden("single-body"), "-o", out, "--steps", "20")
	assert.False(t, r.Found)
	assert.Equal(t, 20, r.Steps)
	assert.Equal(t, "block", r.Unbalanced.Body)
	assert.NoFileExists(t, out)
	run := rungRun("equilibrium", golden("single-body"), "--steps", "20")
	assert.Equal(t, shell.ExitFailed, run.Status)
	assert.Empty(t, run.Out)
	assert.Contains(t, run.Err, `body "block"`)
	assert.NotContains(t, run.Err, "linear:")
	assert.Equal(t, 1, strings.Count(run.Err, "\n"))
}

func TestEquilibriumMisuse(t *testing.T) {
	in := golden("four-bar")
	for _, c := range []struct {
		text string
		args []string
	}{
		{"missing MODEL", nil},
		{"has to end in .json", []string{in, "-o", "x.xml"}},
		{"one output", []string{in, "-o", "-", "--json"}},
		{"one at least", []string{in, "--steps", "0"}},
		{"no such file", []string{"none.json"}},
		{"$.bodies", []string{filepath.Join(reference, "invalid", "duplicate-body.model.json")}},
	} {
		r := rungRun(append([]string{"equilibrium"}, c.args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, c.text)
		assert.Empty(t, r.Out, c.text)
		assert.Contains(t, r.Err, c.text)
	}
	help := ok(t, "equilibrium", "-h")
	clitest.RequireColumns(t, help)
}

// TestEquilibriumOfOpenJoints prints a document that names the joint where joints cannot be closed.
func TestEquilibriumOfOpenJoints(t *testing.T) {
	m := model.New("torn")
	m.Bodies = []model.Body{{Name: "rod", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	for i, name := range []string{"left", "right"} {
		m.Joints = append(m.Joints, model.Joint{
			Name: name, Type: model.Fixed, Predecessor: model.World, Successor: "rod",
			PredecessorFrame: model.Pose{Position: [3]float64{float64(i), 0, 0}},
		})
	}
	dir := t.TempDir()
	path, out := filepath.Join(dir, "torn.json"), filepath.Join(dir, "out.json")
	require.NoError(t, model.WriteFile(path, m))
	r := settled(t, shell.ExitFailed, path, "-o", out)
	assert.False(t, r.Found)
	require.NotNil(t, r.Unmet)
	assert.Contains(t, []string{"left", "right"}, r.Unmet.Joint)
	assert.Equal(t, "position", r.Unmet.Level)
	assert.Positive(t, r.Unmet.Error)
	assert.Contains(t, r.Failure, "joints cannot be closed")
	assert.NotContains(t, r.Failure, path)
	assert.Nil(t, r.Unbalanced)
	assert.NoFileExists(t, out)
}
