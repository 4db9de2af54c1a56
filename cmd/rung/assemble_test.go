package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// closedTol is the largest error of a row after rung assemble, m or rad and m/s or
// rad/s, in models of order 1.
const closedTol = 1e-12

// bent writes a golden model with all bodies displaced and returns its path.
func bent(t *testing.T, name string, change func(m *model.Model)) string {
	t.Helper()
	m, err := model.ReadFile(golden(name))
	require.NoError(t, err)
	for i := range m.Bodies {
		b := &m.Bodies[i]
		for k := range 3 {
			b.Pose.Position[k] += 0.03 * math.Sin(float64(7*i+3*k+1))
			b.Velocity.Angular[k] += 0.1 * math.Cos(float64(5*i+k))
		}
	}
	if change != nil {
		change(m)
	}
	path := filepath.Join(t.TempDir(), "bent.json")
	require.NoError(t, model.WriteFile(path, m))
	return path
}

// assembled is the document of a run of rung assemble --json.
func assembled(t *testing.T, status int, args ...string) (a answers.Assembly) {
	t.Helper()
	r := rungRun(append([]string{"assemble", "--json"}, args...)...)
	require.Equal(t, status, r.Status, r.Err)
	d := json.NewDecoder(strings.NewReader(r.Out))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&a))
	return a
}

func TestAssemble(t *testing.T) {
	for _, name := range []string{"four-bar", "bricard-6r", "n-four-bar-3", "stewart-6ups", "driven-mixed", "random-10", "rbda-8-3"} {
		in, out := bent(t, name, nil), filepath.Join(t.TempDir(), "out.json")
		a := assembled(t, shell.ExitDone, in, "-o", out)
		assert.Equal(t, "rung-assembly/1", a.Format)
		assert.True(t, a.Closed)
		assert.Nil(t, a.Unmet)
		assert.Greater(t, a.Position.Before, 0.01, name)
		assert.LessOrEqual(t, a.Position.After, closedTol, name)
		assert.LessOrEqual(t, a.Velocity.After, closedTol, name)
		assert.Positive(t, a.Position.Steps)
		assert.Less(t, a.Position.Travel.Value, 0.3, name)
		// What was written is closed, for another command and for this one.
		var r struct {
			Joints []struct {
				Position float64 `json:"position_residual"`
				Velocity float64 `json:"velocity_residual"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", "--json", out)), &r))
		for _, j := range r.Joints {
			assert.LessOrEqual(t, j.Position, closedTol, name)
			assert.LessOrEqual(t, j.Velocity, closedTol, name)
		}
		again := assembled(t, shell.ExitDone, out, "-o", filepath.Join(t.TempDir(), "again.json"))
		assert.LessOrEqual(t, again.Position.Travel.Value, 1e-14, name)
		// Nothing but the state has changed.
		was, err := model.ReadFile(in)
		require.NoError(t, err)
		is, err := model.ReadFile(out)
		require.NoError(t, err)
		for i := range is.Bodies {
			is.Bodies[i].Pose, is.Bodies[i].Velocity = was.Bodies[i].Pose, was.Bodies[i].Velocity
		}
		assert.Equal(t, was, is, name)
	}
}

func TestAssembleHolds(t *testing.T) {
	in, out := bent(t, "stewart-6ups", nil), filepath.Join(t.TempDir(), "out.json")
	was, err := model.ReadFile(in)
	require.NoError(t, err)
	held := "platform"
	n := slices.IndexFunc(was.Bodies, func(b model.Body) bool { return b.Name == held })
	a := assembled(t, shell.ExitDone, in, "--hold", "world,"+held, "-o", out)
	assert.Equal(t, []string{held}, a.Held)
	is, err := model.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, was.Bodies[n], is.Bodies[n])
	other := (n + 1) % len(is.Bodies)
	assert.NotEqual(t, was.Bodies[other].Pose, is.Bodies[other].Pose)
	table := ok(t, "assemble", in, "--hold", held, "-o", out)
	assert.Contains(t, table, "held: "+held)
	clitest.RequireColumns(t, table)
}

// TestAssembleToStdout writes the model, and nothing else, to standard output.
func TestAssembleToStdout(t *testing.T) {
	in, out := bent(t, "four-bar", nil), filepath.Join(t.TempDir(), "out.json")
	table := ok(t, "assemble", in, "-o", out)
	for _, word := range []string{"closed", "position", "velocity", "displacement", "rotation"} {
		assert.Contains(t, table, word)
	}
	clitest.RequireColumns(t, table)
	r := rungRun("assemble", in, "-o", "-")
	require.Equal(t, shell.ExitDone, r.Status)
	assert.Equal(t, table, r.Err)
	want, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, string(want), r.Out)
}

// TestAssembleImpossible names the joint that a coupler too short leaves open.
func TestAssembleImpossible(t *testing.T) {
	far := bent(t, "four-bar", func(m *model.Model) {
		for j := range m.Joints {
			if m.Joints[j].Predecessor == model.World {
				m.Joints[j].PredecessorFrame.Position[0] += 9 * float64(j)
			}
			if m.Joints[j].Successor == model.World {
				m.Joints[j].SuccessorFrame.Position[0] += 9 * float64(j)
			}
		}
	})
	out := filepath.Join(t.TempDir(), "out.json")
	a := assembled(t, shell.ExitFailed, far, "-o", out)
	assert.False(t, a.Closed)
	require.NotNil(t, a.Unmet)
	assert.Equal(t, "position", a.Unmet.Level)
	assert.Equal(t, "m", a.Unmet.Unit)
	assert.Greater(t, a.Unmet.Error, 1.0)
	assert.NoFileExists(t, out)
	r := rungRun("assemble", far, "-o", out)
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Empty(t, r.Out)
	assert.Contains(t, r.Err, `joint "`+a.Unmet.Joint+`" between "`+a.Unmet.Predecessor+`" and "`+a.Unmet.Successor+`"`)
	assert.Equal(t, 1, strings.Count(r.Err, "\n"))
}

func TestAssembleMisuse(t *testing.T) {
	in := golden("four-bar")
	for _, c := range []struct {
		text string
		args []string
	}{
		{"missing -o", []string{in}},
		{"missing MODEL", []string{"-o", "x.json"}},
		{"has to end in .json", []string{in, "-o", "x.xml"}},
		{"one output", []string{in, "-o", "-", "--json"}},
		{`no body "nobody"`, []string{in, "-o", "-", "--hold", "nobody"}},
		{"no such file", []string{"none.json", "-o", "-"}},
		{"$.bodies", []string{filepath.Join(reference, "invalid", "duplicate-body.model.json"), "-o", "-"}},
	} {
		r := rungRun(append([]string{"assemble"}, c.args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, c.text)
		assert.Empty(t, r.Out, c.text)
		assert.Contains(t, r.Err, c.text)
	}
}

// TestAssembleSaysWhenItIsNotTheNearest: a pendulum of bars of half a metre whose pin has been moved by 11 m is closed, in a pose that
// is not the nearest one.
func TestAssembleSaysWhenItIsNotTheNearest(t *testing.T) {
	moved := func(off float64) string {
		m := model.New("pendulum")
		up, at := model.World, 0.0
		for i, l := range []float64{0.9, 0.4, 0.7} {
			name := string(rune('a' + i))
			m.Bodies = append(m.Bodies, model.Body{
				Name: name, Mass: 1, Com: [3]float64{l / 2}, Inertia: model.Inertia{XX: 0.02, YY: 0.02, ZZ: 0.02},
				Pose: model.Pose{Position: [3]float64{at}},
			})
			j := model.Joint{Name: "j" + name, Type: model.Revolute, Predecessor: up, Successor: name}
			if j.PredecessorFrame.Position = [3]float64{0, off}; i > 0 {
				j.PredecessorFrame.Position = [3]float64{at - m.Bodies[i-1].Pose.Position[0]}
			}
			m.Joints = append(m.Joints, j)
			up, at = name, at+l
		}
		path := filepath.Join(t.TempDir(), "moved.json")
		require.NoError(t, model.WriteFile(path, m))
		return path
	}
	out := filepath.Join(t.TempDir(), "out.json")
	a := assembled(t, shell.ExitDone, moved(11), "-o", out)
	assert.True(t, a.Closed)
	assert.Greater(t, a.Position.Left, 1e-9)
	assert.Contains(t, ok(t, "assemble", moved(11), "-o", out), "NOT THE NEAREST")
	assert.Zero(t, assembled(t, shell.ExitDone, moved(0.1), "-o", out).Position.Left)
	assert.NotContains(t, ok(t, "assemble", moved(0.1), "-o", out), "NOT THE NEAREST")
}
