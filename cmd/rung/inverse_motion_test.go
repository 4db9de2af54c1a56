package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInverseOfMotions: the forces that are found for prescribed freedoms,
// as drives in place of the motions, make the same accelerations.
func TestInverseOfMotions(t *testing.T) {
	for _, name := range []string{"driven-crank", "driven-mixed"} {
		want := accelJSON(t, golden(name))
		m, err := model.ReadFile(golden(name))
		require.NoError(t, err)
		for _, method := range shell.MethodNames() {
			doc := invert(t, golden(name), "--method", method)
			assert.Equal(t, m.Time, doc.Time)
			moved := 0
			free := *m
			free.Joints = append([]model.Joint(nil), m.Joints...)
			for i := range free.Joints {
				j := &free.Joints[i]
				if j.Motion == nil {
					continue
				}
				j.Motion = nil
				j.Force = make([]float64, j.Type.Freedoms())
				copy(j.Force, m.Joints[i].Force)
				for _, a := range doc.Actuators {
					if a.Joint == j.Name {
						j.Force[a.Freedom] += a.Force
						moved++
					}
				}
			}
			require.Equal(t, len(doc.Actuators), moved)
			require.Positive(t, moved)
			file := filepath.Join(t.TempDir(), "free.json")
			require.NoError(t, model.WriteFile(file, &free))
			got := accelJSON(t, file)
			scale := max(1, check.ReadExpected(t, name).Scale.Force)
			for i := range got.Bodies {
				check.CloseVec(t, got.Bodies[i].ComAcceleration[:], want.Bodies[i].ComAcceleration[:], sidesTol, scale, "%s %s", name, method)
				check.CloseVec(t, got.Bodies[i].AngularAcceleration[:], want.Bodies[i].AngularAcceleration[:], sidesTol, scale, "%s %s", name, method)
			}
		}
	}
}

// lifted is a pendulum of 2 kg, 0.5 m from its hinge, on a hinge along y, which a motion lifts from 0 to 1 rad and on.
func lifted(t *testing.T, change func(*model.Model)) string {
	t.Helper()
	m := &model.Model{Name: "lifted", Gravity: [3]float64{0, 0, -9.81}}
	m.Bodies = []model.Body{{Name: "rod", Mass: 2, Com: [3]float64{0.5, 0, 0}, Inertia: model.Inertia{XX: 0.01, YY: 0.05, ZZ: 0.05}, Pose: model.Pose{Orientation: [4]float64{1, 0, 0, 0}}}}
	frame := model.Pose{Orientation: [4]float64{math.Sqrt(0.5), -math.Sqrt(0.5), 0, 0}}
	m.Joints = []model.Joint{{Name: "hinge", Type: joints.Revolute, Predecessor: model.World, Successor: "rod", PredecessorFrame: frame, SuccessorFrame: frame,
		Motion: []*model.Motion{{Kind: joints.Spline, Times: []float64{0, 1, 2, 3}, Values: []float64{0, 1, 8, 27}}}}}
	if change != nil {
		change(m)
	}
	file := filepath.Join(t.TempDir(), "lifted.json")
	require.NoError(t, model.WriteFile(file, m))
	return file
}

// TestInverseAlongMotion: a spline through t³ is t³; the moment of the hinge at a time is I·q̈ less that of the weight,
// by every method, and more than half a turn away.
func TestInverseAlongMotion(t *testing.T) {
	file := lifted(t, nil)
	for _, method := range shell.MethodNames() {
		for _, at := range []float64{0.5, 1.25, 2.5, 3} {
			doc := invert(t, file, "--time", strconv.FormatFloat(at, 'g', -1, 64), "--method", method)
			assert.Equal(t, at, doc.Time)
			want := (0.05+2*0.25)*6*at - 2*9.81*0.5*math.Cos(at*at*at)
			assert.InDelta(t, want, doc.Actuators[0].Force, 1e-9, "%s at %v s", method, at)
		}
	}
}

// TestInverseFollows holds the rest of --time: forces with --actuated,
// times without motion, and a motion that the joints stop.
func TestInverseFollows(t *testing.T) {
	file := lifted(t, nil)
	table := ok(t, "inverse", file, "--time", "1", "--actuated", "hinge.0")
	assert.Contains(t, table, "time          1 s")
	r := rungRun("inverse", file, "--time", "3.5")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, `joint "hinge": no prescribed motion at this time`)
	stopped := lifted(t, func(m *model.Model) {
		m.Joints = append(m.Joints, model.Joint{Name: "rope", Type: joints.Distance, Length: math.Sqrt(1.04), Predecessor: model.World, Successor: "rod",
			PredecessorFrame: model.Pose{Position: [3]float64{0, 0, 0.2}, Orientation: [4]float64{1, 0, 0, 0}}, SuccessorFrame: model.Pose{Position: [3]float64{1, 0, 0}, Orientation: [4]float64{1, 0, 0, 0}}})
	})
	r = rungRun("inverse", stopped, "--time", "2")
	assert.Equal(t, shell.ExitFailed, r.Status, r.Out)
	assert.Regexp(t, `on the way to 2 s, at .* s: `, r.Err)
	held := ok(t, "inverse", golden("driven-crank"), "--accel", resultOf(t, golden("driven-crank")))
	assert.Regexp(t, `distance +\S+e-1\d from`, held)
}

// resultOf returns a file with the accelerations of a model.
func resultOf(t *testing.T, path string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.WriteFile(file, []byte(strings.TrimSpace(ok(t, "accel", path, "--json"))), 0o600))
	return file
}
