package arch_test

import (
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

// TestReadmeProgramRuns runs the program in README.md against this module and
// compares what it prints.
func TestReadmeProgramRuns(t *testing.T) {
	m := program.FindStringSubmatch(page(t, "README.md"))
	require.NotNil(t, m, "README.md has no program with its output")
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(m[1]), 0o600))
	cmd := exec.Command("go", "run", file)
	cmd.Dir = root(t)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, m[2], string(out))
}
