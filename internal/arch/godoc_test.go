package arch_test

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// public is what publicPackages returns, once it is known.
var public map[string]*doc.Package

// publicPackages returns what go doc knows of the packages that others can import, by their folders.
func publicPackages(t *testing.T) map[string]*doc.Package {
	t.Helper()
	if public != nil {
		return public
	}
	pages := map[string]*doc.Package{}
	fset := token.NewFileSet()
	byFolder := map[string][]*ast.File{}
	for _, f := range sources(t) {
		if f.ast.Name.Name == "main" || strings.Contains("/"+f.pkg+"/", "/internal/") || strings.HasPrefix(f.pkg, "cmd/") {
			continue
		}
		// doc.NewFromFiles changes the trees: it leaves out what is not exported.
		file, err := parser.ParseFile(fset, filepath.Join(root(t), filepath.FromSlash(f.path)), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		byFolder[f.pkg] = append(byFolder[f.pkg], file)
	}
	for pkg, files := range byFolder {
		p, err := doc.NewFromFiles(fset, files, pkg)
		require.NoError(t, err, "%s", pkg)
		if len(p.Consts)+len(p.Vars)+len(p.Types)+len(p.Funcs) > 0 { // else it is tests alone
			pages[pkg] = p
		}
	}
	require.NotEmpty(t, pages)
	public = pages
	return pages
}

// TestPublicPackagesHavePages: every public package has a comment of some lines with code in its doc.go, and an example
// that runs and whose output is compared.
func TestPublicPackagesHavePages(t *testing.T) {
	for pkg, p := range publicPackages(t) {
		text := strings.TrimSpace(string(p.Text(p.Doc)))
		assert.Greater(t, strings.Count(text, "\n"), 0, "the comment of package %s is a line", pkg)
		folder := pkg
		if pkg == rootPackage {
			folder = "."
		}
		for _, f := range sources(t) {
			if f.pkg == pkg && !f.test && f.ast.Doc != nil {
				assert.Equal(t, path.Join(folder, "doc.go"), f.path, "the comment of package %s is elsewhere", pkg)
			}
		}
		code := slices.ContainsFunc(p.Parser().Parse(p.Doc).Content, func(b comment.Block) bool { _, ok := b.(*comment.Code); return ok })
		assert.True(t, code, "the comment of package %s has no code", pkg)
		examples := slices.Clone(p.Examples)
		for _, typ := range p.Types {
			examples = append(examples, typ.Examples...)
			for _, f := range slices.Concat(typ.Funcs, typ.Methods) {
				examples = append(examples, f.Examples...)
			}
		}
		for _, f := range p.Funcs {
			examples = append(examples, f.Examples...)
		}
		assert.True(t, slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Output != "" }), "package %s has no example with output", pkg)
	}
}

// screen is how many lines of a package's page everybody sees.
const screen = 30

// firstScreens are the packages whose first screen has to say what the package is, how to make one of its things, what
// to call in which order, what it costs and what can fail.
var firstScreens = []string{"kkt", "sim", "motion", "batch", "ik", "linear"}

func TestFirstScreens(t *testing.T) {
	pages := publicPackages(t)
	for _, name := range firstScreens {
		p := pages[name]
		require.NotNil(t, p, "%s", name)
		lines := strings.SplitAfter(string(p.Text(p.Doc)), "\n")
		first := strings.Join(lines[:min(screen, len(lines))], "")
		assert.Contains(t, first, ":= ", "%s: how one is made", name)
		for _, begin := range []string{"\n\nCost: ", "\n\nErrors: "} {
			_, rest, ok := strings.Cut(first, begin)
			assert.True(t, ok && strings.Contains(rest, "\n\n"), "the first %d lines of go doc %s have no whole paragraph %q", screen, name, strings.TrimSpace(begin))
		}
	}
}

// unresolved finds what looks like a link to a name.
var unresolved = regexp.MustCompile(`\[\*?(?:[\w/.]+\.)?[A-Z]\w*(?:\.[A-Z]\w*)?\]`)

// browser is the address of the pages, as a browser opens them.
const browser = "https://github.com/rung-mbd/rung/blob/main/"

// TestLinksInPackageComments: each link of a package comment leads to a name that exists, to a page, or to a section of one. If
// the text of the link is an equation, it is in that section.
func TestLinksInPackageComments(t *testing.T) {
	for pkg, p := range publicPackages(t) {
		d := p.Parser().Parse(p.Doc)
		for _, text := range textsIn(d.Content) {
			if plain, ok := text.(comment.Plain); ok {
				assert.Empty(t, unresolved.FindString(string(plain)), "a link in the comment of package %s leads nowhere", pkg)
				assert.NotContains(t, string(plain), ".md", "the comment of package %s names a page without a link", pkg)
			}
		}
		for _, l := range d.Links {
			assert.True(t, l.Used, "the comment of package %s does not use [%s]", pkg, l.Text)
			target, ok := strings.CutPrefix(l.URL, browser)
			if !ok {
				continue
			}
			name, anchor, ok := strings.Cut(target, "#")
			text := page(t, name)
			if !ok {
				assert.Equal(t, l.Text, name, "%s: the text of a link to a page is its path", pkg)
				continue
			}
			section, ok := sections(text)[anchor]
			assert.True(t, ok, "%s: %s has no section %s, only %v", pkg, name, anchor, slices.Sorted(maps.Keys(sections(text))))
			if m := equationCitation.FindStringSubmatch(l.Text); m != nil {
				for _, n := range equationsIn(m[2]) {
					assert.Contains(t, section, "("+n+")\n", "%s: [%s] is not in %s", pkg, l.Text, l.URL)
				}
			}
		}
	}
}

// textsIn returns the pieces of text of the blocks of a comment, code left out.
func textsIn(blocks []comment.Block) (texts []comment.Text) {
	for _, block := range blocks {
		switch b := block.(type) {
		case *comment.Paragraph:
			texts = append(texts, b.Text...)
		case *comment.Heading:
			texts = append(texts, b.Text...)
		case *comment.List:
			for _, item := range b.Items {
				texts = append(texts, textsIn(item.Content)...)
			}
		}
	}
	return texts
}

// heading is one of a page.
var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// sections returns the texts of the sections of a page, each up to the next heading, by the anchors that GitHub gives
// to their headings: in lower case, without punctuation, with - for a space.
func sections(text string) map[string]string {
	out := map[string]string{}
	at := heading.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		out[anchorOf(text[m[2]:m[3]])] = text[m[1]:end]
	}
	return out
}

// anchorOf returns the anchor of a heading.
func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// TestAliasesListMethods: go doc of an alias shows neither fields nor methods, so the comments of those of the root
// package list them, in items such as "bodies: Body, Rod". Each name of an item is a method, but for what stands in
// brackets; no method is missing, unless the comment says where more are.
func TestAliasesListMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks all packages")
	}
	s := loadSurface(t)
	comments := aliasComments(t)
	for name, o := range s.exported[rootPackage] {
		n, ok := o.(*types.TypeName)
		if !ok || !n.IsAlias() {
			continue
		}
		of, ok := types.Unalias(o.Type()).(*types.Named)
		if !ok {
			continue
		}
		full := of.Obj().Pkg().Name() + "." + of.Obj().Name()
		assert.True(t, strings.HasPrefix(comments[name], name+" is "+full+": "), "the comment of %s begins with what it is", name)
		listed := map[string]bool{}
		for _, item := range aliasItems.FindAllString(comments[name], -1) {
			for _, w := range capitalWords.FindAllString(inBrackets.ReplaceAllString(item, ""), -1) {
				listed[w] = true
			}
		}
		methods := map[string]bool{}
		for m := range of.Methods() {
			if m.Exported() && !slices.Contains(implicit, m.Name()) {
				methods[m.Name()] = true
			}
		}
		for w := range listed {
			assert.True(t, methods[w] || s.exported[rootPackage][w] != nil, "%s lists %s, which is no method", name, w)
		}
		if strings.Contains(comments[name], "go doc "+full) {
			continue
		}
		for m := range methods {
			ok := listed[m] || slices.Contains(capitalWords.FindAllString(comments[name], -1), m)
			assert.True(t, ok, "the comment of %s does not list the method %s", name, m)
		}
	}
}

var (
	aliasItems   = regexp.MustCompile(`(?m)^  - .*(\n    .*)*`)
	capitalWords = regexp.MustCompile(`\b[A-Z]\w*`)
	inBrackets   = regexp.MustCompile(`\([^)]*\)`)
)

// aliasComments are the comments of the types of the root package, as go doc prints them.
func aliasComments(t *testing.T) map[string]string {
	list := map[string]string{}
	for _, f := range sources(t) {
		if f.test || f.pkg != rootPackage {
			continue
		}
		for _, d := range f.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE && len(g.Specs) == 1 {
				list[g.Specs[0].(*ast.TypeSpec).Name.Name] = g.Doc.Text()
			}
		}
	}
	return list
}
