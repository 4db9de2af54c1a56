package arch_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Limits of a file, a function, a struct and a line of code. What is beyond them stands in testdata/sizes.txt with its size.
const (
	mostFileLines     = 500
	mostFunctionLines = 60
	mostKernelLines   = 100 // a written-out kernel, in internal/kernel and internal/lanes
	mostFields        = 25
	mostColumns       = 140
	mostBack          = 10
)

// generators are the packages that write kernels. Their functions list instructions, and they alone may have functions beyond the limit
// that stand in testdata/sizes.txt.
var generators = []string{"internal/avo", "internal/tape/gen", "internal/tape/lines"}

// TestSizes: files, functions, structs, lines and circles within a package keep their limits, but for those in testdata/sizes.txt, which
// do not grow. -update writes what has become smaller, and takes out what keeps the limit.
func TestSizes(t *testing.T) {
	now := map[string]int{}
	files := sources(t)
	for _, f := range files {
		if f.test || ast.IsGenerated(f.ast) || strings.HasPrefix(f.pkg, "bench/peers") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), f.path))
		require.NoError(t, err)
		lines := strings.Split(string(text), "\n")
		beyond(now, "file "+f.path, len(lines)-1, mostFileLines)
		long := 0
		for _, l := range lines {
			if utf8.RuneCountInString(l) > mostColumns {
				long++
			}
		}
		beyond(now, "columns "+f.pkg, now["columns "+f.pkg]+long, 0)
		functions(now, &f)
	}
	for pkg := range packages(files) {
		if strings.HasPrefix(pkg, "bench/peers") {
			continue
		}
		p := picture{}
		drawFiles(p, ofPackage(files, pkg))
		beyond(now, "back "+pkg, len(p.back()), mostBack)
	}
	ratchet(t, "testdata/sizes.txt", now)
}

// functions notes the functions and structs of a file that are beyond the limits.
func functions(now map[string]int, f *sourceFile) {
	file := f.fset.File(f.ast.Pos())
	lines := func(n ast.Node) int { return file.Line(n.End()) - file.Line(n.Pos()) + 1 }
	most := mostFunctionLines
	if f.pkg == "internal/kernel" || f.pkg == "internal/lanes" {
		most = mostKernelLines
	}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := f.pkg + "." + d.Name.Name
			if d.Recv != nil {
				name = f.pkg + "." + receiver(d.Recv.List[0].Type) + "." + d.Name.Name
			}
			beyond(now, "function "+name, lines(d), most)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && d.Tok == token.TYPE {
					if u, ok := s.Type.(*ast.StructType); ok {
						beyond(now, "fields "+f.pkg+"."+s.Name.Name, u.Fields.NumFields(), mostFields)
					}
				}
			}
		}
	}
}

// beyond notes a number that is above a limit.
func beyond(now map[string]int, what string, n, limit int) {
	if n > limit {
		now[what] = n
	}
}

// ratchet holds numbers to those of a file with a line each. Names that are not there have none, and -update writes what has fallen.
func ratchet(t *testing.T, name string, now map[string]int) {
	t.Helper()
	text, err := os.ReadFile(name)
	was, fresh := map[string]int{}, os.IsNotExist(err)
	if !fresh {
		require.NoError(t, err)
	}
	for line := range strings.Lines(string(text)) {
		i := strings.LastIndexByte(strings.TrimSpace(line), ' ')
		require.Positive(t, i, line)
		n, err := strconv.Atoi(strings.TrimSpace(line[i:]))
		require.NoError(t, err)
		was[line[:i]] = n
	}
	if fresh {
		was = now
	}
	var b strings.Builder
	assert.Empty(t, refused(now, was), name)
	for _, what := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&b, "%s %d\n", what, min(now[what], was[what]))
	}
	for what := range was {
		if now[what] < was[what] {
			t.Logf("%s: %s has fallen from %d to %d; -update notes it", name, what, was[what], now[what])
		}
	}
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(name, []byte(b.String()), 0o644))
	}
}

// refused lists the numbers that are not held: those above what they were, and long functions outside the generators, whatever they were.
func refused(now, was map[string]int) (list []string) {
	for _, what := range slices.Sorted(maps.Keys(now)) {
		function, ok := strings.CutPrefix(what, "function ")
		switch {
		case now[what] > was[what]:
			list = append(list, fmt.Sprintf("%s: %d, above %d", what, now[what], was[what]))
		case ok && !slices.ContainsFunc(generators, func(pkg string) bool { return strings.HasPrefix(function, pkg+".") }):
			list = append(list, fmt.Sprintf("%s: %d lines; only generators of kernels have such functions", what, now[what]))
		}
	}
	return list
}

// TestSizesAreRefused: numbers do not grow, and a long function outside the generators is refused also where it stands in the list.
func TestSizesAreRefused(t *testing.T) {
	was := map[string]int{"file sim/run.go": 520, "function tree.Workspace.move": 62, "function internal/avo.add256": 75, "function internal/avowed.add": 75}
	require.Equal(t, []string{
		"function internal/avowed.add: 75 lines; only generators of kernels have such functions",
		"function tree.Workspace.move: 62 lines; only generators of kernels have such functions",
	}, refused(was, was))
	require.Equal(t, []string{"file sim/run.go: 521, above 520", "function tree.plan: 61, above 0"},
		refused(map[string]int{"file sim/run.go": 521, "function internal/avo.add256": 70, "function tree.plan": 61}, was))
}

// TestContributingNumbers: CONTRIBUTING.md has the numbers that the tests have.
func TestContributingNumbers(t *testing.T) {
	text := strings.Join(strings.Fields(page(t, "CONTRIBUTING.md")), " ")
	number := func(file, before string) string {
		_, after, ok := strings.Cut(page(t, file), before)
		require.True(t, ok, "%s: no %s", file, before)
		return after[:strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })]
	}
	walk, err := strconv.Atoi(number("Makefile", "WALK      ?= "))
	require.NoError(t, err)
	for _, want := range []string{
		fmt.Sprintf("%d at most; functions around 10 lines, %d at most, a written-out kernel %d; structs of %d fields at most; lines of %d columns at most; ten arrows",
			mostFileLines, mostFunctionLines, mostKernelLines, mostFields, mostColumns),
		fmt.Sprintf("%d 000 a target each time, and `.ci/run` the first %s of them", walk/1000, number(".ci/run", "RUNG_WALK=")),
	} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 10, mostBack)
}
