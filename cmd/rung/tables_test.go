package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// A model goes to tables and back with all its bytes; commands read tables, and say which file is not one.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	folder, back := filepath.Join(dir, "m.tables"), filepath.Join(dir, "m.json")
	from := golden("driven-crank")
	clitest.MustFit(t, "export", ok(t, "export", from, "-o", folder, "--json"))
	ok(t, "export", folder, "-o", back)
	again := filepath.Join(dir, "again.json")
	ok(t, "export", from, "-o", again)
	want, err := os.ReadFile(again)
	require.NoError(t, err)
	got, err := os.ReadFile(back)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
	assert.Equal(t, ok(t, "accel", again), ok(t, "accel", folder))
	joints := oneFile(t, filepath.Join(folder, "joints-*.parquet"))
	require.NoError(t, os.Truncate(joints, 300))
	r := rungRun("accel", folder)
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "rung: "+joints+": is damaged")
}

// oneFile returns the file that fits a pattern.
func oneFile(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, names, 1)
	return names[0]
}
