package arch_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program is a whole program in a page, and the output printed after it.
var program = regexp.MustCompile("(?s)```go\n(package main\n.*?)```.*?```text\n(.*?)```")

// TestProgramsRun runs the programs in README.md and in the tutorial as their
// readers do, in a module of their own outside the repository, and compares what
// they print.
func TestProgramsRun(t *testing.T) {
	for _, name := range []string{"README.md", "docs/tutorial.md"} {
		t.Run(name, func(t *testing.T) {
			m := program.FindStringSubmatch(page(t, name))
			require.NotNil(t, m, "no program with its output")
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(m[1]), 0o600))
			const module = "github.com/rung-mbd/rung"
			for _, args := range [][]string{
				{"mod", "init", "example.com/program"},
				{"mod", "edit", "-require", module + "@v0.0.0", "-replace", module + "=" + root(t)},
				{"mod", "tidy"},
			} {
				run(t, dir, args...)
			}
			assert.Equal(t, m[2], run(t, dir, "run", "."))
		})
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
