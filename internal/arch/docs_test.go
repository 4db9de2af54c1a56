package arch_test

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contracts are pages that also speak of what does not exist yet.
var contracts = []string{"docs/model-format.md", "docs/cli.md"}

// ownPages returns the pages of the repository, the contracts left out.
func ownPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		names, err := filepath.Glob(filepath.Join(root(t), pattern))
		require.NoError(t, err)
		for _, n := range names {
			rel, err := filepath.Rel(root(t), n)
			require.NoError(t, err)
			if rel = filepath.ToSlash(rel); !slices.Contains(contracts, rel) {
				pages = append(pages, rel)
			}
		}
	}
	require.NotEmpty(t, pages)
	return pages
}

// TestTheoryTable requires every code span in the second column of the table
// from equations to functions to be a function or method.
func TestTheoryTable(t *testing.T) {
	names := declared(sources(t))
	for _, cells := range tableRows(t, page(t, "docs/theory.md"), "## Equations and functions") {
		require.Len(t, cells, 3, "row %v", cells)
		functions := spans(cells[1])
		assert.NotEmpty(t, functions, "row %v", cells)
		for _, f := range functions {
			assert.True(t, names[f], "docs/theory.md names %s, which is no function", f)
		}
	}
}

var qualified = regexp.MustCompile(`^([a-z/]+)\.([A-Z]\w*(?:\.[A-Z]\w*)?)(?:\(.*\))?$`)

// TestNamesInPagesExist requires that a code span of the form pkg.Name or
// pkg.Type.Name, with pkg of this module, by its folder or its name, names
// something declared.
func TestNamesInPagesExist(t *testing.T) {
	files := sources(t)
	names, exist := declared(files), packages(files)
	folder := map[string]string{} // by the name of the package
	for f := range exist {
		if name := path.Base(f); !exist[name] {
			folder[name] = f
		}
	}
	for _, p := range ownPages(t) {
		for _, s := range spans(withoutCode(page(t, p))) {
			m := qualified.FindStringSubmatch(s)
			if m == nil || !exist[m[1]] && folder[m[1]] == "" {
				continue
			}
			_, ok := names[cmp.Or(folder[m[1]], m[1])+"."+m[2]]
			assert.True(t, ok, "%s names %s, which does not exist", p, s)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksInPages requires that relative links lead to a file or folder.
func TestLinksInPages(t *testing.T) {
	for _, p := range ownPages(t) {
		for _, m := range link.FindAllStringSubmatch(withoutCode(page(t, p)), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			_, err := os.Stat(filepath.Join(root(t), filepath.Dir(p), target))
			assert.NoError(t, err, "link in %s", p)
		}
	}
}

var goFile = regexp.MustCompile(`^[\w./*-]+\.go$`)

// TestFilesInPagesExist requires that a code span that names a Go file, or
// several with a pattern, finds one.
func TestFilesInPagesExist(t *testing.T) {
	for _, p := range ownPages(t) {
		for _, s := range spans(withoutCode(page(t, p))) {
			if !goFile.MatchString(s) {
				continue
			}
			found, err := filepath.Glob(filepath.Join(root(t), s))
			require.NoError(t, err)
			assert.NotEmpty(t, found, "%s names %s, which does not exist", p, s)
		}
	}
}
