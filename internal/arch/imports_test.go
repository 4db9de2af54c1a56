package arch_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packageRow is one line of the table of packages in docs/architecture.md.
type packageRow struct {
	name    string
	imports []string // packages of this module
	others  []string // modules of others
}

// packageTable reads the table: package, its imports, imports of others.
func packageTable(t *testing.T) []packageRow {
	t.Helper()
	var table []packageRow
	for _, cells := range tableRows(t, page(t, "docs/architecture.md"), "## Packages") {
		require.Len(t, cells, 4, "row %v", cells)
		name := spans(cells[0])
		require.Len(t, name, 1, "row %v", cells)
		table = append(table, packageRow{name[0], spans(cells[1]), spans(cells[2])})
	}
	return table
}

// TestPackagesAreInTheTable compares the packages that exist with those that
// the table names.
func TestPackagesAreInTheTable(t *testing.T) {
	exist := packages(sources(t))
	named := map[string]bool{}
	for _, r := range packageTable(t) {
		assert.False(t, named[r.name], "%s is in the table twice", r.name)
		assert.True(t, exist[r.name], "the table names %s, which has no Go file", r.name)
		named[r.name] = true
	}
	for p := range exist {
		assert.True(t, named[p] || isExample(p), "package %s is not in the table of docs/architecture.md", p)
	}
}

// TestTableIsOrdered requires that a row names only packages above it, so that
// no arrow points back.
func TestTableIsOrdered(t *testing.T) {
	above := map[string]bool{}
	for _, r := range packageTable(t) {
		for _, i := range r.imports {
			assert.True(t, above[i], "%s lists %s, which is not above it", r.name, i)
		}
		above[r.name] = true
	}
}

// TestImportsAreInTheTable requires every import outside tests to be in its
// package's row, and every package in a row to be imported.
func TestImportsAreInTheTable(t *testing.T) {
	rows, used := map[string]packageRow{}, map[string]bool{}
	for _, r := range packageTable(t) {
		rows[r.name] = r
	}
	for _, f := range sources(t) {
		if f.test || isExample(f.pkg) {
			continue
		}
		row := rows[f.pkg]
		for _, i := range f.imports {
			if own, ok := ownPackage(i); ok {
				assert.Contains(t, row.imports, own, "%s imports %s", f.path, i)
				used[f.pkg+" "+own] = true
			}
			if foreign(i) {
				ok := slices.ContainsFunc(row.others, func(m string) bool { return within(i, m) })
				assert.True(t, ok, "%s imports %s", f.path, i)
			}
		}
	}
	for _, r := range rows {
		for _, i := range r.imports {
			assert.True(t, used[r.name+" "+i], "%s does not import %s any more", r.name, i)
		}
	}
}

// within reports whether an import belongs to a module.
func within(importPath, module string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// TestForeignImportsStayInPlace holds the rules for single modules, file by
// file. Packages under internal, and those whose names end in test, are helpers of tests.
func TestForeignImportsStayInPlace(t *testing.T) {
	rules := []struct {
		module  string
		allowed func(f *sourceFile) bool
	}{
		{"github.com/james-bowman/sparse", func(f *sourceFile) bool { return f.pkg == "sparse/interop" }},
		{"github.com/stretchr/testify", func(*sourceFile) bool { return false }},
		{"gonum.org/v1/gonum", func(f *sourceFile) bool {
			return slices.Contains([]string{"sparse/interop", "tree", "linear", "ik/fik", "study", "derive", "derive/follow", "derive/objective", "derive/search", "examples/lqr"}, f.pkg)
		}},
		{"gonum.org/v1/plot", func(f *sourceFile) bool { return f.pkg == "cmd/rung/internal/picture" }},
		{"github.com/spf13/cobra", func(f *sourceFile) bool { return within(f.pkg, "cmd/rung") }},
	}
	for _, f := range sources(t) {
		if f.test || strings.HasPrefix(f.pkg, "internal/") || strings.HasSuffix(f.pkg, "test") {
			continue
		}
		for _, i := range f.imports {
			for _, r := range rules {
				if within(i, r.module) {
					assert.True(t, r.allowed(&f), "%s may not import %s", f.path, i)
				}
			}
		}
	}
}

// TestSmallPrograms bounds what a program compiles that imports the solver or the integrators: kkt, sim, the packages that
// they import, and of the modules of others only what tells processors apart. The root package sets up runs, and so brings what locks
// their files, and gonum, which the methods on spanning trees need; neither it nor runs bring ranks, formats, Parquet or pictures. Nor do
// sweeps whose results stay in memory.
func TestSmallPrograms(t *testing.T) {
	const small = "golang.org/x/sys/cpu"
	files := sources(t)
	compiles := func(pkg string, allowed ...string) map[string]bool {
		seen := map[string]bool{}
		var visit func(pkg string)
		visit = func(pkg string) {
			if seen[pkg] {
				return
			}
			seen[pkg] = true
			for _, f := range files {
				if f.test || f.pkg != pkg {
					continue
				}
				for _, i := range f.imports {
					if own, ok := ownPackage(i); ok {
						visit(own)
					} else if foreign(i) {
						ok := slices.ContainsFunc(allowed, func(m string) bool { return within(i, m) })
						assert.True(t, ok, "who imports %s compiles %s, by %s", pkg, i, f.path)
					}
				}
			}
		}
		visit(pkg)
		return seen
	}
	assert.True(t, compiles("kkt", small)["factor"], "kkt imports factor")
	compiles("sim", small)
	assert.False(t, compiles("study/sweep", small, "github.com/gofrs/flock", "gonum.org/v1/gonum")["study/table"], "who runs sweeps without files compiles Parquet")
	for own := range compiles("rung", small, "github.com/gofrs/flock", "gonum.org/v1/gonum/blas", "gonum.org/v1/gonum/lapack", "gonum.org/v1/gonum/floats") {
		for _, optional := range []string{"dist", "sim/parquet", "formats", "scene", "study", "batch", "cmd"} {
			assert.False(t, within(own, optional), "who imports the root package compiles %s", own)
		}
	}
}

// built is the folder into which make library and others write, and which git ignores.
const built = "out"

// TestFolders compares the top-level folders with those the page lists.
func TestFolders(t *testing.T) {
	listed := map[string]bool{}
	for _, cells := range tableRows(t, page(t, "docs/architecture.md"), "## Folders") {
		for _, s := range spans(cells[0]) {
			name := strings.TrimSuffix(s, "/")
			listed[name] = true
			assert.DirExists(t, path.Join(root(t), name))
		}
	}
	for _, r := range packageTable(t) {
		top, _, _ := strings.Cut(r.name, "/")
		listed[top] = true
	}
	entries, err := os.ReadDir(root(t))
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() && !hidden(e.Name()) && e.Name() != built {
			assert.True(t, listed[e.Name()], "folder %s is not in docs/architecture.md", e.Name())
		}
	}
}

// TestPackageComments requires of every package one doc.go with the package
// comment, and no package comment elsewhere. Examples are one file, with it.
func TestPackageComments(t *testing.T) {
	files := sources(t)
	found := map[string]bool{}
	for _, f := range files {
		if f.test || f.ast.Doc == nil {
			continue
		}
		place := "doc.go"
		if isExample(f.pkg) {
			place = "main.go"
		}
		if !assert.Equal(t, place, path.Base(f.path), "%s has a package comment", f.path) {
			continue
		}
		want := "Package " + f.ast.Name.Name + " "
		if f.ast.Name.Name == "main" {
			want = "Command " + path.Base(f.pkg) + " "
		}
		assert.True(t, strings.HasPrefix(f.ast.Doc.Text(), want), "the comment in %s does not begin with %q", f.path, want)
		found[f.pkg] = true
	}
	for p := range packages(files) {
		assert.True(t, found[p], "package %s has no doc.go with a package comment", p)
	}
}
