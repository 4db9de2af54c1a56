package arch_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFromOutside runs a program that uses what a program of another module may want: all of it
// is exported and has exported types.
func TestFromOutside(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "outside.go.txt"))
	require.NoError(t, err)
	assert.Equal(t, `job 7: lower turns at 13.67 rad/s²
{"problems":[{"file":"model","path":"$.bodies[0].inertia","rule":"missing field"},{"file":"model","path":"$.bodies[0].mass","value":"-1","rule":"is not positive"}]}
joint 2, "rail": axis [0 0 0] is zero or not finite
blocks of 4 nodes factored
`, outside(t, string(text)))
}

// outside runs a program in a module of its own and returns what it prints.
func outside(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
	module(t, dir)
	return run(t, dir, "run", ".")
}

// module makes dir a module of its own, which takes this one from its folder.
func module(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{
		{"mod", "init", "example.com/program"},
		{"mod", "edit", "-require", modulePath + "@v0.0.0", "-replace", modulePath + "=" + root(t)},
		{"mod", "tidy"},
	} {
		run(t, dir, args...)
	}
}

// run runs go in dir and returns what it wrote to standard output.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	require.NoError(t, cmd.Run(), "go %v: %s", args, &stderr)
	return stdout.String()
}
