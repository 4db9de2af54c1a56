package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
)

// TestKinematicsJansen follows a leg by the command: feet where
// circles meet, and a drive whose work is that of the energies.
func TestKinematicsJansen(t *testing.T) {
	check.Long(t)
	path := generated(t, "jansen", "1")
	m, err := bench.Jansen(1, 1)
	require.NoError(t, err)
	rate := -m.Bodies[0].Velocity.Angular[1]
	drive := "shaft=" + fmt17(rate)
	out := filepath.Join(filepath.Dir(path), "run.csv")
	until, count := "2", 401
	r := rungRun("kinematics", path, "--drive", drive, "--until", until, "--every", "0.005", "--columns", "tl0.p?,tr0.p?,drive.shaft,energy.*", "--out", out)
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	assert.Contains(t, r.Err, fmt.Sprintf("followed      jansen-1 from 0 to %s s; %d rows", until, count))
	columns, rows := readTrajectory(t, readText(t, out))
	require.Len(t, rows, count)
	require.Equal(t, "drive.shaft", columns[7])
	work := 0.0
	for i, row := range rows {
		feet, err := bench.JansenFeet(1, 1, row[0])
		require.NoError(t, err)
		for c := range 3 {
			require.InDelta(t, feet[0][c], row[1+c], 1e-10)
			require.InDelta(t, feet[1][c], row[4+c], 1e-10)
		}
		if i > 0 { // the model's own torque and damper act on the shaft, too
			work += 0.005 * rate * ((row[7]+rows[i-1][7])/2 + 6 - rate)
		}
	}
	last := rows[len(rows)-1]
	change := last[8] + last[9] - rows[0][8] - rows[0][9]
	assert.InDelta(t, change, work, 1e-3*(math.Abs(change)+1), "work by the trapezoidal rule")

	// Without --columns it is a trajectory that can be shown.
	ok(t, "kinematics", path, "--drive", drive, "--until", "0.1", "--out", out, "--quiet")
	ok(t, "draw", path, "--run", out, "--at", "0.1", "-o", filepath.Join(filepath.Dir(path), "x.svg"))
	var doc simulate.Kinematics
	require.NoError(t, json.Unmarshal([]byte(ok(t, "kinematics", path, "--drive", drive, "--until", "0.1", "--json")), &doc))
	assert.Len(t, doc.Rows, 101)
	assert.Len(t, doc.Rows[0], len(doc.Columns))
	assert.True(t, doc.Finished)
}

func fmt17(x float64) string { b, _ := json.Marshal(x); return string(b) }

func TestKinematicsErrors(t *testing.T) {
	path := generated(t, "jansen", "1")
	dir := filepath.Dir(path)
	for want, args := range map[string][]string{
		"missing --until T": {},
		`no joint "shft"`:   {"--until", "1", "--drive", "shft=1"},
		`the rate "fast" of joint "shaft" is no finite number`: {"--until", "1", "--drive", "shaft=fast"},
		`--drive "shaft" is not JOINT=RATE`:                    {"--until", "1", "--drive", "shaft"},
		`--drive: joint "shaft" has two rates`:                 {"--until", "1", "--drive", "shaft=1", "--drive", "shaft=2"},
		"is not after the time of the model":                   {"--until", "0"},
		"trajectories end in .csv or .parquet":                 {"--until", "1", "--out", filepath.Join(dir, "run.txt")},
		`no column "joint.shaf.q"`:                             {"--until", "1", "--columns", "joint.shaf.q"},
		"--every -1 is not above 0":                            {"--until", "1", "--every", "-1"},
	} {
		r := rungRun(append([]string{"kinematics", path}, args...)...)
		assert.Equal(t, shell.ExitUse, r.Status, want)
		assert.Contains(t, r.Err, want)
	}
	r := rungRun("kinematics", path, "--until", "1", "--drive", "shaft=1", "--out", filepath.Join(dir, "no", "run.csv"))
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "no such file")
	assert.NotContains(t, r.Err, "followed") // nothing was
	r = rungRun("kinematics", path, "--until", "1")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, "motions do not prescribe all freedoms: 1 more would do it")

	// A rocker that is driven has an end of its way; the rows before it stay.
	out := filepath.Join(dir, "run.csv")
	r = rungRun("kinematics", path, "--until", "2", "--drive", "hip ul0=0.5", "--out", out, "--every", "0.002", "--columns", "joint.shaft.q")
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, "is a dead position, behind which the joints do not close")
	_, rows := readTrajectory(t, readText(t, out))
	assert.Greater(t, len(rows), 10)
}
