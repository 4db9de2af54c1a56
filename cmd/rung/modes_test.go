package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// modesJSON is the document of a run of rung modes --json.
func modesJSON(t *testing.T, args ...string) (r answers.Modes) {
	t.Helper()
	run := rungRun(append([]string{"modes", "--json"}, args...)...)
	require.Equal(t, shell.ExitDone, run.Status, run.Err)
	d := json.NewDecoder(strings.NewReader(run.Out))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r))
	return r
}

// TestModesUpsideDown has a closed form: I·λ² = m·g·l/2 with I = m·l²/3.
func TestModesUpsideDown(t *testing.T) {
	path := upsideDown(t)
	r := modesJSON(t, path)
	assert.Equal(t, "rung-modes/1", r.Format)
	assert.True(t, r.All)
	assert.Equal(t, 1, r.Unstable)
	require.Len(t, r.Modes, 1)
	m := &r.Modes[0]
	want := math.Sqrt(1.5 * 9.81)
	assert.Equal(t, "divergence", m.Kind)
	assert.InEpsilon(t, want, m.Eigenvalue[0], 1e-9)
	assert.Zero(t, m.Eigenvalue[1])
	assert.InEpsilon(t, -want*want, m.Stiffness, 1e-9)
	// Unit modal mass about the pivot: φ²·m·l²/3 = 1.
	assert.InEpsilon(t, math.Sqrt(1.5), math.Abs(m.Shape[0].Angular[1]), 1e-9)
	assert.InEpsilon(t, math.Sqrt(1.5)/2, math.Abs(m.Shape[0].Linear[0]), 1e-9)
	table := ok(t, "modes", path)
	assert.Contains(t, table, "unstable: 1 mode that will grow")
	clitest.RequireColumns(t, table)
	hanging := modesJSON(t, path, "--equilibrium")
	assert.Equal(t, "vibration", hanging.Modes[0].Kind)
	assert.InEpsilon(t, want/(2*math.Pi), hanging.Modes[0].Frequency, 1e-9)
}

// TestModesMethods agree, and damping shows where it is wanted.
func TestModesMethods(t *testing.T) {
	check.Long(t)
	in := golden("springs")
	dense := modesJSON(t, in, "--equilibrium", "--method", "dense")
	sparse := modesJSON(t, in, "--equilibrium", "--method", "sparse", "--count", "4")
	require.Len(t, sparse.Modes, 4)
	require.Greater(t, len(dense.Modes), 4)
	assert.True(t, dense.All)
	assert.False(t, sparse.All)
	for i := range sparse.Modes {
		assert.InEpsilon(t, dense.Modes[i].Frequency, sparse.Modes[i].Frequency, 1e-7)
		assert.InEpsilon(t, dense.Modes[i].DampingRatio, sparse.Modes[i].DampingRatio, 1e-5)
		assert.NotNil(t, sparse.Modes[i].Shape[0].LinearImag)
	}
	undamped := modesJSON(t, in, "--equilibrium", "--undamped")
	assert.False(t, undamped.Damped)
	assert.Zero(t, undamped.Modes[0].DampingRatio)
	assert.Nil(t, undamped.Modes[0].Shape[0].LinearImag)
}

// TestModesCSV reads back what --csv writes.
func TestModesCSV(t *testing.T) {
	args := []string{golden("stewart-6ups"), "--equilibrium", "--count", "3"}
	r := modesJSON(t, args...)
	rows, err := csv.NewReader(strings.NewReader(ok(t, append([]string{"modes", "--csv"}, args...)...))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+3*r.Bodies)
	assert.Equal(t, []string{"mode", "kind", "frequency"}, rows[0][:3])
	column := func(row []string, name string) float64 {
		for i, head := range rows[0] {
			if head == name {
				x, err := strconv.ParseFloat(row[i], 64)
				require.NoError(t, err)
				return x
			}
		}
		t.Fatalf("no column %s", name)
		return 0
	}
	for i, row := range rows[1:] {
		m := &r.Modes[i/r.Bodies]
		s := &m.Shape[i%r.Bodies]
		assert.Equal(t, float64(i/r.Bodies+1), column(row, "mode"))
		assert.Equal(t, m.Frequency, column(row, "frequency"))
		assert.Equal(t, m.Eigenvalue[1], column(row, "eigenvalue.im"))
		assert.Equal(t, s.Body, row[7])
		assert.Equal(t, s.Linear[1], column(row, "vy"))
		assert.Equal(t, s.Angular[2], column(row, "wz"))
	}
}

// TestModesOfOpenJoints names the joint that is farthest from holding, by pose or by velocity.
func TestModesOfOpenJoints(t *testing.T) {
	m, err := model.ReadFile(golden("four-bar"))
	require.NoError(t, err)
	m.Bodies[1].Pose.Position[0] += 0.1
	path := filepath.Join(t.TempDir(), "open.json")
	require.NoError(t, model.WriteFile(path, m))
	r := rungRun("modes", path)
	require.Equal(t, shell.ExitDone, r.Status)
	require.Regexp(t, `warning: joint "\w+" is open by 0.1 m or rad`, r.Err)
	m.Bodies[1].Pose.Position[0] -= 0.1
	m.Bodies[1].Velocity.Linear[2] += 3
	require.NoError(t, model.WriteFile(path, m))
	assert.NotContains(t, rungRun("modes", path).Err, "open")
	require.Regexp(t, `warning: the velocities open joint "\w+" by 3 m/s or rad/s`, rungRun("modes", path, "--moving").Err)
}

// TestModesWarns says that a pose is no equilibrium, with the body.
func TestModesWarns(t *testing.T) {
	r := rungRun("modes", golden("springs"))
	require.Equal(t, shell.ExitDone, r.Status)
	assert.Contains(t, r.Err, "not in equilibrium")
	assert.Equal(t, 1, strings.Count(r.Err, "\n"))
	clitest.RequireColumns(t, r.Out)
	r = rungRun("modes", golden("springs"), "--equilibrium")
	assert.Empty(t, r.Err)
	r = rungRun("modes", golden("spinning-top"), "--moving")
	require.Equal(t, shell.ExitDone, r.Status)
	assert.Empty(t, r.Err)
	assert.Contains(t, ok(t, "modes", golden("driven-crank")), "no motion")
}

// TestModesOfLongChain takes the sparse method by itself.
func TestModesOfLongChain(t *testing.T) {
	check.Long(t)
	n := "300"
	r := modesJSON(t, generated(t, "chain", n), "--equilibrium", "--count", "3")
	assert.Equal(t, "sparse", r.Method)
	require.Len(t, r.Modes, 3)
	assert.Positive(t, r.Modes[0].Frequency)
	assert.Less(t, r.Modes[0].Frequency, r.Modes[2].Frequency)
	assert.Zero(t, r.Unstable)
}

func TestModesMisuse(t *testing.T) {
	in := golden("four-bar")
	for _, c := range []struct {
		text string
		args []string
	}{
		{"missing MODEL", nil},
		{"one at least", []string{in, "--count", "0"}},
		{"there are auto, dense and sparse", []string{in, "--method", "best"}},
		{"exclude each other", []string{in, "--json", "--csv"}},
		{"at rest", []string{in, "--moving", "--equilibrium"}},
		{"no such file", []string{"none.json"}},
	} {
		r := rungRun(append([]string{"modes"}, c.args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, c.text)
		assert.Empty(t, r.Out, c.text)
		assert.Contains(t, r.Err, c.text)
	}
	clitest.RequireColumns(t, ok(t, "modes", "-h"))
	assert.Contains(t, ok(t, "__complete", "modes", "--method", ""), "sparse")
}

// TestModesOfSteadyMotions: a disc that rolls in a circle has the modes of its motion with --steady; a motion that is not steady says by how much, and
// rolling needs that flag.
func TestModesOfSteadyMotions(t *testing.T) {
	disc := func(turn float64) string {
		m := model.New("disc")
		const radius, across, axial = 0.3, 0.045, 0.09
		// m·r·g·c·… of a lean of 90° − θ with tan θ = 2: the angular velocity w about the axle by hand.
		s, c := 2/math.Sqrt(5), 1/math.Sqrt(5)
		w := (across*turn*turn*s*c - 2*9.81*radius*c) / ((axial + 2*radius*radius) * turn * s)
		spin := w - turn*c
		half := math.Atan2(s, c) / 2
		m.Gravity = [3]float64{0, 0, -9.81}
		m.Bodies = []model.Body{{
			Name: "disc", Mass: 2, Inertia: model.Inertia{XX: across, YY: across, ZZ: axial},
			Pose:     model.Pose{Position: [3]float64{0, 0, radius * s}, Orientation: [4]float64{math.Cos(half), 0, math.Sin(half), 0}},
			Velocity: model.Velocity{Linear: [3]float64{0, -radius * w, 0}, Angular: [3]float64{spin * s, 0, turn + spin*c}},
		}}
		m.Joints = []model.Joint{{Name: "contact", Type: model.Rolling, Predecessor: model.World, Successor: "disc", Wheel: model.Wheel{Radius: radius}}}
		m.Joints[0].PredecessorFrame.Orientation[0], m.Joints[0].SuccessorFrame.Orientation[0] = 1, 1
		path := filepath.Join(t.TempDir(), "disc.json")
		require.NoError(t, model.WriteFile(path, m))
		return path
	}
	path := disc(2)
	r := modesJSON(t, path, "--steady")
	assert.True(t, r.Steady)
	assert.InDelta(t, 2, r.Turning[2], 1e-12)
	assert.Len(t, r.Modes, 6)
	assert.Equal(t, "vibration", r.Modes[5].Kind)
	table := ok(t, "modes", path, "--steady")
	assert.Contains(t, table, "in axes that turn at (")
	clitest.RequireColumns(t, table)

	run := rungRun("modes", path, "--moving")
	assert.Equal(t, shell.ExitFailed, run.Status)
	assert.Contains(t, run.Err, `joint "contact"`)
	assert.Contains(t, run.Err, "the option steady")
	for _, flag := range [][]string{{"--moving"}, {"--equilibrium"}, {"--undamped"}, {"--method", "sparse"}} {
		run := rungRun(append([]string{"modes", path, "--steady"}, flag...)...)
		assert.Equal(t, shell.ExitUse, run.Status)
		assert.Contains(t, run.Err, "--steady and "+strings.Join(flag, " ")+" exclude each other")
	}

	m, err := model.ReadFile(path)
	require.NoError(t, err)
	m.Gravity[2] = -10
	require.NoError(t, model.WriteFile(path, m))
	run = rungRun("modes", path, "--steady")
	assert.Equal(t, shell.ExitFailed, run.Status)
	assert.Contains(t, run.Err, `not a steady motion: the velocities of body "disc" change by`)
}
