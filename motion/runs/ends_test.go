package runs_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// oldFile returns the path of a trajectory that is there before a run, and what it holds.
func oldFile(t *testing.T) (path, text string) {
	t.Helper()
	path, text = filepath.Join(t.TempDir(), "run.csv"), "what was there\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path, text
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// panics runs s up to a panic of its OnStep, and closes it as a deferred call does.
func panics(t *testing.T, s *runs.Simulation) {
	t.Helper()
	require.PanicsWithValue(t, "on step", func() {
		defer func() { require.NoError(t, s.Close()) }()
		_ = s.Run(2)
	})
}

// onThird returns an OnStep that panics at the third step.
func onThird() func(*runs.Simulation) error {
	n := 0
	return func(*runs.Simulation) error {
		if n++; n == 3 {
			panic("on step")
		}
		return nil
	}
}

// TestCloseAfterPanic: a Close that is deferred does not take a run for complete that has ended with a panic.
func TestCloseAfterPanic(t *testing.T) {
	path, was := oldFile(t)
	s := newRun(t, linkage(t), runs.Options{Every: 0.01, OnStep: onThird(), Files: runs.Files{Trajectory: path}})
	panics(t, s)
	assert.Equal(t, was, textOf(t, path))
	require.Len(t, s.Left(), 1)
	assert.Contains(t, s.Left()[0], path)
}

// TestResumeAfterPanic: the checkpoint before a panic stays, and the run that goes on from it leaves the bytes of one without.
func TestResumeAfterPanic(t *testing.T) {
	whole, _ := oldFile(t)
	s := newRun(t, linkage(t), runs.Options{Every: 0.01, Files: runs.Files{Trajectory: whole}})
	require.NoError(t, s.Run(2))
	require.NoError(t, s.Close())

	path, _ := oldFile(t)
	o := runs.Options{Every: 0.01, OnStep: onThird(), Files: runs.Files{Trajectory: path, Checkpoint: path + ".check", Between: 1}}
	panics(t, newRun(t, linkage(t), o))
	o.OnStep, o.Files.Resume = nil, true
	s = newRun(t, linkage(t), o)
	require.NoError(t, s.Run(2))
	require.NoError(t, s.Close())
	assert.Equal(t, textOf(t, whole), textOf(t, path))
}

// TestCloseWithoutRun: what was there stays where nothing has been run.
func TestCloseWithoutRun(t *testing.T) {
	path, was := oldFile(t)
	s := newRun(t, linkage(t), runs.Options{Every: 0.01, Files: runs.Files{Trajectory: path}})
	require.NoError(t, s.Open())
	require.NoError(t, s.Close())
	assert.Equal(t, was, textOf(t, path))
}

// TestFollowedEnds: a motion that is followed is complete as a run is, and its time is a number.
func TestFollowedEnds(t *testing.T) {
	m := linkage(t)
	require.NoError(t, runs.AddDrives(m, []runs.Drive{{Joint: "g0", Rate: 1}}))
	path, was := oldFile(t)
	o := runs.Options{Every: 0.1, Files: runs.Files{Trajectory: path}, OnRow: func(r *sim.Row, _ []float64) error {
		if r.State.Time > 0.5 {
			panic("on row")
		}
		return nil
	}}
	k, err := runs.NewKinematics(planOf(t, m), o)
	require.NoError(t, err)
	require.PanicsWithValue(t, "motion/runs: time is not a number", func() { _ = k.Run(math.NaN()) })
	require.PanicsWithValue(t, "on row", func() {
		defer func() { require.NoError(t, k.Close()) }()
		_ = k.Run(1)
	})
	assert.Equal(t, was, textOf(t, path))
	require.Len(t, k.Left(), 1)
}

// TestStateOfVariant: a state of a run does not fit a mechanism of the same bodies with another joint; the panic names what
// takes it over.
func TestStateOfVariant(t *testing.T) {
	m := linkage(t)
	s := newRun(t, m, runs.Options{})
	require.NoError(t, s.Run(0.1))
	variant, err := bench.NFourBar(2, 0.5, 1)
	require.NoError(t, err)
	variant.Joints = variant.Joints[:len(variant.Joints)-1]
	p := planOf(t, variant)
	require.PanicsWithValue(t, "motion/runs: foreign state: Mechanism.Adopt takes one of another mechanism over", func() {
		_, _ = runs.New(p, runs.Options{From: s.State()})
	})
	st := s.State().Clone()
	p.Mechanism().Adopt(st, s.Mechanism())
	other, err := runs.New(p, runs.Options{From: st})
	require.NoError(t, err)
	require.NoError(t, other.Run(0.2))
}
