package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	makeCommand = regexp.MustCompile("(?m)(?:^ {4}|`)make ([a-z][a-z-]*)((?: [A-Z]+=[^\\s`]+)*)")
	testCommand = regexp.MustCompile("(?m)\\bgo (?:-C (\\S+) )?test( [^`#\n]*)")
	testFlag    = regexp.MustCompile(` -(run|bench)[ =](\S+)`)
	goPackage   = regexp.MustCompile(` (\./\S*|\.)(?: |$)`)
	testName    = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w*)\(`)
)

// TestMakeCommandsInPages: pages name targets and variables of the Makefile.
func TestMakeCommandsInPages(t *testing.T) {
	makefile := page(t, "Makefile")
	count := 0
	for _, p := range append(ownPages(t), "docs/cli.md", "bench/peers/README.md") {
		for _, m := range makeCommand.FindAllStringSubmatch(page(t, p), -1) {
			count++
			assert.Regexp(t, "(?m)^"+m[1]+":", makefile, "%s: make %s", p, m[1])
			for _, variable := range strings.Fields(m[2]) {
				name, _, _ := strings.Cut(variable, "=")
				assert.Contains(t, makefile, "$("+name, "%s: make %s%s", p, m[1], m[2])
			}
		}
	}
	assert.Greater(t, count, 15)
}

// TestTestCommandsInPages: the tests and benchmarks that pages run exist in the packages that they name.
func TestTestCommandsInPages(t *testing.T) {
	count := 0
	for _, p := range append(ownPages(t), "docs/cli.md", "bench/peers/README.md") {
		for _, m := range testCommand.FindAllStringSubmatch(page(t, p), -1) {
			folder := "."
			if named := goPackage.FindStringSubmatch(m[2]); named != nil {
				folder = named[1]
			}
			if strings.HasSuffix(folder, "...") {
				continue
			}
			names := testNames(t, filepath.Join(root(t), m[1], folder))
			require.NotEmpty(t, names, "%s: go%s", p, m[0])
			for _, flag := range testFlag.FindAllStringSubmatch(m[2], -1) {
				if flag[2] == "-" { // none
					continue
				}
				count++
				pattern, _, _ := strings.Cut(strings.Trim(flag[2], "'\""), "/")
				want := regexp.MustCompile(pattern)
				assert.True(t, slices.ContainsFunc(names, func(n string) bool {
					return strings.HasPrefix(n, "Benchmark") == (flag[1] == "bench") && want.MatchString(n)
				}), "%s: %s", p, m[0])
			}
		}
	}
	assert.Greater(t, count, 8)
}

// testNames returns the names of the tests, fuzz targets and benchmarks of a folder.
func testNames(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range testName.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
	}
	return names
}
