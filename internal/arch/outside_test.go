package arch_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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

// TestReadmeFigures: what README.md says of peers is what docs/benchmarks.md has measured.
func TestReadmeFigures(t *testing.T) {
	readme, benchmarks := page(t, "README.md"), page(t, "docs/benchmarks.md")
	measured := map[string][]string{} // by mechanism and step
	mechanism := ""
	for _, cells := range tableRows(t, benchmarks, "### Beside MuJoCo") {
		if cells[0] != "" {
			mechanism = cells[0]
		}
		measured[mechanism+", "+cells[1]] = cells[2:]
	}
	compared, rows := 0, tableRows(t, readme, "## Beside others")
	for i, row := range rows {
		name, step, ok := strings.Cut(strings.TrimSuffix(row[0], ": time"), ", step of ")
		if !ok {
			continue
		}
		known := map[string]string{"four-bar": "four-bar", "Andrews' mechanism": "Andrews", "Stewart platform": "Stewart"}[name]
		m := measured[known+", RK4, "+step]
		require.NotEmpty(t, m, row[0])
		compared++
		number := strings.NewReplacer(" ns", "", " m", "", " ", "", "·10⁻", "e-", "¹", "1", "⁹", "9", "³", "3", "⁴", "4", "⁵", "5")
		assert.Equal(t, []string{m[2], m[0]}, []string{number.Replace(row[1]), number.Replace(row[3])}, row[0])
		errors := rows[i+1]
		assert.Equal(t, []string{m[3], m[1]}, []string{number.Replace(errors[1]), number.Replace(errors[3])}, errors[0])
	}
	assert.Equal(t, 3, compared)

	least, most := map[string]float64{}, map[string]float64{}
	for _, cells := range tableRows(t, benchmarks, "## Figures") {
		figure, _, _ := strings.Cut(cells[0], ":")
		v, err := strconv.ParseFloat(cells[2], 64)
		require.NoError(t, err)
		if least[figure] == 0 {
			least[figure], most[figure] = v, v
		}
		least[figure], most[figure] = min(least[figure], v), max(most[figure], v)
	}
	ldl, all := "factor + solve / SuiteSparse LDL", "factor / fastest of all solvers"
	assert.Contains(t, strings.Join(strings.Fields(readme), " "), fmt.Sprintf("in %.2f to %.2f of the time of SuiteSparse LDL, and factors a net in %.2f to %.2f of the time of the fastest",
		least[ldl], most[ldl], least[all], most[all]))
}
