package arch_test

import (
	"go/ast"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Marks of tests for make race-quick. Above a test they are the test's, above the package clause of any test file all tests of the folder have them.
const (
	raceMark   = "//rung:race"
	noRaceMark = "//rung:norace " // the reason follows
)

// TestRaceMarks: every test that starts goroutines, itself or by a function of the tests beside it, is one that make race-quick runs, or says
// why it is not. None that is marked is left out of short runs, as those of make race-quick are.
func TestRaceMarks(t *testing.T) {
	folders := map[string][]sourceFile{}
	for _, f := range sources(t) {
		if f.test {
			folders[f.pkg] = append(folders[f.pkg], f)
		}
	}
	tests := 0
	for pkg, files := range folders {
		all := slices.ContainsFunc(files, func(f sourceFile) bool { return marked(f.ast.Doc) })
		starts := starters(files)
		for _, f := range files {
			for _, d := range f.ast.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || !isTest(fn) {
					continue
				}
				assert.False(t, runs(fn.Doc) && long(fn), "%s: make race-quick leaves %s out, as it is long", f.path, fn.Name.Name)
				if !starts[fn.Name.Name] {
					continue
				}
				tests++
				assert.True(t, all || marked(fn.Doc), "%s: %s of %s starts goroutines: mark it %s, or %sREASON", f.path, fn.Name.Name, pkg, raceMark, noRaceMark)
			}
		}
	}
	require.Greater(t, tests, 20, "tests that start goroutines")
}

// TestRaceMarksAreRun: make race-quick runs each test that is marked, and each folder that is.
func TestRaceMarksAreRun(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make")
	}
	cmd := exec.Command("make", "-n", "race-quick")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	require.NoError(t, err)
	said := strings.FieldsFunc(string(out), func(r rune) bool { return strings.ContainsRune(" \n'()|^$", r) })
	has := func(word string) {
		require.Contains(t, said, word)
	}
	for _, f := range sources(t) {
		if !f.test {
			continue
		}
		folder := "./" + f.pkg
		if f.pkg == rootPackage {
			folder = "."
		}
		if runs(f.ast.Doc) {
			has(folder)
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && runs(fn.Doc) {
				require.True(t, isTest(fn), "%s: %s is marked and no test", f.path, fn.Name.Name)
				has(folder)
				has(fn.Name.Name)
			}
		}
	}
}

// isTest reports whether go test -run finds a function.
func isTest(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && fn.Name.Name != "TestMain" && slices.ContainsFunc([]string{"Test", "Fuzz", "Example"}, func(kind string) bool {
		return strings.HasPrefix(fn.Name.Name, kind)
	})
}

// runs reports whether a comment has the mark of what runs under the race detector.
func runs(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return c.Text == raceMark })
}

// marked reports whether a comment says that a test runs under the race detector, or why it does not.
func marked(doc *ast.CommentGroup) bool {
	return runs(doc) || doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, noRaceMark) && len(c.Text) > len(noRaceMark)
	})
}

// long reports whether a test leaves short runs at once.
func long(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(fn.Body.List, func(s ast.Stmt) bool {
		x, ok := s.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := x.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		return ok && (f.Sel.Name == "Long" || f.Sel.Name == "Nightly")
	})
}

// starters returns the functions of a folder's tests that start goroutines, or call one of its functions that does.
func starters(files []sourceFile) map[string]bool {
	starts, calls := map[string]bool{}, map[string][]string{}
	for _, f := range files {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				continue // a method's name says too little
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					starts[name] = true
				case *ast.SelectorExpr:
					starts[name] = starts[name] || startsGoroutines(n)
				case *ast.Ident:
					calls[name] = append(calls[name], n.Name)
				}
				return true
			})
		}
	}
	for again := true; again; {
		again = false
		for name, called := range calls {
			if !starts[name] && slices.ContainsFunc(called, func(c string) bool { return starts[c] }) {
				starts[name], again = true, true
			}
		}
	}
	return starts
}

// startsGoroutines reports whether x.y is a name by which tests come to run on several goroutines.
func startsGoroutines(s *ast.SelectorExpr) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && slices.Contains([]string{"sync.WaitGroup", "errgroup.Group", "team.New", "t.Parallel"}, x.Name+"."+s.Sel.Name)
}
