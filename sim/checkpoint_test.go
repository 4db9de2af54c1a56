package sim_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sim"
)

// marked returns a checkpoint of a run in its midst, as a file, and that run's kind of simulation.
func marked(t *testing.T) (path string, c *sim.Checkpoint, fresh func() *sim.Simulation) {
	t.Helper()
	var log []float64
	fresh = func() *sim.Simulation { return longRun(t, &memory{}, &log, nil) }
	s := fresh()
	require.NoError(t, s.Run(2))
	c, err := s.Checkpoint()
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "c.json")
	require.NoError(t, sim.WriteCheckpoint(path, c))
	return path, c, fresh
}

// TestDamagedCheckpoint spoils every fifth byte of a file, and cuts it at each of them; every night all bytes.
func TestDamagedCheckpoint(t *testing.T) {
	check.Long(t)
	path, want, fresh := marked(t)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	stride := 5
	if check.More() > 1 {
		stride = 1
	}
	spoilt := filepath.Join(t.TempDir(), "c.json")
	try := func(data []byte) error {
		require.NoError(t, os.WriteFile(spoilt, data, 0o600))
		_, err := sim.ReadCheckpoint(spoilt)
		return err
	}
	for i := 0; i < len(data); i += stride {
		bad := append([]byte{}, data...)
		bad[i] ^= 1
		err := try(bad)
		require.ErrorIs(t, err, sim.ErrCheckpoint, "byte %d", i)
		require.Contains(t, err.Error(), spoilt)
		require.ErrorIs(t, try(data[:i]), sim.ErrCheckpoint, "%d bytes", i)
	}
	require.ErrorIs(t, try(append(append([]byte{}, data...), ' ')), sim.ErrCheckpoint)
	for says, text := range map[string]string{
		"byte 7: invalid character":       strings.Replace(string(data), `{"forma`, `{"form`+"\x01", 1),
		"rows is string":                  strings.Replace(string(data), `"rows":`, `"rows":"x","r":`, 1),
		"its format is \"":                strings.Replace(string(data), `checkpoint/1`, `checkpoint/9`, 1),
		"its checksum says":               strings.Replace(string(data), `"count":0`, `"count":1`, 1),
		"it does not end in a checksum":   string(data[:strings.LastIndex(string(data), ",")]) + "}\n",
		"byte 0: unexpected end of JSON ": "",
	} {
		require.NotEqual(t, string(data), text)
		assert.ErrorContains(t, try([]byte(text)), says)
	}
	require.NoError(t, try(data))
	got, err := sim.ReadCheckpoint(path)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, fresh().Restore(got))
}

// TestCheckpointValues spoils every value; the error names the place and what is there.
func TestCheckpointValues(t *testing.T) {
	_, good, fresh := marked(t)
	data, err := json.Marshal(good)
	require.NoError(t, err)
	for says, spoil := range map[string]func(c *sim.Checkpoint){
		"its time is NaN":                              func(c *sim.Checkpoint) { c.Time = math.NaN() },
		`it is of a run with "step 7`:                  func(c *sim.Checkpoint) { c.Options = strings.Replace(c.Options, "step ", "step 7", 1) },
		"its start is +Inf":                            func(c *sim.Checkpoint) { c.Start = math.Inf(1) },
		"its base is -Inf":                             func(c *sim.Checkpoint) { c.Base = math.Inf(-1) },
		"its failed is NaN":                            func(c *sim.Checkpoint) { c.Failed = math.NaN() },
		"its stats.worst.Velocity is NaN":              func(c *sim.Checkpoint) { c.Stats.Worst.Velocity = math.NaN() },
		"its bodies[2][11] is NaN":                     func(c *sim.Checkpoint) { c.Bodies[2][11] = math.NaN() },
		"its kept[3] is +Inf":                          func(c *sim.Checkpoint) { c.Kept[3] = math.Inf(1) },
		"its bodies[1][3:7], a rotation of length 0, ": func(c *sim.Checkpoint) { copy(c.Bodies[1][3:7], []float64{0, 0, 0, 0}) },
		"its number of bodies, for 3, is 4":            func(c *sim.Checkpoint) { c.Bodies = append(c.Bodies, c.Bodies[0]) },
		"its number of angles, for 4, is 1":            func(c *sim.Checkpoint) { c.Angles = []float64{1} },
		"its turned is 0.5":                            func(c *sim.Checkpoint) { c.Turned = 0.5 },
		"its turned is NaN":                            func(c *sim.Checkpoint) { c.Turned = math.NaN() },
		"its number of events, for 2, is 1":            func(c *sim.Checkpoint) { c.Events = c.Events[:1] },
		"its number of kept accelerations, for ":       func(c *sim.Checkpoint) { c.Kept = c.Kept[:1] },
		"its time, before its start 0, is -1":          func(c *sim.Checkpoint) { c.Time = -1 },
		"its base, not between start 0 and time ":      func(c *sim.Checkpoint) { c.Base = 1e6 },
		"its step is -1":                               func(c *sim.Checkpoint) { c.Step = -1 },
		"its error is 0":                               func(c *sim.Checkpoint) { c.Error = 0 },
		"its count is -1":                              func(c *sim.Checkpoint) { c.Count = -1 },
		"its near.before is -1":                        func(c *sim.Checkpoint) { c.Near.Before = -1 },
		"its near.most is NaN":                         func(c *sim.Checkpoint) { c.Near.Most = math.NaN() },
		"its near.rows is -2":                          func(c *sim.Checkpoint) { c.Near.Rows = -2 },
		"its near.leaving is 9":                        func(c *sim.Checkpoint) { c.Near.Leaving = 9 },
		"its knots[0] is -1":                           func(c *sim.Checkpoint) { c.Knots[0] = -1 },
		"its closed[1] is 64":                          func(c *sim.Checkpoint) { c.Closed[1] = 64 },
		"its stats.steps is -5":                        func(c *sim.Checkpoint) { c.Stats.Steps = -5 },
		"its stats.worst is {-1 0}":                    func(c *sim.Checkpoint) { c.Stats.Worst = sim.Drift{Position: -1} },
		"its rows, from 0 to ":                         func(c *sim.Checkpoint) { c.Rows += 2 },
		"its recorded is -1":                           func(c *sim.Checkpoint) { c.Recorded = -1 },
		"its events[0].sign is 2":                      func(c *sim.Checkpoint) { c.Events[0].Sign = 2 },
		"its events[1].fired is -1":                    func(c *sim.Checkpoint) { c.Events[1].Fired = -1 },
		"its events[0].again is 99":                    func(c *sim.Checkpoint) { c.Events[0].Again = 99 },
		`its stopped, which is no event, is "other"`:   func(c *sim.Checkpoint) { c.Stopped = "other" },
	} {
		bad := new(sim.Checkpoint)
		require.NoError(t, json.Unmarshal(data, bad))
		spoil(bad)
		err := fresh().Restore(bad)
		require.ErrorIs(t, err, sim.ErrCheckpoint, says)
		assert.Contains(t, err.Error(), says)
	}
	bad := *good
	bad.Rows--
	require.ErrorContains(t, fresh().Restore(&bad), "its rows, from")
	bad = *good
	bad.Kept = []float64{1, math.NaN()}
	path := filepath.Join(t.TempDir(), "c.json")
	require.ErrorContains(t, sim.WriteCheckpoint(path, &bad), "its kept[1] is NaN")
	require.NoFileExists(t, path)
	require.NoError(t, fresh().Restore(good))
}

// TestFixedStepsAreInPlace: the count of fixed steps fits the time.
func TestFixedStepsAreInPlace(t *testing.T) {
	r := golden(t, "four-bar")
	fresh := func() *sim.Simulation {
		return r.simulate(sim.RungeKutta4(), 0, sim.Options{Projector: r.proj, Step: 0.01})
	}
	s := fresh()
	for _, until := range []float64{0.1, 0.1234, 0.5} { // one of them within a step
		require.NoError(t, s.Run(until))
		c, err := s.Checkpoint()
		require.NoError(t, err)
		require.NoError(t, fresh().Restore(c))
		c.Count += 2
		require.ErrorContains(t, fresh().Restore(c), "its count of steps, for the time")
	}
}

// TestRowsOfAnother: a checkpoint continues only with the rows of its run.
func TestRowsOfAnother(t *testing.T) {
	dir := t.TempDir()
	mech := golden(t, "four-bar").mech
	path := filepath.Join(dir, "x.csv")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	rec, err := sim.NewCSV(f, sim.NewColumns(mech, nil))
	require.NoError(t, err)
	var log []float64
	s := longRun(t, rec, &log, nil)
	require.NoError(t, s.Run(1))
	c, err := s.Checkpoint()
	require.NoError(t, err)
	require.NotEmpty(t, c.Sum)
	_, err = f.WriteString("and more")
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, at := range []int64{c.Recorded - 2, c.Recorded / 2} {
		_, err = f.WriteAt([]byte{data[at] ^ 1}, at)
		require.NoError(t, err)
		_, err = c.ResumeCSV(f, sim.NewColumns(mech, nil))
		require.ErrorIs(t, err, sim.ErrCheckpoint)
		info, err := f.Stat()
		require.NoError(t, err)
		require.EqualValues(t, len(data), info.Size(), "it is not changed")
		_, err = f.WriteAt(data[at:at+1], at)
		require.NoError(t, err)
	}
	again, err := c.ResumeCSV(f, sim.NewColumns(mech, nil))
	require.NoError(t, err)
	require.Equal(t, c.Sum, again.Sum())
}

// TestFixedMethodNamesNoTolerance: a method without an error estimate does not say that it has a tolerance. Older
// checkpoints, which do, are restored, but for those with another length or of another method.
func TestFixedMethodNamesNoTolerance(t *testing.T) {
	r := golden(t, "four-bar")
	fresh := func() *sim.Simulation {
		return r.simulate(sim.RungeKutta4(), 1e-6, sim.Options{Projector: r.proj, Step: 1e-3})
	}
	s := fresh()
	require.NoError(t, s.Run(0.01))
	c, err := s.Checkpoint()
	require.NoError(t, err)
	name, length, _ := strings.Cut(c.Stepper, ", ")
	require.Equal(t, "rk4", name)
	require.True(t, strings.HasPrefix(length, "length "), c.Stepper)
	require.NoError(t, fresh().Restore(c))
	for old, same := range map[string]bool{
		"rk4, relative tolerance 1e-06, " + length + ", rate 1":         true,
		"rk4, relative tolerance 1e-06, " + length + "1, rate 1":        false,
		"euler, relative tolerance 1e-06, " + length + ", rate 1":       false,
		"rk4, relative tolerance 1e-06, " + length + ", fixed true":     false,
		"rk4, relative tolerance 1e-06, " + length + ", rate 1, more 1": false,
	} {
		c.Stepper = old
		if err := fresh().Restore(c); same {
			require.NoError(t, err, old)
		} else {
			require.ErrorIs(t, err, sim.ErrCheckpoint, old)
		}
	}

	// With an estimate tolerances decide.
	s = r.simulate(sim.DormandPrince(), 1e-6, sim.Options{Projector: r.proj})
	require.NoError(t, s.Run(0.01))
	c, err = s.Checkpoint()
	require.NoError(t, err)
	require.ErrorIs(t, r.simulate(sim.DormandPrince(), 1e-7, sim.Options{Projector: r.proj}).Restore(c), sim.ErrCheckpoint)
}
