package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/state"
)

// numbers reads a trajectory.
func numbers(t *testing.T, path string) (head []string, rows [][]float64) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, line := range all[1:] {
		var row []float64
		for _, cell := range line {
			x, err := strconv.ParseFloat(cell, 64)
			require.NoError(t, err)
			row = append(row, x)
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

// sameRuns holds two trajectories against each other, to rounding of the steps.
func sameRuns(t *testing.T, one, other string, tol float64) {
	t.Helper()
	head, a := numbers(t, one)
	again, b := numbers(t, other)
	require.Equal(t, head, again)
	require.Len(t, b, len(a))
	worst := 0.0
	for i := range a {
		for k, x := range a[i] {
			worst = max(worst, math.Abs(x-b[i][k])/max(1, math.Abs(x)))
		}
	}
	assert.LessOrEqual(t, worst, tol)
	t.Logf("trajectories differ by %.1e", worst)
}

// A run on ranks writes the trajectory of one process: bodies, other columns, energies and drift, with chosen steps and
// with fixed ones, with and without projection; and the same bytes each time.
func TestSimulateRanks(t *testing.T) {
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"ladder":    {generated(t, "ladder", "30"), "--until", "0.1", "--bodies", "L3,R12"},
		"nfourbar":  {generated(t, "nfourbar", "5"), "--until", "0.3", "--columns", "joint.*.q,energy.*,drift.position"},
		"fixed":     {generated(t, "nfourbar", "4"), "--until", "0.05", "--step", "1e-3"},
		"belt":      {generated(t, "belt", "6"), "--until", "0.2", "--columns", "joint.*.q,joint.*.qd"},
		"baumgarte": {generated(t, "ladder", "20"), "--until", "0.05", "--step", "1e-3", "--integrator", "rk4", "--stabilize", "baumgarte"},
	} {
		t.Run(name, func(t *testing.T) {
			one, two, again := filepath.Join(dir, name+"1.csv"), filepath.Join(dir, name+"3.csv"), filepath.Join(dir, name+"3b.csv")
			args = append([]string{"simulate", "--every", "0.01"}, args...)
			ok(t, append(args, "-o", one)...)
			ok(t, append(args, "-o", two, "--ranks", "3")...)
			sameRuns(t, one, two, 1e-8)
			ok(t, append(args, "-o", again, "--ranks", "3")...)
			x, err := os.ReadFile(two)
			require.NoError(t, err)
			y, err := os.ReadFile(again)
			require.NoError(t, err)
			require.Equal(t, string(x), string(y))
		})
	}
}

// A run on ranks that goes on from its checkpoint ends with the bytes of one that nobody has interrupted.
func TestSimulateRanksResume(t *testing.T) {
	model, dir := generated(t, "ladder", "20"), t.TempDir()
	whole, parts, ckpt := filepath.Join(dir, "whole.csv"), filepath.Join(dir, "parts.csv"), filepath.Join(dir, "c")
	run := func(out, until string, more ...string) {
		t.Helper()
		ok(t, append([]string{"simulate", model, "--until", until, "--every", "0.01", "--ranks", "3", "-o", out}, more...)...)
	}
	run(whole, "0.1", "--checkpoint", filepath.Join(dir, "w"))
	run(whole, "0.3", "--checkpoint", filepath.Join(dir, "w"), "--resume") // ends at 0.1 too
	run(parts, "0.1", "--checkpoint", ckpt)
	run(parts, "0.3", "--checkpoint", ckpt, "--resume")
	x, err := os.ReadFile(whole)
	require.NoError(t, err)
	y, err := os.ReadFile(parts)
	require.NoError(t, err)
	require.Equal(t, string(x), string(y))
	assert.Equal(t, 32, strings.Count(string(x), "\n"))

	r := rungRun("simulate", model, "--until", "0.4", "--every", "0.01", "--ranks", "2", "-o", parts, "--checkpoint", ckpt, "--resume")
	assert.Equal(t, shell.ExitUse, r.status)
	assert.Contains(t, r.err, "checkpoint")
	r = rungRun("simulate", model, "--until", "0.4", "--ranks", "3", "-o", parts, "--checkpoint", filepath.Join(dir, "none"), "--resume")
	assert.Equal(t, shell.ExitUse, r.status)
	assert.Contains(t, r.err, "no checkpoint that all of 3 ranks have")
}

// What ranks do not do is refused by name, with one line and status 2.
func TestRanksRefused(t *testing.T) {
	model := generated(t, "ladder", "20")
	rover := generated(t, "rover", "1")
	for want, args := range map[string][]string{
		`"x" is neither mpi nor a number`: {"simulate", model, "--until", "1", "--ranks", "x"},
		"--root mumps needs --ranks mpi":  {"simulate", model, "--until", "1", "--ranks", "2", "--root", "mumps"},
		"--wrenches and --multipliers":    {"simulate", model, "--until", "1", "--ranks", "2", "--wrenches", "j"},
		"--ordering":                      {"simulate", model, "--until", "1", "--ranks", "2", "--ordering", "banded"},
		"explicit methods":                {"simulate", model, "--until", "1", "--ranks", "2", "--integrator", "generalized-alpha"},
		"--method sparse":                 {"simulate", model, "--until", "1", "--ranks", "2", "--method", "tree-direct"},
		"missing --until":                 {"simulate", model, "--ranks", "2"},
		`no body "nix"`:                   {"simulate", model, "--until", "1", "--ranks", "2", "--bodies", "nix"},
		"are not known on ranks":          {"simulate", model, "--until", "1", "--ranks", "2", "--columns", "*.accx"},
		"no such file":                    {"simulate", "nix.json", "--until", "1", "--ranks", "2"},
		"levels have two bodies":          {"bench", "--ranks", "2", "ladder", "7"},
		"each rank has one at least":      {"bench", "--ranks", "4", "ladder", "6"},
		`no family "nix"`:                 {"bench", "--ranks", "4", "nix", "6"},
		"--csv and --plot":                {"bench", "--ranks", "4", "grid", "6", "--csv", "-"},
		"measures one model":              {"bench", "--ranks", "4"},
		"--ranks needs --method sparse":   {"accel", model, "--ranks", "2", "--method", "tree-direct"},
		"no such file or directory":       {"bench", "--ranks", "2", "nix.tables"},
		"contact":                         {"simulate", rover, "--until", "1", "--ranks", "2"},
	} {
		r := rungRun(args...)
		assert.Equal(t, shell.ExitUse, r.status, want)
		assert.Contains(t, r.err, want)
		assert.Empty(t, r.out)
		assert.LessOrEqual(t, strings.Count(r.err, "\n"), 2, r.err)
	}
}

// Accelerations, reactions, counts and energies on ranks are those of one process.
func TestAccelRanks(t *testing.T) {
	for _, model := range []string{
		generated(t, "ladder", "30"), generated(t, "grid", "4"), generated(t, "nfourbar", "7"), generated(t, "gear-train", "6"), golden("springs"), golden("four-bar"),
	} {
		var want rung.Result
		require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", model, "--json")), &want))
		for _, n := range []string{"1", "3"} {
			var got state.PiecesResult
			require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", model, "--ranks", n, "--json")), &got))
			size := 0.0
			for i := range want.Bodies {
				size = max(size, want.Bodies[i].ComAcceleration.Norm(), want.Bodies[i].AngularAcceleration.Norm())
			}
			require.Len(t, got.Bodies, len(want.Bodies))
			for i := range want.Bodies {
				a, b := &got.Bodies[i], &want.Bodies[i]
				require.Equal(t, b.Name, a.Name)
				require.LessOrEqual(t, a.ComAcceleration.Sub(b.ComAcceleration).Norm(), 1e-13*size, "%s of %s", b.Name, model)
				require.LessOrEqual(t, a.AngularAcceleration.Sub(b.AngularAcceleration).Norm(), 1e-13*size, "%s of %s", b.Name, model)
			}
			assert.Equal(t, want.Energy, got.Energy)
			c, d := want.Constraints, got.Constraints
			require.Equal(t, []int{c.Rows, c.Rank, c.Redundant, c.Mobility}, []int{d.Rows, d.Rank, d.Redundant, d.Mobility}, model)
			rows := len(d.RedundantCouplings)
			for _, j := range d.RedundantJoints {
				rows += j.Rows
			}
			assert.Equal(t, c.Redundant, rows, model)
			if c.Redundant > 0 {
				require.Empty(t, got.Joints)
				continue
			}
			force := 0.0
			for i := range want.Joints {
				force = max(force, want.Joints[i].TotalWrench.Force.Norm(), want.Joints[i].TotalWrench.Moment.Norm())
			}
			require.Len(t, got.Joints, len(want.Joints))
			for i := range want.Joints {
				a, b := &got.Joints[i], &want.Joints[i]
				require.Equal(t, b.Name, a.Name)
				require.LessOrEqual(t, a.TotalWrench.Force.Sub(b.TotalWrench.Force).Norm(), 1e-12*force, "%s of %s", b.Name, model)
				require.LessOrEqual(t, a.TotalWrench.Moment.Sub(b.TotalWrench.Moment).Norm(), 1e-12*force, "%s of %s", b.Name, model)
				require.LessOrEqual(t, a.ConstraintWrench.Force.Sub(b.ConstraintWrench.Force).Norm(), 1e-12*force, "%s of %s", b.Name, model)
			}
		}
		requireColumns(t, ok(t, "accel", model, "--ranks", "3"))
	}
}

// The table and the document of rung bench --ranks have a row a rank, whose bodies are all there are.
func TestBenchRanks(t *testing.T) {
	tables := filepath.Join(t.TempDir(), "ladder.tables")
	ok(t, "export", generated(t, "ladder", "90"), "-o", tables)
	for _, args := range [][]string{{"ladder", "600"}, {"grid", "6"}, {generated(t, "nfourbar", "9")}, {tables}} {
		args = append([]string{"bench", "--ranks", "3", "--min-seconds", "0.001"}, args...)
		var doc struct{ Ranks growth.RanksRecord }
		require.NoError(t, json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &doc))
		r := doc.Ranks
		assert.Equal(t, 3, r.Ranks)
		require.Len(t, r.Pieces, 3)
		bodies := int64(0)
		for i, p := range r.Pieces {
			assert.Equal(t, i, p.Rank)
			assert.Positive(t, p.HeldRows)
			assert.Positive(t, p.Flops)
			assert.Positive(t, p.WorkNs)
			assert.Positive(t, p.BytesSent)
			bodies += p.Bodies
		}
		assert.Equal(t, r.Bodies, bodies)
		assert.Equal(t, args[len(args)-2] == "ladder" || args[len(args)-1] == tables, r.ByRanges)
		assert.GreaterOrEqual(t, r.Evaluations, 3)
		text := ok(t, args...)
		requireColumns(t, text)
		assert.Contains(t, strings.Join(strings.Fields(text), " "), "3 ranks, root go") // long names move it to the next line
	}
}
