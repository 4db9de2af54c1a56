package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
)

// sweepStudy is a study of a four-bar some of whose cranks are too long for it to close.
const sweepStudy = `{"format": "rung-study/1", "model": "m.json", "run": {"until": 0.05, "step": 0.01, "integrator": "rk4"},
 "sampling": {"type": "halton", "draws": %d, "seed": 3},
 "parameters": [
  {"name": "crank", "path": "joints[A].predecessor_frame.position[0]", "uniform": [0.9, 6]},
  {"name": "gravity", "path": "gravity[1]", "values": [-9.81, -1.62]}],
 "outputs": [{"column": "joint.O.q", "take": "max"}, {"column": "joint.O.q", "take": "final"}, {"column": "energy.kinetic", "take": "min"}],
 "trajectories": ["joint.*.q"]}`

// sweepFolder returns a folder with model and study.
func sweepFolder(t *testing.T, draws int) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile("../../docs/four-bar.model.json")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.json"), text, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s.json"), fmt.Appendf(nil, sweepStudy, draws), 0o666))
	return dir
}

func sweepArgs(dir, name string, more ...string) []string {
	return append([]string{
		"sweep", filepath.Join(dir, "s.json"), "-o", filepath.Join(dir, name+".parquet"), "--trajectories", filepath.Join(dir, name+"-paths.parquet"),
	}, more...)
}

// tableOf returns the rows of a Parquet file as text.
func tableOf(t *testing.T, path string) (names []string, rows [][]string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	p, err := pq.OpenFile(f, info.Size())
	require.NoError(t, err)
	for _, c := range p.Root().Columns() {
		names = append(names, c.Name())
	}
	for _, g := range p.RowGroups() {
		r := g.Rows()
		buf := make([]pq.Row, 64)
		for {
			n, err := r.ReadRows(buf)
			for _, row := range buf[:n] {
				var list []string
				for _, v := range row {
					list = append(list, v.String())
				}
				rows = append(rows, list)
			}
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, r.Close())
	}
	return names, rows
}

func sameBytes(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	require.NoError(t, err)
	y, err := os.ReadFile(b)
	require.NoError(t, err)
	require.True(t, string(x) == string(y), "%s and %s differ", a, b)
}

// TestSweep: a row for each run with what rung simulate of the changed model gives, failures with their reason, the
// same bytes for any number of threads, and shares that are the whole.
func TestSweep(t *testing.T) {
	check.Long(t)
	dir := sweepFolder(t, 40)
	at := func(name string) string { return filepath.Join(dir, name) }
	r := rungRun(sweepArgs(dir, "one")...)
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	ok(t, sweepArgs(dir, "four", "--threads", "4", "--quiet")...)
	sameBytes(t, at("one.parquet"), at("four.parquet"))
	sameBytes(t, at("one-paths.parquet"), at("four-paths.parquet"))

	names, rows := tableOf(t, at("one.parquet"))
	require.Equal(t, []string{"run", "crank", "gravity", "status", "reason", "joint.O.q.max", "joint.O.q.final", "energy.kinetic.min"}, names)
	require.Len(t, rows, 80)
	pathNames, paths := tableOf(t, at("one-paths.parquet"))
	require.Equal(t, "run time joint.O.q joint.A.q joint.B.q joint.C.q", strings.Join(pathNames, " "))
	done, failed := 0, 0
	for i, row := range rows {
		require.Equal(t, fmt.Sprint(i), row[0])
		require.Equal(t, []string{"-9.81", "-1.62"}[i/40], row[2])
		if row[3] == "failed" {
			failed++
			assert.NotEmpty(t, row[4])
			assert.Equal(t, []string{"<null>", "<null>", "<null>"}, row[5:])
			continue
		}
		require.Equal(t, []string{"done", "<null>"}, row[3:5])
		if done++; done > 3 {
			continue
		}
		text, err := os.ReadFile(at("m.json"))
		require.NoError(t, err)
		changed := strings.Replace(strings.Replace(string(text), "[0, -9.81, 0]", "[0, "+row[2]+", 0]", 1), `"predecessor_frame": {"position": [1, 0, 0]`, `"predecessor_frame": {"position": [`+row[1]+`, 0, 0]`, 1)
		require.NotEqual(t, string(text), changed)
		require.NoError(t, os.WriteFile(at("changed.json"), []byte(changed), 0o666))
		ok(t, "simulate", at("changed.json"), "--until", "0.05", "--step", "0.01", "--integrator", "rk4", "--columns", "joint.*.q", "--out", at("changed.parquet"), "--quiet")
		_, want := tableOf(t, at("changed.parquet"))
		var got [][]string
		for _, p := range paths {
			if p[0] == row[0] {
				got = append(got, p[1:])
			}
		}
		require.Equal(t, want, got)
		require.Equal(t, want[len(want)-1][1], row[6])
	}
	require.Greater(t, done, 3)
	require.Greater(t, failed, 3)
	assert.Contains(t, r.Err, fmt.Sprintf("80 of 80 runs, from number 0 on: 80 computed now, %d of these failed", failed))

	var all, allPaths [][]string
	for i := range 3 {
		name := fmt.Sprint("share", i)
		ok(t, sweepArgs(dir, name, "--index", fmt.Sprint(i), "--of", "3", "--quiet")...)
		_, rows := tableOf(t, at(name+".parquet"))
		_, paths := tableOf(t, at(name+"-paths.parquet"))
		all, allPaths = append(all, rows...), append(allPaths, paths...)
	}
	require.Equal(t, rows, all)
	require.Equal(t, paths, allPaths)
	left, err := filepath.Glob(at("*.parts"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestSweepKilled: a sweep that is killed at random moments and gone on with leaves the files of one that was not.
func TestSweepKilled(t *testing.T) {
	check.Long(t)
	if args := os.Getenv("RUNG_SWEEP_ARGS"); args != "" {
		os.Exit(command.RunTo(io.Discard, os.Stderr, "", strings.Split(args, "\n")...))
	}
	dir := sweepFolder(t, 400)
	begun := time.Now()
	ok(t, sweepArgs(dir, "whole", "--quiet", "--threads", "2")...)
	killSweep(t, func(more ...string) []string {
		return sweepArgs(dir, "killed", append(more, "--quiet", "--threads", "2")...)
	}, time.Since(begun), 1)
	sameBytes(t, filepath.Join(dir, "whole.parquet"), filepath.Join(dir, "killed.parquet"))
	sameBytes(t, filepath.Join(dir, "whole-paths.parquet"), filepath.Join(dir, "killed-paths.parquet"))
}

// TestSweepDamaged: a part with one bit that is another one is named and computed again, wherever the bit is, and the files
// are those of a sweep that nothing has happened to.
func TestSweepDamaged(t *testing.T) {
	check.Long(t)
	if args := os.Getenv("RUNG_SWEEP_ARGS"); args != "" {
		os.Exit(command.RunTo(io.Discard, os.Stderr, "", strings.Split(args, "\n")...))
	}
	const parts, left = 14, 5 // of all; that a killed sweep leaves
	dir := sweepFolder(t, 16*parts)
	at := func(name string) string { return filepath.Join(dir, name) }
	ok(t, sweepArgs(dir, "whole", "--quiet")...)
	cmd := exec.Command(os.Args[0], "-test.run=^TestSweepDamaged$")
	cmd.Env = append(os.Environ(), "RUNG_SWEEP_ARGS="+strings.Join(sweepArgs(dir, "killed", "--quiet"), "\n"))
	require.NoError(t, cmd.Start())
	folders := [2]string{at("killed.parquet.parts"), at("killed-paths.parquet.parts")}
	require.Eventually(t, func() bool {
		names, err := filepath.Glob(filepath.Join(folders[0], "*.parquet"))
		return err != nil || len(names) >= left
	}, time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait(), "it was not killed")
	save := t.TempDir()
	for i, f := range folders {
		require.NoError(t, os.CopyFS(filepath.Join(save, fmt.Sprint(i)), os.DirFS(f)))
	}
	restore := func() {
		for i, f := range folders {
			require.NoError(t, os.RemoveAll(f))
			require.NoError(t, os.CopyFS(f, os.DirFS(filepath.Join(save, fmt.Sprint(i)))))
		}
		for _, name := range []string{"killed.parquet", "killed-paths.parquet"} {
			if err := os.Remove(at(name)); err != nil {
				require.ErrorIs(t, err, fs.ErrNotExist)
			}
		}
	}
	n := check.Random(4, 0)
	rng := check.Rand(1)
	for k := range n {
		restore()
		part := filepath.Join(folders[k%2], fmt.Sprintf("%08d.parquet", rng.IntN(left)))
		data, err := os.ReadFile(part)
		require.NoError(t, err)
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		require.NoError(t, os.WriteFile(part, data, 0o666))
		r := rungRun(sweepArgs(dir, "killed", "--quiet", "--resume")...)
		require.Equal(t, shell.ExitDone, r.Status, r.Err)
		require.Contains(t, r.Err, "rung: warning: "+part+": is damaged")
		require.Contains(t, r.Err, "are computed again")
		require.Equal(t, 1, strings.Count(r.Err, "\n"), r.Err)
		sameBytes(t, at("whole.parquet"), at("killed.parquet"))
		sameBytes(t, at("whole-paths.parquet"), at("killed-paths.parquet"))
		require.NoDirExists(t, folders[0])
		require.NoDirExists(t, folders[1])
	}
	// A file of somebody is none of ours, damaged or not, and stays; a damaged part is in nobody's way.
	restore()
	part := filepath.Join(folders[1], "00000001.parquet")
	require.NoError(t, os.WriteFile(part, []byte("mine"), 0o666))
	for _, more := range [][]string{{"--resume"}, nil} {
		r := rungRun(sweepArgs(dir, "killed", more...)...)
		require.Equal(t, shell.ExitUse, r.Status)
		require.Contains(t, r.Err, part+" is in the way of a part of the sweep, but is none")
		require.Equal(t, "mine", readText(t, part))
		restore()
		require.NoError(t, os.WriteFile(part, []byte("mine"), 0o666))
	}
	require.NoError(t, os.WriteFile(part, nil, 0o666))
	ok(t, sweepArgs(dir, "killed", "--quiet")...)
	sameBytes(t, at("whole-paths.parquet"), at("killed-paths.parquet"))
	// So is a table that is drawn.
	table := readText(t, at("whole.parquet"))
	require.NoError(t, os.WriteFile(at("bad.parquet"), []byte(table[:200]+string(table[200]^1)+table[201:]), 0o666))
	r := rungRun("sweep", at("s.json"), "--from", at("bad.parquet"), "--plot", at("x.svg"))
	require.Equal(t, shell.ExitUse, r.Status)
	require.Equal(t, "rung: "+at("bad.parquet")+": is damaged: its bytes are not those that were written\n", r.Err)
}

// killSweep runs a sweep that takes about a time in processes of their own, kills them at random moments, at least so
// often and until one has left a part, and goes on until it is done. A short run ends no more than that.
func killSweep(t *testing.T, args func(more ...string) []string, took time.Duration, least int) {
	t.Helper()
	rng, killed, parts := check.Rand(1), 0, 0
	list := args()
	folder := list[slices.Index(list, "-o")+1] + ".parts"
	for {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSweepKilled$")
		cmd.Env = append(os.Environ(), "RUNG_SWEEP_ARGS="+strings.Join(list, "\n"))
		require.NoError(t, cmd.Start())
		wait := time.Duration(rng.Float64()*0.5*float64(took)/float64(least)) + 100*time.Millisecond
		end := !testing.Short() || killed < least || parts == 0
		timer := time.AfterFunc(wait, func() {
			if end {
				_ = cmd.Process.Kill()
			}
		})
		err := cmd.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		require.False(t, cmd.ProcessState.Exited(), "ended by itself: %v", err)
		killed++
		left, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
		require.NoError(t, err)
		parts = max(parts, len(left))
		list = args("--resume")
		require.Less(t, killed, 200)
	}
	t.Logf("killed %d times; the whole takes %v", killed, took)
	require.GreaterOrEqual(t, killed, least)
	require.Positive(t, parts, "no kill left a part")
}

// TestSweepRefused: what is wrong with a study or a command line is refused before a file is touched.
func TestSweepRefused(t *testing.T) {
	type refusal struct{ old, new, want string }
	for _, c := range check.Some([]refusal{
		{"joints[A]", "joints[Z]", `s.json: $.parameters[0].path: the model has no entry "Z" in $.joints (value "joints[Z].predecessor_frame.position[0]")`},
		{`"energy.kinetic"`, `"energy.heat"`, `s.json: $.outputs[2].column: the model has no such column (value "energy.heat")`},
		{`"energy.kinetic"`, `"energy.*"`, `s.json: $.outputs[2].column: is more than one column; an output is one (value "energy.*")`},
		{`["joint.*.q"]`, `["joint.*.q", "joint.A.q"]`, `s.json: $.trajectories[1]: has column "joint.A.q" twice (value "joint.A.q")`},
		{`["joint.*.q"]`, `["wheel.*"]`, `s.json: $.trajectories[0]: the model has no such column (value "wheel.*")`},
		{`"until": 0.05`, `"until": -1`, `s.json: $.run.until: is not after the time of the model, 0 s (value -1)`},
		{`"until": 0.05`, `"until": 0.05, "every": 0.03`, `s.json: $.run.every: does not go into the run of 0.05 s without remainder: the last row would not be at its end (value 0.03)`},
		{`"until": 0.05`, `"until": 0.05, "every": 5`, `s.json: $.run.every: does not go into the run of 0.05 s without remainder: the last row would not be at its end (value 5)`},
		{`"step": 0.01`, `"step": 1e-13`, `s.json: $.run.step: step 1e-13 over 0.05 s takes 5e+11 steps, more than 1e+11 steps: give a longer step`},
		{`"draws": 4`, `"draws": 5000000`, `s.json: $.run.every: the trajectories of 1e+07 runs: takes 1.01e+09 rows, more than 1e+09 rows: take fewer runs, or cut them into shares (--of) (value 0.0005)`},
		{`"step": 0.01`, `"every": 0.05, "step": 1e-12`, `s.json: $.run.step: 8 runs: takes 4e+11 steps, more than 1e+11 steps: take fewer runs, or cut them into shares (--of) (value 1e-12)`},
		{`m.json`, `m.txt`, `s.json: $.model: is no file of a model: those end in json, urdf`},
		{`"step": 0.01`, `"step": 0.01, "method": "lu"`, `s.json: $.run.method: must be one of sparse, tree-direct, tree-lambda, tree-projection (value "lu")`},
		{`"step": 0.01`, `"step": 0.01, "stabilize": "glue"`, `s.json: $.run.stabilize: must be one of projection, baumgarte, none (value "glue")`},
		{`"step": 0.01`, `"step": 0.01, "rho": 0.5`, `s.json: $.run.rho: rho is of generalized-alpha, not of rk4`},
		{`"step": 0.01`, `"step": 0.01, "method": "tree-lambda", "stabilize": "baumgarte"`, `s.json: $.run.stabilize: stabilize baumgarte needs method sparse`},
	}, 4) {
		dir := sweepFolder(t, 4)
		text := strings.Replace(fmt.Sprintf(sweepStudy, 4), c.old, c.new, 1)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "s.json"), []byte(text), 0o666))
		r := rungRun(sweepArgs(dir, "out")...)
		assert.Equal(t, shell.ExitUse, r.Status, c.want)
		assert.Contains(t, r.Err, c.want)
		assert.NoFileExists(t, filepath.Join(dir, "out.parquet"))
	}
	dir := sweepFolder(t, 4)
	s, out := filepath.Join(dir, "s.json"), filepath.Join(dir, "out.parquet")
	for want, args := range map[string][]string{
		"missing -o FILE.parquet":                                  {"sweep", s},
		"--index 2 is not from 0 to 1":                             {"sweep", s, "-o", out, "--index", "2", "--of", "2"},
		"--index I and --of N belong together":                     {"sweep", s, "-o", out, "--index", "2"},
		"the study keeps trajectories: give --trajectories a file": {"sweep", s, "-o", out},
		"out.csv: the files of a sweep end in .parquet":            {"sweep", s, "-o", filepath.Join(dir, "out.csv")},
	} {
		r := rungRun(args...)
		assert.Equal(t, shell.ExitUse, r.Status, want)
		assert.Contains(t, r.Err, want)
	}

	r := rungRun(sweepArgs(dir, filepath.Join("nothere", "a"))...)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, filepath.Join("nothere", "a.parquet")+": no such file or directory")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.parquet"), 0o777))
	r = rungRun(sweepArgs(dir, "folder")...)
	assert.NotEqual(t, shell.ExitDone, r.Status)
	assert.Contains(t, r.Err, "folder.parquet: is a folder")

	ok(t, sweepArgs(dir, "a", "--quiet")...)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "b.parquet.parts"), 0o777))
	whole, err := os.ReadFile(filepath.Join(dir, "a.parquet"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.parquet.parts", "00000000.parquet"), whole, 0o666))
	other := strings.Replace(fmt.Sprintf(sweepStudy, 4), `"seed": 3`, `"seed": 4`, 1)
	require.NoError(t, os.WriteFile(s, []byte(other), 0o666))
	r = rungRun(sweepArgs(dir, "b", "--resume")...)
	assert.NotEqual(t, shell.ExitDone, r.Status)
	assert.Contains(t, r.Err, "is not of this sweep: the study, its model or its share is another one")
	ok(t, sweepArgs(dir, "b", "--quiet")...) // anew
	_, rows := tableOf(t, filepath.Join(dir, "b.parquet"))
	require.Len(t, rows, 8)
}

// TestSweepOfImport: the model may be of any format that is imported, and the runs are those of the document that rung
// import makes; options of a run are those of rung simulate.
func TestSweepOfImport(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	ok(t, "export", golden("four-bar"), "-o", at("m.urdf"))
	ok(t, "import", at("m.urdf"), "-o", at("m.json"))
	var tables [2][][]string
	for k, name := range []string{"m.urdf", "m.json"} {
		text := `{"format": "rung-study/1", "model": "` + name + `", "run": {"until": 0.02, "step": 0.01, "integrator": "rk4", "method": "tree-direct", "stabilize": "none"},
		 "parameters": [{"path": "bodies[0].mass", "values": [1, 2]}, {"path": "gravity[1]", "values": [-9.81]}], "outputs": [{"column": "energy.kinetic", "take": "final"}]}`
		require.NoError(t, os.WriteFile(at("s.json"), []byte(text), 0o666))
		ok(t, "sweep", at("s.json"), "-o", at("s.parquet"), "--quiet")
		_, tables[k] = tableOf(t, at("s.parquet"))
		require.Equal(t, "done", tables[k][1][3])
	}
	require.Equal(t, tables[0], tables[1])
	require.NotEqual(t, tables[0][0][5], tables[0][1][5])
}
