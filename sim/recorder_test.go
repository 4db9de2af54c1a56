package sim_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// TestCSV reads a trajectory back: columns of docs/cli.md, numbers to the bit.
func TestCSV(t *testing.T) {
	r := golden(t, "four-bar")
	names := []string{r.mech.BodyName(2), r.mech.BodyName(0)}
	var out bytes.Buffer
	rec, err := sim.NewCSV(&out, sim.NewColumns(r.mech, []int{2, 0}))
	require.NoError(t, err)
	kept := &memory{}
	s := r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj, Recorder: tee{rec, kept}, Every: 0.05})
	require.NoError(t, s.Run(0.5))
	require.NoError(t, rec.Flush())
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	var header []string
	for _, n := range names {
		for _, c := range strings.Split("px py pz qw qx qy qz vx vy vz wx wy wz", " ") {
			header = append(header, n+"."+c)
		}
	}
	header = append(append([]string{"time"}, header...), "energy.kinetic", "energy.potential", "drift.position", "drift.velocity")
	assert.Equal(t, header, rows[0])
	require.Len(t, rows, 12)
	for i, row := range rows[1:] {
		x := make([]float64, len(row))
		for k, text := range row {
			x[k], err = strconv.ParseFloat(text, 64)
			require.NoError(t, err)
		}
		st := kept.states[i]
		want := []float64{st.Time}
		for _, b := range []int{2, 0} {
			y := &st.Bodies[b]
			want = append(want, y.Position[:]...)
			want = append(want, y.Rotation[:]...)
			want = append(want, y.Velocity[:]...)
			want = append(want, y.Omega[:]...)
		}
		assert.Equal(t, want, x[:len(want)], "row %d", i)
		assert.InDelta(t, kept.energy[i], x[len(want)]+x[len(want)+1], 1e-12)
		assert.Less(t, max(x[len(want)+2], x[len(want)+3]), driftTol)
	}
}

// tee records twice.
type tee [2]sim.Recorder

func (r tee) Record(row *sim.Row) error { return errors.Join(r[0].Record(row), r[1].Record(row)) }

func (r tee) Mark() (int64, error) {
	if _, err := r[1].Mark(); err != nil {
		return 0, err
	}
	return r[0].Mark()
}

// TestCSVNames quotes what needs it, keeps lines whole, and names apart that differ in white space only.
func TestCSVNames(t *testing.T) {
	for name, want := range map[string]string{
		"a,\"b\"\nc": `a,"b"\nc.px`, "a b": "a b.px", "a\nb": `a\nb.px`, "a\r\nb": `a\r\nb.px`, "a\tb": `a\tb.px`, `a\nb`: `a\\nb.px`, " a ": " a .px",
	} {
		m := freeTop()
		m.Bodies[0].Name = name
		r := newRig(t, m)
		var out bytes.Buffer
		_, err := sim.NewCSV(&out, sim.NewColumns(r.mech, nil))
		require.NoError(t, err)
		rows, err := csv.NewReader(&out).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 1)
		assert.Equal(t, want, rows[0][1])
	}
}

var errKilled = errors.New("killed")

// longRun is a run with everything a checkpoint has to carry: error control,
// projection, rows, events that log and events that restart.
func longRun(t *testing.T, rec sim.Recorder, log *[]float64, onStep func(*sim.Simulation) error) *sim.Simulation {
	r := golden(t, "four-bar")
	return r.simulate(sim.DormandPrince(), 1e-9, sim.Options{
		Projector: r.proj, Recorder: rec, Every: 0.013, OnStep: onStep, EventSamples: 2,
		Events: []sim.Event{
			{Name: "slow", Function: func(st *mechanism.State) float64 { return st.Bodies[1].Omega[2] }, Action: func(st *mechanism.State) (sim.Response, error) {
				*log = append(*log, st.Time)
				return sim.Continue, nil
			}},
			{Name: "kick", Function: func(st *mechanism.State) float64 { return math.Sin(3 * st.Time) }, Action: func(st *mechanism.State) (sim.Response, error) {
				for i := range st.Bodies {
					b := &st.Bodies[i]
					b.Velocity, b.Omega = b.Velocity.Scale(0.9), b.Omega.Scale(0.9)
				}
				return sim.Restart, nil
			}},
		},
	})
}

const longTime = 6

// TestResume ends a run at several steps, with half a line written, and resumes
// it: file and state are those of the run that was let be.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.csv")
	mech := golden(t, "four-bar").mech
	f, err := os.Create(whole)
	require.NoError(t, err)
	rec, err := sim.NewCSV(f, sim.NewColumns(mech, nil))
	require.NoError(t, err)
	var events []float64
	s := longRun(t, rec, &events, nil)
	require.NoError(t, s.Run(longTime))
	require.NoError(t, rec.Flush())
	require.NoError(t, f.Close())
	want, err := os.ReadFile(whole)
	require.NoError(t, err)
	require.Greater(t, s.Stats().Steps, int64(100))
	require.NotEmpty(t, events)
	require.Positive(t, s.Fired(1))

	kills := []int64{17}
	if !testing.Short() {
		kills = append(kills, 1, 2, 60, s.Stats().Steps-1)
	}
	for _, kill := range kills {
		path, check := filepath.Join(dir, "part.csv"), filepath.Join(dir, "part.json")
		f, err := os.Create(path)
		require.NoError(t, err)
		rec, err := sim.NewCSV(f, sim.NewColumns(mech, nil))
		require.NoError(t, err)
		var log []float64
		kept := 0
		part := longRun(t, rec, &log, func(p *sim.Simulation) error {
			if p.Stats().Steps == kill {
				c, err := p.Checkpoint()
				require.NoError(t, err)
				require.NoError(t, sim.WriteCheckpoint(check, c))
				kept = len(log)
			}
			if p.Stats().Steps > kill+20 {
				return errKilled
			}
			return nil
		})
		if err := part.Run(longTime); err != nil {
			require.ErrorIs(t, err, errKilled)
		}
		_, err = f.WriteString("1.5,0.3") // half a line
		require.NoError(t, err)
		require.NoError(t, f.Close())

		c, err := sim.ReadCheckpoint(check)
		require.NoError(t, err)
		require.Equal(t, kill, c.Stats.Steps)
		f, err = os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		rec, err = sim.ResumeCSV(f, sim.NewColumns(mech, nil), c.Recorded)
		require.NoError(t, err)
		log = log[:kept]
		rest := longRun(t, rec, &log, nil)
		require.NoError(t, rest.Restore(c))
		require.NoError(t, rest.Run(longTime))
		require.NoError(t, rec.Flush())
		require.NoError(t, f.Close())
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "file after a kill at step %d", kill)
		require.Equal(t, s.State(), rest.State())
		require.Equal(t, s.Stats(), rest.Stats())
		require.Equal(t, events, log)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// killedRun tells the test binary to be the process that TestKill ends, and where to write.
const killedRun = "RUNG_TEST_KILLED_RUN"

// TestKill ends a process that writes rows and checkpoints, at whatever moment it is in,
// and resumes its run.
func TestKill(t *testing.T) {
	check.Long(t)
	if dir := os.Getenv(killedRun); dir != "" {
		runForever(t, dir)
	}
	mech := golden(t, "four-bar").mech
	dir := t.TempDir()
	csvPath, path := filepath.Join(dir, "run.csv"), filepath.Join(dir, "run.json")
	cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), killedRun+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	written := bufio.NewScanner(out)
	for range 20 {
		require.True(t, written.Scan(), "the process has ended by itself")
	}
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())

	c, err := sim.ReadCheckpoint(path)
	require.NoError(t, err)
	f, err := os.OpenFile(csvPath, os.O_RDWR, 0)
	require.NoError(t, err)
	rec, err := sim.ResumeCSV(f, sim.NewColumns(mech, nil), c.Recorded)
	require.NoError(t, err)
	var log []float64
	rest := longRun(t, rec, &log, nil)
	require.NoError(t, rest.Restore(c))
	until := c.Time + 1
	require.NoError(t, rest.Run(until))
	require.NoError(t, rec.Flush())
	require.NoError(t, f.Close())

	var whole bytes.Buffer
	rec, err = sim.NewCSV(&whole, sim.NewColumns(mech, nil))
	require.NoError(t, err)
	s := longRun(t, rec, &log, nil)
	require.NoError(t, s.Run(until))
	require.NoError(t, rec.Flush())
	got, err := os.ReadFile(csvPath)
	require.NoError(t, err)
	t.Logf("killed after %d steps, resumed until %d", c.Stats.Steps, s.Stats().Steps)
	require.True(t, bytes.Equal(whole.Bytes(), got))
	require.Equal(t, s.State(), rest.State())
}

// runForever writes a checkpoint after each step, and then a line to standard output, until the process ends.
func runForever(t *testing.T, dir string) {
	f, err := os.Create(filepath.Join(dir, "run.csv"))
	require.NoError(t, err)
	rec, err := sim.NewCSV(f, sim.NewColumns(golden(t, "four-bar").mech, nil))
	require.NoError(t, err)
	var log []float64
	s := longRun(t, rec, &log, func(s *sim.Simulation) error {
		c, err := s.Checkpoint()
		require.NoError(t, err)
		if err := sim.WriteCheckpoint(filepath.Join(dir, "run.json"), c); err != nil {
			return err
		}
		_, err = fmt.Println(c.Stats.Steps)
		return err
	})
	require.NoError(t, s.Run(math.Inf(1)))
}

// TestCheckpointKeepsBits sends numbers that are hard to write through a file.
func TestCheckpointKeepsBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	c := &sim.Checkpoint{Format: "rung-checkpoint/1", Time: 0.1 + 0.2}
	c.Step, c.Kept = math.SmallestNonzeroFloat64, []float64{math.Copysign(0, -1), math.MaxFloat64, math.Pi}
	require.NoError(t, sim.WriteCheckpoint(path, c))
	got, err := sim.ReadCheckpoint(path)
	require.NoError(t, err)
	assert.Equal(t, math.Float64bits(c.Time), math.Float64bits(got.Time))
	assert.Equal(t, math.Float64bits(c.Step), math.Float64bits(got.Step))
	for i := range c.Kept {
		assert.Equal(t, math.Float64bits(c.Kept[i]), math.Float64bits(got.Kept[i]))
	}
}

func TestForeignCheckpoints(t *testing.T) {
	var log []float64
	s := longRun(t, &memory{}, &log, nil)
	require.NoError(t, s.Run(0.1))
	c, err := s.Checkpoint()
	require.NoError(t, err)
	data, err := json.Marshal(c)
	require.NoError(t, err)
	for name, spoil := range map[string]func(c *sim.Checkpoint){
		"model":       func(c *sim.Checkpoint) { c.Model = "other" },
		"fingerprint": func(c *sim.Checkpoint) { c.Print = "0" },
		"method":      func(c *sim.Checkpoint) { c.Stepper = "rk4" },
		"options":     func(c *sim.Checkpoint) { c.Options += "x" },
		"dynamics":    func(c *sim.Checkpoint) { c.Solver = "other" },
		"bodies":      func(c *sim.Checkpoint) { c.Bodies = c.Bodies[1:] },
		"kept":        func(c *sim.Checkpoint) { c.Kept = c.Kept[1:] },
		"event":       func(c *sim.Checkpoint) { c.Events[0].Name = "other" },
	} {
		bad := new(sim.Checkpoint)
		require.NoError(t, json.Unmarshal(data, bad))
		spoil(bad)
		require.ErrorIs(t, longRun(t, &memory{}, &log, nil).Restore(bad), sim.ErrCheckpoint, name)
	}
	require.NoError(t, longRun(t, &memory{}, &log, nil).Restore(c))
	require.PanicsWithValue(t, "sim: simulation has begun", func() { _ = s.Restore(c) })

	path := filepath.Join(t.TempDir(), "c.json")
	for _, text := range []string{"", "{", `{"format": "rung-checkpoint/2"}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := sim.ReadCheckpoint(path)
		require.ErrorIs(t, err, sim.ErrCheckpoint, text)
	}
}

func TestForeignTrajectory(t *testing.T) {
	mech := golden(t, "four-bar").mech
	path := filepath.Join(t.TempDir(), "t.csv")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	rec, err := sim.NewCSV(f, sim.NewColumns(mech, nil))
	require.NoError(t, err)
	at, err := rec.Mark()
	require.NoError(t, err)
	for _, position := range []int64{0, at - 1, at + 1} {
		_, err = sim.ResumeCSV(f, sim.NewColumns(mech, nil), position)
		require.Error(t, err, "position %d of %d", position, at)
	}
	_, err = sim.ResumeCSV(f, sim.NewColumns(mech, []int{0}), at)
	require.Error(t, err, "other bodies")
	_, err = sim.ResumeCSV(f, sim.NewColumns(mech, nil), at)
	require.NoError(t, err)
}

// brittle is a file on a disk that is full once.
type brittle struct {
	bytes.Buffer
	after int // bytes
}

func (b *brittle) Write(p []byte) (int, error) {
	if b.after > 0 && b.Len() > b.after {
		b.after = 0
		return 0, errDisk
	}
	return b.Buffer.Write(p)
}

// TestCSVAfterAFullDisk: a row at which the disk was full is there once if the run continues.
func TestCSVAfterAFullDisk(t *testing.T) {
	r := golden(t, "four-bar")
	outcome := func(after int) string {
		out := &brittle{after: after}
		rec, err := sim.NewCSV(out, sim.NewColumns(r.mech, nil))
		require.NoError(t, err)
		s := r.simulate(sim.DormandPrince(), 1e-6, sim.Options{Projector: r.proj, Recorder: rec, Every: 5e-4})
		err = s.Run(0.4)
		if after > 0 {
			require.ErrorIs(t, err, errDisk)
			err = s.Run(0.4)
		}
		require.NoError(t, err)
		require.NoError(t, rec.Flush())
		return out.String()
	}
	want := outcome(0)
	require.Greater(t, len(want), 300_000)
	require.True(t, want == outcome(100_000), "rows differ")
}
