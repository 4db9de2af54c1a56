package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// copied is a model of the golden ones in a folder of its own.
func copied(t *testing.T, name string) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, "m.json")
	require.NoError(t, os.WriteFile(path, []byte(readText(t, golden(name))), 0o640))
	return dir, path
}

// requireFiles requires that a folder has these files and no others.
func requireFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	require.ElementsMatch(t, names, got)
}

// fullWriter is standard output on a full disk.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// TestFullDiskIsOneStatus: whatever is written, a full disk is status 1, in one line that names the file.
func TestFullDiskIsOneStatus(t *testing.T) {
	check.Long(t)
	dir, m := copied(t, "four-bar")
	inDir := func(name string) string { return filepath.Join(dir, name) }
	requireFull := func(file string, args ...string) {
		t.Helper()
		var stderr strings.Builder
		assert.Equal(t, shell.ExitFailed, command.RunTo(fullWriter{}, &stderr, "", args...), args)
		_, message, _ := strings.Cut(stderr.String(), "rung: ")
		if strings.HasPrefix(message, "warning") {
			_, message, _ = strings.Cut(message, "\nrung: ")
		}
		assert.Equal(t, file+": "+syscall.ENOSPC.Error()+"\n", message, args)
	}
	bench := []string{"bench", "--family", "ladder", "--sizes", "10", "--min-seconds", "0"}
	for _, args := range [][]string{
		{"--help"}, {"help", "accel"}, {"version"}, {"completion", "bash"},
		{"accel", m}, {"accel", m, "--json"}, {"analyze", m}, {"analyze", m, "--json"}, {"inverse", m, "--actuated", "p1"},
		{"assemble", m, "-o", "-"}, {"assemble", m, "-o", inDir("a.json")}, {"equilibrium", m}, {"modes", m}, {"modes", m, "--csv"},
		{"matrix", m, "-o", "-"}, {"matrix", m, "--spy", "-"}, {"generate", "ladder", "300", "-o", "-"},
		{"simulate", m, "--until", "0.1"}, {"simulate", m, "--until", "0.1", "--out", inDir("x.csv"), "--json"},
		bench, append(bench, "--json"), append(bench, "--csv", "-"),
		{"validate", standardFolder, "--model", "a01", "--short"}, {"validate", standardFolder, "--model", "a01", "--short", "--json"},
	} {
		requireFull("stdout", args...)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		return // files are in TestWhole
	}
	for _, ending := range []string{".csv", ".svg"} {
		require.NoError(t, os.Symlink("/dev/full", inDir("full"+ending)))
	}
	csv, svg := inDir("full.csv"), inDir("full.svg")
	simulate := []string{"simulate", m, "--until", "0.1", "--quiet", "--out"}
	requireFull(csv, append(simulate, csv)...)
	requireFull(svg, append(simulate, inDir("x.csv"), "--plot", svg)...)
	requireFull("/dev/full", append(simulate, inDir("x.csv"), "--checkpoint", "/dev/full")...)
	requireFull("/dev/full", "matrix", m, "-o", "/dev/full", "--rhs", inDir("b.mtx"))
	requireFull(svg, "matrix", m, "--spy", svg)
	requireFull("/dev/full", "assemble", m, "-o", "/dev/full")
	requireFull("/dev/full", "generate", "ladder", "3", "-o", "/dev/full")
}

// TestSecondWriter: while somebody writes a file, nobody else does.
func TestSecondWriter(t *testing.T) {
	dir, m := copied(t, "four-bar")
	inDir := func(name string) string { return filepath.Join(dir, name) }
	run := func(more ...string) []string {
		return append([]string{"simulate", m, "--until", "0.1", "--quiet"}, more...)
	}
	page := inDir("page.md")
	require.NoError(t, os.WriteFile(page, []byte(simulate.ValidateBegin+simulate.ValidateEnd), 0o600))
	for held, args := range map[string][]string{
		"m.json":    {"assemble", m, "-o", m},
		"e.json":    {"equilibrium", m, "-o", inDir("e.json")},
		"l.json":    {"generate", "ladder", "3", "-o", inDir("l.json")},
		"K.rhs.mtx": {"matrix", m, "-o", inDir("K.mtx")},
		"b.csv":     {"bench", "--family", "ladder", "--sizes", "10", "--csv", inDir("b.csv")},
		"page.md":   {"validate", standardFolder, "--model", "a01", "--short", "--write", page},
		"x.csv":     run("--out", inDir("x.csv")),
		"x.parquet": run("--out", inDir("x.parquet"), "--checkpoint", inDir("c")),
		"x.ckpt":    run("--out", inDir("y.csv"), "--checkpoint", inDir("x.ckpt")),
		"x.svg":     run("--out", inDir("z.csv"), "--plot", inDir("x.svg")),
	} {
		p, err := outfile.Hold(inDir(held))
		require.NoError(t, err)
		r := rungRun(args...)
		assert.Equal(t, shell.ExitUse, r.Status, args)
		assert.Equal(t, fmt.Sprintf("rung: %s: another run is writing this file\n", inDir(held)), r.Err)
		require.NoError(t, p.Release())
	}
	requireFiles(t, dir, "m.json", "page.md")
	assert.Equal(t, readText(t, golden("four-bar")), readText(t, m))
}

// TestOneFile: a file is the same one by links and by other names, and no output destroys an input or another
// output.
func TestOneFile(t *testing.T) {
	dir, m := copied(t, "four-bar")
	inDir := func(name string) string { return filepath.Join(dir, name) }
	for _, ending := range []string{".csv", ".svg", ".ckpt", ".mtx"} {
		require.NoError(t, os.Link(m, inDir("hard"+ending)))
	}
	names := []string{"hard"}
	if os.Symlink("m.json", inDir("soft.csv")) == nil {
		for _, ending := range []string{".svg", ".ckpt", ".mtx"} {
			require.NoError(t, os.Symlink(m, inDir("soft"+ending)))
		}
		require.NoError(t, os.Symlink("new.svg", inDir("later.svg"))) // dangling
		require.NoError(t, os.Symlink(".", inDir("here")))
		names = append(names, "soft")
	}
	refused := func(says string, args ...string) {
		t.Helper()
		r := rungRun(args...)
		assert.Equal(t, shell.ExitUse, r.Status, args)
		assert.Contains(t, r.Err, says)
	}
	run := func(more ...string) []string { return append([]string{"simulate", m, "--until", "0.1"}, more...) }
	for _, n := range names {
		n = inDir(n)
		refused("would replace the model", run("--out", n+".csv")...)
		refused("would replace this file", run("--out", inDir("x.csv"), "--checkpoint", n+".ckpt")...)
		refused("would replace this file", run("--out", inDir("x.csv"), "--plot", n+".svg")...)
		refused("would replace the model", "matrix", m, "-o", n+".mtx")
		refused("would replace a model", "bench", m, "--csv", n+".csv")
	}
	if len(names) > 1 {
		refused("would replace this file", run("--out", inDir("x.csv"), "--checkpoint", inDir("new.svg"), "--plot", inDir("later.svg"))...)
		refused("would replace this file", run("--out", inDir("x.csv"), "--checkpoint", inDir("here/x.csv"))...)
		refused("two outputs in one file", "matrix", m, "-o", inDir("later.svg"), "--spy", inDir("here/new.svg"))
	}
	refused("would replace the model", "matrix", m, "-o", m)
	refused("two outputs in one file", "bench", "--csv", inDir("b.svg"), "--plot", inDir(".")+"/b.svg")
	assert.Equal(t, readText(t, golden("four-bar")), readText(t, m))
}

// TestInPlace writes a model over itself, by a link.
func TestInPlace(t *testing.T) {
	dir, m := copied(t, "four-bar")
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("m.json", link); err != nil {
		t.Skip(err)
	}
	require.NoError(t, os.Chmod(m, 0o604))
	ok(t, "assemble", link, "-o", link)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, fs.ModeSymlink, info.Mode().Type())
	if info, err = os.Stat(m); os.PathSeparator == '/' {
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o604), info.Mode())
	}
	ok(t, "accel", m)
	requireFiles(t, dir, "m.json", "link.json")
}

// TestSimulateKeepsOld: a run that ends early replaces a trajectory only if it can go on.
func TestSimulateKeepsOld(t *testing.T) {
	check.Long(t)
	for _, ending := range []string{simulate.CSVEnding, simulate.ParquetEnding} {
		dir, m := copied(t, "four-bar")
		out, ckpt := filepath.Join(dir, "x"+ending), filepath.Join(dir, "c")
		args := []string{"--until", "1", "--every", "0.01", "--step", "0.005", "--out", out}
		ok(t, append([]string{"simulate", m, "--quiet"}, args...)...)
		whole := readText(t, out)
		require.NoError(t, os.WriteFile(out, []byte("old"), 0o600))
		r := stopped(t, 50, m, args...)
		assert.Equal(t, "old", readText(t, out))
		beside := map[string]string{simulate.CSVEnding: "x.csv.rung-new", simulate.ParquetEnding: "x.parquet.parts"}[ending]
		message, _, _ := strings.Cut(r.Err, "\n")
		assert.Equal(t, fmt.Sprintf("%s: interrupted at t = 0.255 s; %s is as it was, the rows so far are in %s", m, out, filepath.Join(dir, beside)), message)
		requireFiles(t, dir, "m.json", "x"+ending, beside)
		if ending == simulate.CSVEnding {
			rows := readText(t, filepath.Join(dir, beside))
			assert.True(t, strings.HasPrefix(whole, rows) && strings.HasSuffix(rows, "\n"))
		}
		// The next run cleans up, and goes on where it can.
		args = append(args, "--checkpoint", ckpt)
		stopped(t, 50, m, args...)
		requireFiles(t, dir, "m.json", "x"+ending, "c")
		assert.NotEqual(t, "old", readText(t, out))
		ok(t, append([]string{"simulate", m, "--quiet", "--resume"}, args...)...)
		assert.Equal(t, whole, readText(t, out))
		requireFiles(t, dir, "m.json", "x"+ending, "c")
	}
}

// TestSimulateForeignRows: a run does not go on with the rows of another that has as many, or with a checkpoint that
// is damaged.
func TestSimulateForeignRows(t *testing.T) {
	check.Long(t)
	dir, m := copied(t, "four-bar")
	ckpt := filepath.Join(dir, "c")
	for _, ending := range []string{simulate.CSVEnding, simulate.ParquetEnding} {
		out := filepath.Join(dir, "x"+ending)
		args := []string{"simulate", m, "--until", "0.1", "--every", "0.001", "--step", "0.005", "--out", out, "--quiet"}
		ok(t, append(args, "--integrator", "rk4")...)
		other := readText(t, out)
		args = append(args, "--checkpoint", ckpt)
		ok(t, args...)
		require.NotEqual(t, other, readText(t, out))
		resumed := func(says string) {
			t.Helper()
			r := rungRun(append(args, "--resume", "--until", "0.2")...)
			assert.Equal(t, shell.ExitUse, r.Status)
			assert.Contains(t, r.Err, says)
			assert.NotContains(t, strings.TrimSpace(r.Err), "\n")
		}
		right := readText(t, out)
		if ending == simulate.CSVEnding {
			other = strings.Replace(right, "-0.05", "-0.06", 1)
			require.NotEqual(t, right, other)
		}
		require.NoError(t, os.WriteFile(out, []byte(other), 0o600))
		resumed("that of the rows of the run")
		assert.Equal(t, other, readText(t, out), "it is not changed")
		require.NoError(t, os.WriteFile(out, []byte(right), 0o600))
		mark := readText(t, ckpt)
		require.NoError(t, os.WriteFile(ckpt, []byte(strings.Replace(mark, `"rows":1`, `"rows":2`, 1)), 0o600))
		resumed("it is damaged: its checksum says")
		require.NoError(t, os.WriteFile(ckpt, []byte(mark), 0o600))
		ok(t, append(args, "--resume", "--until", "0.2")...)
	}
}
