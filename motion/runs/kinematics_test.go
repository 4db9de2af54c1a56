package runs_test

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// TestKinematics: bars that a joint drives at a constant rate turn at it, in rows in memory and in a file alike, also
// where the motion is followed in two parts.
func TestKinematics(t *testing.T) {
	const rate, until = 0.5, 1.03
	m := linkage(t)
	require.NoError(t, runs.AddDrives(m, []runs.Drive{{Joint: "g0", Rate: rate}}))
	k, err := runs.NewKinematics(planOf(t, m), runs.Options{Every: 0.1, Columns: []string{"rod1.wz", "joint.g0.q"}})
	require.NoError(t, err)
	require.NoError(t, k.Run(0.55))
	require.Len(t, k.Rows(), 7, "the last is at the end")
	require.NoError(t, k.Run(until))
	require.Len(t, k.Rows(), 7+6)
	last := k.Rows()[12]
	assert.Equal(t, until, last[0])
	for _, row := range k.Rows() {
		assert.InDelta(t, rate, row[1], 1e-12, "a parallelogram")
		assert.InDelta(t, math.Pi/2+0.5+rate*row[0], row[2], 1e-9)
	}
	assert.Less(t, k.Told().Drift.Position, sim.DefaultDrift)
	assert.EqualValues(t, 13, k.Told().Rows)

	var text bytes.Buffer
	k, err = runs.NewKinematics(planOf(t, m), runs.Options{Until: until, Every: 0.1, Files: runs.Files{CSV: &text}})
	require.NoError(t, err)
	require.NoError(t, k.Run(until))
	require.NoError(t, k.Close())
	assert.Equal(t, 1+12, bytes.Count(text.Bytes(), []byte("\n")))
	assert.Contains(t, text.String(), "drive.g0")
	assert.Nil(t, k.Rows())

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	k, err = runs.NewKinematics(planOf(t, m), runs.Options{Every: 0.1})
	require.NoError(t, err)
	require.ErrorIs(t, k.RunContext(ctx, 1), context.Canceled)
}

// TestKinematicsRefuses what is not of a motion that is followed, and drives that cannot be.
func TestKinematicsRefuses(t *testing.T) {
	p := planOf(t, linkage(t))
	for want, o := range map[string]runs.Options{
		"motion/runs: Step is of runs, not of a motion that is followed":             {Every: 1, Step: 1},
		"motion/runs: Start is of runs, not of a motion that is followed":            {Every: 1, Start: sim.Close},
		"motion/runs: Files.Checkpoint is of runs, not of a motion that is followed": {Every: 1, Files: runs.Files{Trajectory: "a.csv", Checkpoint: "b"}},
		"motion/runs: rows need Every, or Until for a part of the run":               {},
	} {
		_, err := runs.NewKinematics(p, o)
		require.EqualError(t, err, want)
	}
	k, err := runs.NewKinematics(p, runs.Options{Every: 1})
	require.NoError(t, err)
	require.ErrorIs(t, k.Run(1), motion.ErrFree)

	m := linkage(t)
	for want, d := range map[string][]runs.Drive{
		"motion/runs: Drive: joint \"g0\" has two rates":                       {{"g0", 1}, {"g0", 2}},
		"motion/runs: Drive: the rate NaN of joint \"g0\" is no finite number": {{"g0", math.NaN()}},
	} {
		require.EqualError(t, runs.AddDrives(m, d), want)
	}
	require.ErrorContains(t, runs.AddDrives(m, []runs.Drive{{"x", 1}}), `Drive: no joint "x"`)
}

// TestKeptRowsHaveAPrice: rows that would not go into memory are refused before the run.
func TestKeptRowsHaveAPrice(t *testing.T) {
	p := planOf(t, linkage(t))
	_, err := runs.New(p, runs.Options{Until: 10, Every: 1e-6})
	require.ErrorContains(t, err, "motion/runs: Every 1e-06 over 10 s in memory takes")
	_, err = runs.NewKinematics(p, runs.Options{Until: 10, Every: 1e-6})
	require.ErrorContains(t, err, "motion/runs: Every 1e-06 over 10 s in memory takes")
	_, err = runs.New(p, runs.Options{Until: 10, Every: 1e-6, Files: runs.Files{CSV: new(bytes.Buffer)}})
	require.NoError(t, err)
}

// TestKinematicsUntilWhereItIs: a time that has been reached, or has passed, adds no row and is no mistake, as in a Simulation.
func TestKinematicsUntilWhereItIs(t *testing.T) {
	m := linkage(t)
	require.NoError(t, runs.AddDrives(m, []runs.Drive{{Joint: "g0", Rate: 0.5}}))
	k, err := runs.NewKinematics(planOf(t, m), runs.Options{Every: 0.1, Columns: []string{"joint.*.q"}})
	require.NoError(t, err)
	times := func() (list []float64) {
		for _, row := range k.Rows() {
			list = append(list, row[0])
		}
		return list
	}
	require.NoError(t, k.Run(-0.05))
	require.Empty(t, times())
	for _, until := range []float64{0.25, 0.25, 0.22, 0, -1} {
		require.NoError(t, k.Run(until))
		require.InDeltaSlice(t, []float64{0, 0.1, 0.2, 0.25}, times(), 1e-12)
	}
	require.NoError(t, k.Run(0.3))
	require.InDeltaSlice(t, []float64{0, 0.1, 0.2, 0.25, 0.3}, times(), 1e-12)
}
