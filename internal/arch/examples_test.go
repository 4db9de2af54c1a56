package arch_test

import (
	"bytes"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// outputTol is the last digit of what the examples print, and a rounding of it more.
const outputTol = 1e-4

// isExample reports whether a package is one of the programs in examples/.
func isExample(pkg string) bool { return path.Dir(pkg) == "examples" }

// TestExamplesAreListed compares the programs in examples/ with the table of docs/examples.md. They import what users
// can import, and of modules of others gonum alone.
func TestExamplesAreListed(t *testing.T) {
	listed, exist := map[string]bool{}, map[string]bool{}
	for _, cells := range tableRows(t, page(t, "docs/examples.md"), "## Programs") {
		m := link.FindStringSubmatch(cells[0])
		require.NotNil(t, m, "row %v", cells)
		listed[strings.TrimPrefix(m[1], "../")] = true
	}
	for _, f := range sources(t) {
		if !isExample(f.pkg) {
			continue
		}
		exist[f.pkg] = true
		for _, i := range f.imports {
			own, _ := ownPackage(i)
			assert.False(t, foreign(i) && !within(i, "gonum.org/v1/gonum") || strings.HasPrefix(own, "internal/"), "%s imports %s", f.path, i)
		}
	}
	assert.Equal(t, exist, listed)
}

// TestExamplesRun builds the programs in examples/, runs each in its folder, and compares what it prints with its
// output.txt. Numbers that a program has found in two ways have to agree.
//
//rung:norace the goroutines run processes that are built without the detector
func TestExamplesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("links all the programs")
	}
	program := together(t)
	for name := range examplePrograms(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			cmd := program(name)
			cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(root(t), "examples", name), &stdout, &stderr
			require.NoError(t, cmd.Run(), "%s", &stderr)
			byHand(t, stdout.String())
			check.GoldenNumbers(t, "../../../examples/"+name+"/output.txt", stdout.Bytes(), outputTol, 1)
		})
	}
}

// examplePrograms returns the programs in examples/.
func examplePrograms(t *testing.T) map[string]string {
	t.Helper()
	programs := map[string]string{}
	for _, f := range sources(t) {
		if isExample(f.pkg) {
			programs[path.Base(f.pkg)] = page(t, f.path)
		}
	}
	return programs
}

// found matches a number, perhaps with a unit, and the one that has been found by hand after it.
var found = regexp.MustCompile(`(-?[\d.]+)[^\d,]*, +by hand +(-?[\d.]+)`)

// byHand compares the numbers before and after "by hand" in an output.
func byHand(t *testing.T, output string) {
	t.Helper()
	for line := range strings.Lines(output) {
		if !strings.Contains(line, "by hand") {
			continue
		}
		m := found.FindStringSubmatch(line)
		require.NotNil(t, m, "no two numbers in %q", line)
		x, errX := strconv.ParseFloat(m[1], 64)
		y, errY := strconv.ParseFloat(m[2], 64)
		require.NoError(t, errX)
		require.NoError(t, errY)
		check.Close(t, x, y, outputTol, 1, "%s", strings.TrimSpace(line))
	}
}
