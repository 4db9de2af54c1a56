package main

import (
	"encoding/csv"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/families"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	mbd "github.com/rung-mbd/rung/model"
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
	check.Long(t)
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
	check.Long(t)
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
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "checkpoint")
	r = rungRun("simulate", model, "--until", "0.4", "--ranks", "3", "-o", parts, "--checkpoint", filepath.Join(dir, "none"), "--resume")
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "no checkpoint that all of 3 ranks have")
}

// Runs on ranks are led over singular poses, and count the steps that do so.
func TestSimulateRanksSingular(t *testing.T) {
	var s simulate.Simulation
	require.NoError(t, json.Unmarshal([]byte(ok(t, "simulate", filepath.Join(reference, "hard", "sim-parallelogram.json"), "--until", "0.5", "--ranks", "2",
		"--out", filepath.Join(t.TempDir(), "out.csv"), "--json")), &s))
	assert.Positive(t, s.Singular)
	assert.Nil(t, s.Undecided)
}

// What ranks do not do is refused by name, with one line and status 2.
func TestRanksRefused(t *testing.T) {
	model := generated(t, "ladder", "20")
	rover := generated(t, "rover", "1")
	struck := leg(t, func(m *mbd.Model) { m.Joints[0].Friction = nil })
	for want, args := range map[string][]string{
		`"x" is neither mpi nor a number`: {"simulate", model, "--until", "1", "--ranks", "x"},
		"--root mumps needs --ranks mpi":  {"simulate", model, "--until", "1", "--ranks", "2", "--root", "mumps"},
		"--low-rank needs --root mumps":   {"simulate", model, "--until", "1", "--ranks", "2", "--low-rank", "1e-9"},
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
		"nix.tables/head.json: no such":   {"bench", "--ranks", "2", "nix.tables"},
		"--events is not for --ranks":     {"simulate", rover, "--until", "1", "--ranks", "2", "--events", "e.csv"},
		"a stop with an impact speed":     {"simulate", struck, "--until", "1", "--ranks", "2"},
	} {
		r := rungRun(args...)
		assert.Equal(t, shell.ExitUse, r.Status, want)
		assert.Contains(t, r.Err, want)
		assert.Empty(t, r.Out)
		assert.LessOrEqual(t, strings.Count(r.Err, "\n"), 2, r.Err)
	}
}

// onRanksTol is how far numbers of a document with --ranks are from
// those without it, relative to the largest of their kind.
const onRanksTol = 1e-13

// The document on ranks is that of one process, without the fields that it lists as left out.
func TestAccelRanks(t *testing.T) {
	check.Long(t)
	for _, model := range []string{
		generated(t, "ladder", "30"), generated(t, "grid", "4"), generated(t, "nfourbar", "7"), generated(t, "gear-train", "6"), generated(t, "excavator", "2"),
		generated(t, "belt", "5"), generated(t, "random", "40"), golden("springs"), golden("four-bar"), golden("stewart-6ups"), golden("driven-mixed"), golden("islands"),
	} {
		one := ok(t, "accel", model, "--json")
		for _, n := range []string{"1", "3"} {
			sameDocuments(t, one, ok(t, "accel", model, "--ranks", n, "--json"), onRanksTol)
		}
		text := ok(t, "accel", model, "--ranks", "3")
		clitest.RequireColumns(t, text)
		assert.Contains(t, text, "in 3 pieces")
		assert.Contains(t, text, "left out")
	}
}

// sameDocuments requires many, a document of ranks, to be one, that of one process: what is left out is not there, what
// the solution has cost is its own, and all else is equal, numbers to tol of the largest of their kind.
func sameDocuments(t *testing.T, one, many string, tol float64) {
	t.Helper()
	clitest.MustFit(t, "result", many)
	var r rung.Result
	require.NoError(t, json.Unmarshal([]byte(many), &r))
	require.NotNil(t, r.Ranks)
	var want, got map[string]any
	require.NoError(t, json.Unmarshal([]byte(one), &want))
	require.NoError(t, json.Unmarshal([]byte(many), &got))
	for _, x := range r.LeftOut {
		require.NotEmpty(t, x.Reason)
		for _, field := range x.Fields {
			list, name, _ := strings.Cut(field, ".")
			for _, doc := range []map[string]any{want, got} {
				entries, ok := doc[list].([]any)
				if !ok {
					entries = []any{doc[list]}
				}
				for _, e := range entries {
					if e, ok := e.(map[string]any); ok {
						if _, there := e[name]; there && doc["ranks"] != nil {
							t.Errorf("%s is left out and there", field)
						}
						delete(e, name)
					}
				}
			}
		}
	}
	bodies := 0
	for i, p := range r.Ranks.Pieces {
		require.Equal(t, i, p.Rank)
		bodies += p.Bodies
	}
	require.Equal(t, len(r.Bodies), bodies)
	a, b := want["solve"].(map[string]any), got["solve"].(map[string]any)
	require.Equal(t, a["unknowns"], b["unknowns"])
	require.Less(t, b["residual"], 1e-14)
	for _, doc := range []map[string]any{want, got} {
		delete(doc, "solve")
		delete(doc, "ordering")
		delete(doc, "ranks")
		delete(doc, "left_out")
		c := doc["constraints"].(map[string]any) // which of dependent rows are named depends on the order
		rows := 0.0
		for _, j := range c["redundant_joints"].([]any) {
			rows += j.(map[string]any)["rows"].(float64)
		}
		couplings, _ := c["redundant_couplings"].([]any)
		require.Equal(t, c["redundant"], rows+float64(len(couplings)))
		delete(c, "redundant_joints")
		delete(c, "redundant_couplings")
	}
	size := make(map[string]float64)
	kind := func(path string) string { // accelerations are of one kind, and wrenches
		switch {
		case strings.HasSuffix(path, "_acceleration"):
			return "acceleration"
		case strings.Contains(path, "_wrench."):
			return "wrench"
		}
		return path
	}
	walk("", want, func(path string, v any) {
		if x, ok := v.(float64); ok {
			size[kind(path)] = max(size[kind(path)], math.Abs(x))
		}
	})
	var values []any
	walk("", want, func(_ string, v any) { values = append(values, v) })
	i := 0
	walk("", got, func(path string, v any) {
		require.Less(t, i, len(values), path)
		if x, ok := v.(float64); ok {
			y, ok := values[i].(float64)
			require.True(t, ok, path)
			require.LessOrEqual(t, math.Abs(x-y), tol*size[kind(path)], "%s of %s: %v and %v", path, r.Name, x, y)
		} else {
			require.Equal(t, values[i], v, path)
		}
		i++
	})
	require.Len(t, values, i)
}

// walk visits the values of a document in the order of their names; entries of a list have one path.
func walk(path string, v any, visit func(path string, v any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			visit(path, name)
			walk(path+"."+name, v[name], visit)
		}
	case []any:
		for _, x := range v {
			walk(path, x, visit)
		}
	default:
		visit(path, v)
	}
}

// The table and the document of rung bench --ranks have a row a rank, whose bodies are all there are.
func TestBenchRanks(t *testing.T) {
	check.Long(t)
	tables := filepath.Join(t.TempDir(), "ladder.tables")
	ok(t, "export", generated(t, "ladder", "90"), "-o", tables)
	for _, args := range [][]string{{"ladder", "600"}, {"grid", "6"}, {generated(t, "nfourbar", "9")}, {tables}} {
		args = append([]string{"bench", "--ranks", "3", "--min-seconds", "0.001"}, args...)
		var doc struct{ Ranks families.RanksRecord }
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
		clitest.RequireColumns(t, text)
		assert.Contains(t, strings.Join(strings.Fields(text), " "), "3 ranks, root go") // long names move it to the next line
	}
}

// Of a model in tables each rank reads its range. Accelerations, reactions and trajectories are those of one process.
func TestRanksOfTables(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	model, tables := generated(t, "ladder", "90"), filepath.Join(dir, "ladder.tables")
	ok(t, "export", model, "-o", tables)
	var want, have rung.Result
	require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", model, "--json")), &want))
	require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", tables, "--json", "--ranks", "3")), &have))
	require.Len(t, have.Ranks.Pieces, 3)
	assert.Equal(t, 30, have.Ranks.Pieces[1].Bodies)
	assert.Equal(t, 4, have.Ranks.Pieces[1].Halo, "ranges have two bodies beyond each end")
	require.Len(t, have.Bodies, len(want.Bodies))
	for i := range want.Bodies {
		a, b := have.Bodies[i], want.Bodies[i]
		require.Equal(t, b.Name, a.Name)
		check.CloseVec(t, a.ComAcceleration[:], b.ComAcceleration[:], 1e-12, 10, "%s", b.Name)
		check.CloseVec(t, a.AngularAcceleration[:], b.AngularAcceleration[:], 1e-12, 10, "%s", b.Name)
	}
	require.Len(t, have.Joints, len(want.Joints))
	for i := range want.Joints {
		a, b := have.Joints[i].ConstraintWrench, want.Joints[i].ConstraintWrench
		check.CloseVec(t, a.Force[:], b.Force[:], 1e-11, 1000, "%s", want.Joints[i].Name)
	}

	args := []string{"--until", "0.1", "--every", "0.01", "--bodies", "L3,R40"}
	one, three := filepath.Join(dir, "1.csv"), filepath.Join(dir, "3.csv")
	ok(t, append([]string{"simulate", model, "-o", one}, args...)...)
	ok(t, append([]string{"simulate", tables, "-o", three, "--ranks", "3", "--checkpoint", filepath.Join(dir, "c")}, args...)...)
	sameRuns(t, one, three, 1e-8)
	ok(t, "simulate", tables, "-o", three, "--ranks", "3", "--checkpoint", filepath.Join(dir, "c"), "--resume", "--until", "0.2", "--every", "0.01", "--bodies", "L3,R40")

	// What is in the head of the tables, springs, drives and limits, is seen by rank 0; other bodies bring their energy.
	m, err := rung.Open(generated(t, "nfourbar", "20"))
	require.NoError(t, err)
	m.Forces = append(m.Forces, mbd.ForceElement{
		Name: "far", Type: mbd.SpringDamper, A: mbd.Attachment{Body: m.Bodies[3].Name}, B: mbd.Attachment{Body: m.Bodies[37].Name}, Stiffness: 0.2, RestLength: 1,
	})
	pin := slices.IndexFunc(m.Joints, func(j mbd.Joint) bool { return j.Type == joints.Revolute })
	m.Joints[pin].Stiffness, m.Joints[pin].Rest = []float64{2}, []float64{0.1}
	sprung, head := filepath.Join(dir, "sprung.json"), filepath.Join(dir, "sprung.tables")
	out, err := os.Create(sprung)
	require.NoError(t, err)
	require.NoError(t, mbd.Write(out, m))
	require.NoError(t, out.Close())
	ok(t, "export", sprung, "-o", head)
	whole := ok(t, "accel", sprung, "--json")
	for _, n := range []string{"1", "2", "3"} {
		sameDocuments(t, whole, ok(t, "accel", head, "--json", "--ranks", n), onRanksTol)
	}
	assert.Contains(t, ok(t, "accel", head, "--ranks", "3"), "and 21 more bodies")
	for _, columns := range []string{m.Bodies[7].Name + ".p?,joint.*.qd,energy.*,drift.*", "joint." + m.Joints[pin].Name + ".q,energy.*"} {
		args := []string{"simulate", "--until", "0.1", "--every", "0.01", "--columns", columns, "-o"}
		ok(t, append(args, one, sprung)...)
		ok(t, append(args, three, head, "--ranks", "3")...)
		sameRuns(t, one, three, 1e-8)
	}

	commands := [][]string{{"accel", tables}, {"simulate", tables, "--until", "0.01", "-o", three}}
	for _, command := range commands { // more ranks than bodies
		ok(t, append(command, "--ranks", "120")...)
	}
	refused := func(want string) {
		for _, command := range commands {
			r := rungRun(append(command, "--ranks", "3")...)
			assert.Equal(t, shell.ExitUse, r.Status)
			assert.Equal(t, 1, strings.Count(r.Err, "\n"), r.Err)
			assert.Contains(t, r.Err, want)
		}
	}
	file := oneFile(t, filepath.Join(tables, "joints-*.parquet"))
	require.NoError(t, os.Truncate(file, 500))
	refused(file + ": is damaged")
	require.NoError(t, os.Remove(file))
	refused(file + ": no such file or directory")
	r := rungRun("accel", tables)
	assert.Contains(t, r.Err, file+": no such file or directory")
}
