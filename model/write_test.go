package model_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
)

func write(t testing.TB, m *model.Model) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, model.Write(&b, m))
	return b.String()
}

func TestWriteSample(t *testing.T) {
	m := sample()
	text := write(t, m)
	again, err := model.Read(strings.NewReader(text), "sample")
	require.NoError(t, err)
	require.Equal(t, m, again)
	again.Canonicalize()
	require.Equal(t, m, again)
	require.Equal(t, text, write(t, again))
}

// TestCanonicalizeAxes: no axes are no axes, whichever way a joint says so.
func TestCanonicalizeAxes(t *testing.T) {
	m := sample()
	m.Joints[0].Axes = []model.Axis{}
	again, err := model.Read(strings.NewReader(write(t, m)), "sample")
	require.NoError(t, err)
	m.Canonicalize()
	require.Equal(t, m, again)
}

func TestWriteForm(t *testing.T) {
	m := model.New("one")
	m.Bodies = []model.Body{{Name: "a", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{Name: "j", Type: model.Planar, Predecessor: "world", Successor: "a", Force: []float64{0, 0, 0}, Turns: []int64{0}, Motion: make([]*model.Motion, 3)}}
	m.Forces = []model.ForceElement{{Name: "w", Type: model.Wrench, A: model.Attachment{Body: "a"}, Torque: [3]float64{0, 0, 1e-7}}}
	require.Equal(t, `{
 "format": "rung-model/1",
 "name": "one",
 "gravity": [0, 0, -9.81],
 "bodies": [
  {"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}
 ],
 "joints": [
  {"name": "j", "type": "planar", "predecessor": "world", "successor": "a"}
 ],
 "forces": [
  {"name": "w", "type": "wrench", "body": "a", "force": [0, 0, 0], "torque": [0, 0, 1e-7]}
 ]
}
`, write(t, m))
	require.Equal(t, "{\n \"format\": \"rung-model/1\",\n \"gravity\": [0, 0, 0],\n \"bodies\": []\n}\n", write(t, &model.Model{}))
}

// TestNormalization: orientations a little off are normalized once and then
// stay as they are; orientations that are unit up to rounding are kept bit for bit.
func TestNormalization(t *testing.T) {
	for _, scale := range []float64{1, 1 + 1e-16, 1 - 3e-16, 1 + 1e-12, 1 - 9.9e-7, 1 + 9.9e-7} {
		m := sample()
		q := &m.Bodies[0].Pose.Orientation
		for i, v := range [4]float64{0.1, -0.7, 0.5, 0.5} {
			q[i] = v * scale
		}
		before := *q
		read, err := model.Read(strings.NewReader(write(t, m)), "m")
		require.NoError(t, err)
		got := read.Bodies[0].Pose.Orientation
		n := math.Sqrt(got[0]*got[0] + got[1]*got[1] + got[2]*got[2] + got[3]*got[3])
		assert.InDelta(t, 1, n, 1e-15)
		if math.Abs(scale-1) < 1e-15 {
			assert.Equal(t, before, got)
		}
		again, err := model.Read(strings.NewReader(write(t, read)), "m")
		require.NoError(t, err)
		assert.Equal(t, read, again)
		m.Canonicalize()
		assert.Equal(t, read, m)
	}
}

func TestReadOrderOfSections(t *testing.T) {
	m, err := model.Read(strings.NewReader(`{"forces": [{"name": "f", "type": "wrench", "body": "a", "torque": [0, 0, 0]}],
		"joints": [{"successor": "a", "motion": [null], "turns": [2e0], "force": [0], "type": "revolute", "predecessor": "world", "name": "\u006a"}],
		"bodies": [`+bodyA+`], "format": "rung-model/1"}`), "f")
	require.NoError(t, err)
	id := model.Pose{Orientation: [4]float64{1, 0, 0, 0}}
	assert.Equal(t, []model.Joint{{
		Name: "j", Type: model.Revolute, Predecessor: "world", Successor: "a",
		PredecessorFrame: id, SuccessorFrame: id, Turns: []int64{2},
	}}, m.Joints)
	assert.Equal(t, [3]float64{0, 0, -9.81}, m.Gravity)
}

func TestWriteInvalid(t *testing.T) {
	m := sample()
	m.Bodies[0].Mass = math.NaN()
	var b bytes.Buffer
	require.Equal(t, []string{"$.bodies[0].mass"}, paths(problems(t, model.Write(&b, m))))
	require.Zero(t, b.Len())

	path := filepath.Join(t.TempDir(), "m.json")
	require.Error(t, model.WriteFile(path, m))
	require.NoFileExists(t, path)
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.json")
	require.NoError(t, model.WriteFile(path, sample()))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	m, err := model.Read(f, path) // without the files of its terrains, which are not there
	require.NoError(t, err)
	require.Equal(t, sample(), m)
	require.ErrorIs(t, model.WriteFile(filepath.Join(t.TempDir(), "none", "m.json"), m), os.ErrNotExist)
}

type failing struct{ after int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	m := ladder(2000)
	for _, after := range []int{0, 1 << 17, 1 << 19} {
		require.ErrorIs(t, model.Write(&failing{after}, m), errFull)
	}
}
