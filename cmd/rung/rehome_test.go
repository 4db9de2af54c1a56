package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A model that is written to another folder finds the files of its terrains, curves and meshes from there; in the same folder and with absolute
// names nothing changes.
func TestModelInAnotherFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	absolute := filepath.ToSlash(filepath.Join(dir, "tracks", "line.csv"))
	require.NoError(t, os.MkdirAll("tracks", 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join("out", "deep"), 0o700))
	for name, text := range map[string]string{
		"tracks/line.csv": "0,0,0\n1,0.1,0\n2,0,0\n",
		"hill.csv":        "0,0.1,0,0\n0,0.2,0,0\n0,0.1,0,0\n0,0,0,0\n",
		"m.json": `{"format": "rung-model/1", "name": "m",
"bodies": [{"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0.5, 0.06, 0]}},
           {"name": "c", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0.5, 0.06, 0]}}],
"terrains": [{"name": "hill", "type": "csv", "file": "hill.csv", "layout": "matrix", "spacing": [1, 1]}],
"visuals": [{"body": "b", "kind": "mesh", "file": "b.stl", "scale": [1, 1, 1]}],
"joints": [{"name": "track", "type": "point_on_curve", "predecessor": "world", "successor": "b", "curve": {"kind": "spline", "file": "tracks/line.csv"}},
           {"name": "again", "type": "point_on_curve", "predecessor": "world", "successor": "c", "curve": {"kind": "spline", "file": "` + absolute + `"}}]}`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	ok(t, "assemble", "m.json", "-o", "out/deep/moved.json")
	text := readText(t, "out/deep/moved.json")
	for _, want := range []string{`"../../hill.csv"`, `"../../tracks/line.csv"`, `"../../b.stl"`, `"` + absolute + `"`} {
		assert.Contains(t, text, want)
	}
	ok(t, "accel", "out/deep/moved.json")
	ok(t, "export", "out/deep/moved.json", "-o", "out/back.tables")
	ok(t, "accel", "out/back.tables")
	ok(t, "export", "out/back.tables", "-o", "back.json")
	for _, want := range []string{`"hill.csv"`, `"tracks/line.csv"`, `"b.stl"`} {
		assert.Contains(t, readText(t, "back.json"), want)
	}
	assert.Contains(t, ok(t, "assemble", "out/deep/moved.json", "-o", "-"), `"tracks/line.csv"`)

	// The address of a file in a package is no path.
	require.NoError(t, os.WriteFile("p.json", []byte(strings.Replace(readText(t, "m.json"), "b.stl", "package://arm/b.stl", 1)), 0o600))
	ok(t, "assemble", "p.json", "-o", "out/p.json")
	assert.Contains(t, readText(t, "out/p.json"), `"package://arm/b.stl"`)
}
