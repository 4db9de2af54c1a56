package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// pendulumLimit is the largest error of the pendulum over ten seconds at the default
	// tolerance in the measure of reference/standard, a hundredth of the published limit
	// of high precision.
	pendulumLimit = 1e-5
	// rowDrift is the largest drift of a row: twice the tolerance of the projection.
	rowDrift = 2e-10
)

func standard(name string) string {
	return filepath.Join(reference, "standard", name+".model.json")
}

// readTrajectory reads a table of numbers with a header.
func readTrajectory(t *testing.T, text string) (columns []string, rows [][]float64) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	for _, line := range all[1:] {
		row := make([]float64, len(line))
		for i, s := range line {
			row[i], err = strconv.ParseFloat(s, 64)
			require.NoError(t, err)
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestSimulatePendulum(t *testing.T) {
	_, want := readTrajectory(t, readText(t, filepath.Join(reference, "standard", "a01-pendulum.csv")))
	r := rungRun("simulate", standard("a01-pendulum"), "--until", "10", "--every", "0.01")
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	columns, rows := readTrajectory(t, r.Out)
	assert.Equal(t, "time,bob.px,bob.py,bob.pz,bob.qw,bob.qx,bob.qy,bob.qz,bob.vx,bob.vy,bob.vz,bob.wx,bob.wy,bob.wz,"+
		"energy.kinetic,energy.potential,drift.position,drift.velocity", strings.Join(columns, ","))
	require.Len(t, rows, len(want))
	worst := 0.0
	for i, row := range rows {
		assert.InDelta(t, want[i][0], row[0], 1e-13)
		for k := range 3 {
			for c, x := range [...]float64{row[1+k], row[8+k]} { // position, velocity
				y := want[i][1+k+3*c]
				worst = max(worst, math.Abs(x-y)/max(math.Abs(y), 1e-3))
			}
		}
		assert.LessOrEqual(t, max(row[16], row[17]), rowDrift)
	}
	assert.Less(t, worst, pendulumLimit)
	assert.Regexp(t, `(?s)^simulated     a01-pendulum from 0 to 10 s with dopri5, tolerance 1e-08; 1001\s+rows\n`+
		`steps         \d+, \d+ rejected, \d+ evaluations\ntime .*energy        drift at most .*drift `, r.Err)
	clitest.RequireColumns(t, r.Err)
}

func TestSimulateIntegratorsAgree(t *testing.T) {
	run := func(args ...string) []float64 {
		_, rows := readTrajectory(t, ok(t, append([]string{"simulate", golden("four-bar"), "--until", "0.5", "--every", "0.5"}, args...)...))
		require.Len(t, rows, 2)
		return rows[1]
	}
	want := run("--tol", "1e-11")
	for _, args := range [][]string{{"--integrator", "rk4", "--step", "1e-3"}, {"--step", "1e-3"}, {"--threads", "2", "--ordering", "natural"}} {
		got := run(args...)
		for i := range want {
			assert.InDelta(t, want[i], got[i], 1e-6*max(1, math.Abs(want[i])), args)
		}
	}
	assert.NotEqual(t, want, run("--tol", "1e-3"), "the tolerance has no effect")
}

// TestSimulateRows checks the choice of bodies and times, with 17 digits.
func TestSimulateRows(t *testing.T) {
	model := golden("four-bar")
	all := ok(t, "simulate", model, "--until", "0.3", "--every", "0.1")
	names, rows := readTrajectory(t, all)
	require.Len(t, rows, 4)
	for i, row := range rows {
		assert.InDelta(t, 0.1*float64(i), row[0], 1e-15)
	}
	first := strings.TrimSuffix(names[1], ".px")
	last := strings.TrimSuffix(names[len(names)-5], ".wz")
	require.NotEqual(t, first, last)
	some, chosen := readTrajectory(t, ok(t, "simulate", model, "--until", "0.3", "--every", "0.1", "--bodies", last+","+first))
	require.Len(t, some, 1+2*13+4)
	assert.Equal(t, []string{last + ".px", first + ".px"}, []string{some[1], some[14]})
	assert.Equal(t, rows[3][1:14], chosen[3][14:27])
	assert.Equal(t, rows[3][len(names)-4:], chosen[3][27:])
	_, hundred := readTrajectory(t, ok(t, "simulate", model, "--until", "0.3"))
	assert.Len(t, hundred, runs.OutputParts+1)
}

// TestSimulateLastRow: the summary counts the row at the end, and says where the rows end only if that is before the end of
// the run.
func TestSimulateLastRow(t *testing.T) {
	for _, every := range []string{"0.3", "0.25"} {
		r := rungRun("simulate", standard("a01-pendulum"), "--until", "1", "--every", every, "-o", filepath.Join(t.TempDir(), "a.csv"))
		require.Equal(t, shell.ExitDone, r.Status, r.Err)
		require.Contains(t, strings.Join(strings.Fields(r.Out+r.Err), " "), "5 rows steps")
	}
}

// TestSimulateMethods compares the tree methods with the sparse one, at the tolerance where
// rows of rounding once counted as constraints.
func TestSimulateMethods(t *testing.T) {
	run := func(args ...string) []float64 {
		_, rows := readTrajectory(t, ok(t, append([]string{"simulate", golden("four-bar"), "--until", "1", "--every", "1", "--tol", "1e-10"}, args...)...))
		return rows[1]
	}
	want := run()
	for _, method := range shell.MethodNames()[1:] {
		got := run("--method", method)
		for i := range want {
			assert.InDelta(t, want[i], got[i], 1e-7*max(1, math.Abs(want[i])), method)
		}
	}
}

// TestSimulateStabilize compares the drift of the ways to hold the joints.
func TestSimulateStabilize(t *testing.T) {
	check.Long(t)
	drift := map[string]float64{}
	for _, how := range simulate.StabilizeNames() {
		_, rows := readTrajectory(t, ok(t, "simulate", golden("four-bar"), "--until", "10", "--integrator", "rk4", "--step", "0.005", "--stabilize", how))
		for _, row := range rows {
			drift[how] = max(drift[how], row[len(row)-2])
		}
	}
	t.Log(drift)
	assert.Less(t, drift["projection"], rowDrift)
	assert.Greater(t, drift["baumgarte"], drift["projection"])
	assert.Less(t, drift["baumgarte"], drift["none"]/10)
}

// TestSimulateWrenches: wrenches stand behind the columns of the contract and change none of
// their bits; at the start they are those of rung accel.
func TestSimulateWrenches(t *testing.T) {
	args := []string{"simulate", golden("four-bar"), "--until", "0.3", "--every", "0.1"}
	names, rows := readTrajectory(t, ok(t, args...))
	more, wide := readTrajectory(t, ok(t, append(args, "--wrenches", "p4,p1")...))
	assert.Equal(t, names, more[:len(names)])
	assert.Equal(t, strings.Split("p4.force.x p4.force.y p4.force.z p4.moment.x p4.moment.y p4.moment.z p1.force.x", " "), more[len(names):len(names)+7])
	require.Len(t, more, len(names)+12)
	for i := range rows {
		assert.Equal(t, rows[i], wide[i][:len(names)])
	}
	var accel struct {
		Joints []struct {
			Name       string
			Constraint struct{ Force, Moment [3]float64 } `json:"constraint_wrench"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", golden("four-bar"), "--json")), &accel))
	for _, j := range accel.Joints {
		if j.Name != "p4" {
			continue
		}
		got := wide[0][len(names):]
		for k := range 3 {
			assert.InDelta(t, j.Constraint.Force[k], got[k], 1e-9)
			assert.InDelta(t, j.Constraint.Moment[k], got[3+k], 1e-9)
		}
	}
}

// readParquet reads a trajectory with a reader that knows nothing of this module.
func readParquet(t *testing.T, path string) (columns []string, rows [][]float64) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	p, err := parquet.OpenFile(f, info.Size())
	require.NoError(t, err)
	for _, c := range p.Root().Columns() {
		columns = append(columns, c.Name())
	}
	for _, g := range p.RowGroups() {
		in := g.Rows()
		buf := make([]parquet.Row, g.NumRows())
		for n := 0; n < len(buf); {
			k, err := in.ReadRows(buf[n:])
			for _, row := range buf[n : n+k] {
				values := make([]float64, len(row))
				for i, v := range row {
					values[i] = v.Double()
				}
				rows = append(rows, values)
			}
			if n += k; err != nil && n < len(buf) {
				require.NoError(t, err)
			}
		}
		require.NoError(t, in.Close())
	}
	return columns, rows
}

// TestSimulateParquet: the same columns and values as CSV, to the bit, also when
// interrupted and resumed.
func TestSimulateParquet(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	args := []string{"--until", "2", "--every", "0.01", "--wrenches", "p1", "--bodies", "rocker,crank"}
	names, want := readTrajectory(t, ok(t, append([]string{"simulate", golden("four-bar")}, args...)...))
	out, ckpt := filepath.Join(dir, "out.parquet"), filepath.Join(dir, "run.ckpt")
	ok(t, append([]string{"simulate", golden("four-bar"), "--out", out}, args...)...)
	columns, rows := readParquet(t, out)
	assert.Equal(t, names, columns)
	assert.Equal(t, want, rows)
	whole := readText(t, out)

	args = append(args, "--out", out, "--checkpoint", ckpt)
	stopped(t, 20, golden("four-bar"), args...)
	_, rows = readParquet(t, out)
	assert.Equal(t, want[:len(rows)], rows, "an interrupted run is valid")
	assert.Less(t, len(rows), len(want))
	assert.NotEmpty(t, rows)
	assert.NoDirExists(t, out+".parts")
	args = append(args, "--resume")
	stopped(t, 10, golden("four-bar"), args...)
	for range 2 { // a finished run has nothing left to do
		ok(t, append([]string{"simulate", golden("four-bar")}, args...)...)
		assert.Equal(t, whole, readText(t, out))
	}
}

// TestSimulateKilled ends a process at whatever it is doing; its run goes on from the
// checkpoint.
func TestSimulateKilled(t *testing.T) {
	check.Long(t)
	args := func(until float64, out string, more ...string) []string {
		return append([]string{"simulate", standard("a01-pendulum"), "--until", sheet.Short(until), "--every", "0.0002", "--out", out}, more...)
	}
	if out := os.Getenv(killedRun); out != "" {
		cmd := simulate.Command(&simulate.Flags{Between: time.Millisecond})
		cmd.SetArgs(args(1e4, out, "--checkpoint", out+".ckpt")[1:])
		cmd.SetErr(io.Discard)
		_ = cmd.ExecuteContext(t.Context())
		os.Exit(shell.ExitDone)
	}
	endings := []string{".csv", ".parquet"}
	for _, ending := range endings {
		whole, out := filepath.Join(t.TempDir(), "whole"+ending), filepath.Join(t.TempDir(), "out"+ending)
		cmd := exec.Command(os.Args[0], "-test.run=^TestSimulateKilled$")
		cmd.Env = append(os.Environ(), killedRun+"="+out)
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool {
			c, err := sim.ReadCheckpoint(out + ".ckpt")
			return err == nil && c.Rows > 1000
		}, 20*time.Second, time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		c, err := sim.ReadCheckpoint(out + ".ckpt")
		require.NoError(t, err)
		t.Logf("killed after %d steps and %d rows", c.Stats.Steps, c.Rows)
		until := math.Ceil(10*c.Time+1) / 10
		ok(t, args(until, out, "--checkpoint", out+".ckpt", "--resume")...)
		ok(t, args(until, whole)...)
		assert.Equal(t, readText(t, whole), readText(t, out), ending)
	}
}

// killedRun tells the test binary to be the process that TestSimulateKilled ends, and where to
// write.
const killedRun = "RUNG_TEST_KILLED_SIMULATION"

// TestSimulateQuiet prints nothing but the trajectory.
func TestSimulateQuiet(t *testing.T) {
	r := rungRun("simulate", golden("four-bar"), "--until", "0.1", "--quiet")
	assert.Equal(t, shell.ExitDone, r.Status)
	assert.Empty(t, r.Err)
	assert.NotEmpty(t, r.Out)
}

// stopped runs rung simulate until it has done some steps.
func stopped(t *testing.T, steps int, path string, args ...string) result {
	t.Helper()
	cmd := simulate.Command(&simulate.Flags{Interrupted: func() bool { steps--; return steps < 0 }})
	var out, stderr bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&stderr)
	cmd.SetArgs(append([]string{path}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	require.ErrorIs(t, err, simulate.ErrInterrupted)
	failed := new(shell.Failure)
	require.True(t, errors.As(err, &failed))
	return result{Status: shell.ExitFailed, Out: out.String(), Err: err.Error() + "\n" + stderr.String()}
}

// TestSimulateRowAtTheEnd: where --every does not divide the time, there is a row at the end, which a run that goes on takes
// back.
func TestSimulateRowAtTheEnd(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "out.csv")
	times := func(text string) (list []float64) {
		_, rows := readTrajectory(t, text)
		for _, row := range rows {
			list = append(list, row[0])
		}
		return list
	}
	for _, how := range [][]string{{}, {"--integrator", "rk4", "--step", "0.01"}, {"--integrator", "generalized-alpha"}, {"--ranks", "2"}} {
		args := append([]string{"simulate", golden("four-bar"), "--every", "0.3", "--until", "1"}, how...)
		check.CloseVec(t, times(ok(t, args...)), []float64{0, 0.3, 0.6, 0.9, 1}, 1e-12, 1, "%v", how)
	}
	kept := []string{"simulate", golden("four-bar"), "--every", "0.3", "--out", out, "--checkpoint", filepath.Join(dir, "ckpt"), "--until"}
	ok(t, append(kept, "1")...)
	check.CloseVec(t, times(readText(t, out)), []float64{0, 0.3, 0.6, 0.9, 1}, 1e-12, 1, "to 1 s")
	ok(t, append(kept, "1.4", "--resume")...)
	check.CloseVec(t, times(readText(t, out)), []float64{0, 0.3, 0.6, 0.9, 1.2, 1.4}, 1e-12, 1, "to 1.4 s")
	check.CloseVec(t, times(ok(t, "simulate", golden("four-bar"), "--every", "0.25", "--until", "1")), []float64{0, 0.25, 0.5, 0.75, 1}, 1e-12, 1, "divides")
}

// TestSimulateResume interrupts runs twice, spoils the end of the file as a crash
// would, and compares with runs that went through.
func TestSimulateResume(t *testing.T) {
	type run struct {
		model string
		args  []string
	}
	for _, c := range check.Some([]run{
		{golden("four-bar"), []string{"--until", "2", "--every", "0.01"}},
		{standard("a02-n-four-bar-2"), []string{"--until", "1.5", "--every", "0.003"}},
		{golden("four-bar"), []string{"--until", "1", "--every", "0.013", "--integrator", "rk4", "--step", "0.01"}},
	}, 3) {
		dir := t.TempDir()
		whole, out, ckpt := filepath.Join(dir, "whole.csv"), filepath.Join(dir, "out.csv"), filepath.Join(dir, "run.ckpt")
		ok(t, append([]string{"simulate", c.model, "--out", whole}, c.args...)...)
		kept := append([]string{"--out", out, "--checkpoint", ckpt}, c.args...)
		r := stopped(t, 20, c.model, kept...)
		assert.Contains(t, r.Err, "--resume goes on from there")
		before := readText(t, out)
		assert.True(t, strings.HasSuffix(before, "\n"))
		assert.True(t, strings.HasPrefix(readText(t, whole), before))
		assert.Less(t, len(before), len(readText(t, whole)))
		require.NoError(t, os.WriteFile(out, []byte(before+"0.9,1,2"), 0o600))
		kept = append(kept, "--resume")
		stopped(t, 10, c.model, kept...)
		ok(t, append([]string{"simulate", c.model}, kept...)...)
		assert.Equal(t, readText(t, whole), readText(t, out), c.model)
		// A finished run has nothing left to do.
		ok(t, append([]string{"simulate", c.model}, kept...)...)
		assert.Equal(t, readText(t, whole), readText(t, out), c.model)
	}
}

// TestSimulateSignal sends the process what Ctrl-C sends.
//
//rung:norace the handler has TestInterruptible in package shell, and the goroutine hands back a result
func TestSimulateSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself there")
	}
	dir := t.TempDir()
	out, ckpt := filepath.Join(dir, "out.csv"), filepath.Join(dir, "run.ckpt")
	done := make(chan result, 1)
	go func() {
		done <- rungRun("simulate", standard("a01-pendulum"), "--until", "1e5", "--every", "0.001", "--out", out, "--checkpoint", ckpt)
	}()
	// The handler is there before the first block of rows is.
	require.Eventually(t, func() bool {
		info, err := os.Stat(out)
		return err == nil && info.Size() > 1<<17
	}, 20*time.Second, 5*time.Millisecond)
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	require.NoError(t, self.Signal(os.Interrupt))
	select {
	case r := <-done:
		assert.Equal(t, shell.ExitFailed, r.Status)
		assert.Contains(t, r.Err, "interrupted at t = ")
		clitest.RequireColumns(t, strings.Split(r.Err, "rung: ")[0])
	case <-time.After(20 * time.Second):
		t.Fatal("the run goes on")
	}
	_, rows := readTrajectory(t, readText(t, out))
	assert.FileExists(t, ckpt)
	assert.Greater(t, len(rows), 100)
}

func TestSimulateClosesFirst(t *testing.T) {
	in, out := bent(t, "four-bar", nil), filepath.Join(t.TempDir(), "out.csv")
	r := rungRun("simulate", in, "--until", "0.1", "--out", out, "--json")
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	var s simulate.Simulation
	d := json.NewDecoder(strings.NewReader(r.Out))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&s))
	require.NotNil(t, s.Closed)
	assert.Greater(t, s.Closed.Position.Before, 0.01)
	assert.Greater(t, s.Closed.Position.Travel.Value, 1e-3)
	assert.LessOrEqual(t, s.Drift.Position, rowDrift)
	assert.True(t, s.Finished)
	assert.EqualValues(t, runs.OutputParts+1, s.Rows)
	_, rows := readTrajectory(t, readText(t, out))
	assert.Len(t, rows, runs.OutputParts+1)
	r = rungRun("simulate", in, "--until", "0.1", "--out", out)
	assert.Contains(t, r.Err, "closed first")
	clitest.RequireColumns(t, r.Err)
	// A state that fits is not touched.
	r = rungRun("simulate", golden("four-bar"), "--until", "0.1", "--out", out)
	assert.NotContains(t, r.Err, "closed first")
}

// TestSimulateCannotClose pulls a link apart.
func TestSimulateCannotClose(t *testing.T) {
	in := bent(t, "four-bar", func(m *model.Model) {
		for i := range m.Joints {
			if m.Joints[i].Predecessor == "world" {
				m.Joints[i].PredecessorFrame.Position[0] *= 100
				m.Joints[i].PredecessorFrame.Position[0] += float64(100 * i)
			}
		}
	})
	out := filepath.Join(t.TempDir(), "out.csv")
	r := rungRun("simulate", in, "--until", "1", "--out", out)
	assert.Equal(t, shell.ExitFailed, r.Status)
	assert.Contains(t, r.Err, "joints cannot be closed: joint ")
	assert.NoFileExists(t, out)
}

func TestSimulateBadUse(t *testing.T) {
	m, dir := golden("four-bar"), t.TempDir()
	out, ckpt := filepath.Join(dir, "out.csv"), filepath.Join(dir, "run.ckpt")
	base := []string{"simulate", m, "--until", "0.1"}
	with := func(more ...string) []string { return append(append([]string{}, base...), more...) }
	for _, c := range []struct {
		says string
		args []string
	}{
		{"missing MODEL", []string{"simulate"}},
		{"missing --until T", []string{"simulate", m}},
		{"--until is not finite", []string{"simulate", m, "--until", "nan"}},
		{"not after the time of the model", []string{"simulate", m, "--until", "-1"}},
		{`no integrator "euler"; there are dopri5, rk4`, with("--integrator", "euler")},
		{"rk4 has no error control: give --step", with("--integrator", "rk4")},
		{"exclude each other", with("--step", "0.1", "--tol", "1e-6")},
		{"--step 0 is not above 0", with("--step", "0")},
		{"--every -1 is not above 0", with("--every", "-1")},
		{"--tol +Inf is not above 0 and finite", with("--tol", "inf")},
		{"above the rounding of time", with("--every", "1e-20")},
		{"trajectories end in .csv or .parquet", with("--out", filepath.Join(dir, "x.dat"))},
		{"no such file", with("--out", filepath.Join(dir, "missing", "x.parquet"))},
		{"pictures end in .svg or .png", with("--plot", filepath.Join(dir, "x.pdf"))},
		{"--plot-columns needs --plot", with("--plot-columns", "crank.px")},
		{"no column \"x.px\"", with("--plot", filepath.Join(dir, "x.svg"), "--plot-columns", "x.px")},
		{"would replace", with("--out", out, "--checkpoint", filepath.Join(dir, "x.svg"), "--plot", filepath.Join(dir, "x.svg"))},
		{`no joint "x"`, with("--wrenches", "x")},
		{"given twice", with("--wrenches", "p1,p1")},
		{"given twice", with("--bodies", "crank,crank")},
		{"needs --method sparse", with("--stabilize", "baumgarte", "--method", "tree-direct")},
		{`no stabilization "x"; there are projection, baumgarte, none`, with("--stabilize", "x")},
		{"no such file", with("--out", filepath.Join(dir, "missing", "x.csv"))},
		{"no such file", with("--out", out, "--checkpoint", filepath.Join(dir, "missing", "x"))},
		{"give --out a file", with("--json")},
		{"give --out a file", with("--checkpoint", ckpt)},
		{"--resume needs --checkpoint", with("--out", out, "--resume")},
		{"no such file", with("--out", out, "--checkpoint", ckpt, "--resume")},
		{"would replace", with("--out", out, "--checkpoint", m)},
		{`no body "x"; there are "crank", "coupler", "rocker"` + "\n", with("--bodies", "x")},
		{"the world does not move", with("--bodies", "world")},
	} {
		r := rungRun(c.args...)
		assert.Equal(t, shell.ExitUse, r.Status, c.args)
		assert.Contains(t, r.Err, c.says)
		assert.Empty(t, r.Out)
	}
	var stderr bytes.Buffer
	assert.Equal(t, shell.ExitFailed, command.RunTo(&failingWriter{5000}, &stderr, "", base...))
	assert.Contains(t, stderr.String(), errFull.Error())
	clitest.RequireColumns(t, ok(t, "simulate", "--help"))
}
